#!/usr/bin/env bash
# test-cold.sh: `make test` of HEAD as on a machine that has never seen it, without touching this one.
#
# Caches (Go's, pip's, the lab's) are empty and in a directory of their own, COLD (default /var/tmp/unstuck-cold), which goes when all was
# green. With root on Linux the run also has its own view of the file system (an overlay over /), in which the Debian packages of the lab
# and the lists of packages are removed first; ending this script ends all that runs in it.
set -eu
cd "$(dirname "$0")/.."
cold=${COLD:-/var/tmp/unstuck-cold}

say() { printf 'cold: %s\n' "$*"; }

prepare() { # a clone of HEAD, and directories for everything that a run keeps
    if [ -e "$cold" ]; then
        say "removing $cold, left by an earlier run"
        chattr -R -f -i -a "$cold" 2>/dev/null || true
        rm -rf --one-file-system "$cold"
    fi
    mkdir -p "$cold"/{cache,tmp,upper,work,root}
    chmod 1777 "$cold/tmp"
    git clone -q --no-hardlinks . "$cold/checkout"
}

own_caches() { # own_caches COMMAND...
    env UNSTUCK_LAB_DIR="$cold/lab" UNSTUCK_LAB_CACHE="$cold/cache/lab" GOPATH="$cold/cache/go" GOMODCACHE="$cold/cache/go/mod" \
        GOCACHE="$cold/cache/go-build" PIP_CACHE_DIR="$cold/cache/pip" XDG_CACHE_HOME="$cold/cache/xdg" GOFLAGS=-modcacherw \
        UNSTUCK_TEST_LOGS="$cold/test-logs" "$@"
}

inside() { # in a mount and PID namespace of its own: becomes the overlay, without the lab's packages
    mount -t overlay overlay -o "lowerdir=/,upperdir=$cold/upper,workdir=$cold/work" "$cold/root"
    local place
    for place in dev sys; do mount --rbind "/$place" "$cold/root/$place"; done
    mount -t proc proc "$cold/root/proc"
    # On the real file system: what is written much, and what an overlay cannot hold.
    mount --bind "$cold" "$cold/root$cold"
    mount --bind "$cold/tmp" "$cold/root/tmp"
    cd "$cold/root"
    mkdir -p .before
    pivot_root . .before
    cd /
    umount -l /.before
    without_packages
    cd "$cold/checkout"
    run
}

lab_packages() { # the installed ones, by name and by the file that shows that one is there
    PYTHONPATH="$cold/checkout/lab/src" python3 - <<'END' | sort -u
import subprocess
from unstuck_lab.packages import WITNESS, WITNESS_OF_TESTS
def printed(*argv):
    return subprocess.run(argv, capture_output=True, text=True).stdout.split()
for name, file in (WITNESS | WITNESS_OF_TESTS).items():
    for owner in {name, *(word.rstrip(":") for word in printed("dpkg", "-S", file)[:1])}:
        if printed("dpkg-query", "-W", "-f", "${db:Status-Status}", owner) == ["installed"]:
            print(owner)
END
}

without_packages() { # all of the lab's packages that nothing else on this machine needs
    local name all others gone=() stay=()
    all=$(lab_packages)
    for name in $all; do
        others=$(apt-get -s purge "$name" 2>/dev/null | sed -n 's/^\(Purg\|Remv\) \([^ ]*\) .*/\2/p' | grep -vxF "$all" || true)
        if [ -z "$others" ] && DEBIAN_FRONTEND=noninteractive apt-get -qq purge -y "$name" >>"$cold/purge.log" 2>&1; then
            gone+=("$name")
        else
            stay+=("$name")
        fi
    done
    say "without the packages ${gone[*]}"
    [ ${#stay[@]} -eq 0 ] || say "others need, so that they stay: ${stay[*]}"
    rm -rf /var/lib/apt/lists/*
    apt-get clean
}

run() { own_caches make --no-print-directory test; }

if [ "${1:-}" = inside ]; then
    inside
    exit
fi
prepare
status=0
if [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "an overlay over /, empty caches"
    COLD=$cold setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child "$PWD/scripts/test-cold.sh" inside || status=$?
else
    say "empty caches only: without root this machine's packages stay"
    (cd "$cold/checkout" && run) || status=$?
fi
if [ "$status" = 0 ]; then
    rm -rf --one-file-system "$cold"
else
    say "kept: $cold (logs of what failed: $cold/test-logs)"
fi
exit "$status"
