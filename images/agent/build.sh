#!/bin/sh
# build.sh OUT.tar [NAME]: the agent's image as an OCI archive, from Debian's packages and this checkout's src/unstuck.
#
# NAME (default unstuck-agent:VERSION) is what `ctr images import` and `docker load` call it; push it with
# `skopeo copy oci-archive:OUT.tar docker://REGISTRY/NAME`. Needs mmdebstrap, umoci, skopeo and root.
# The same SOURCE_DATE_EPOCH (default: the last commit) and the same packages give the same image, by its digest. For that Debian's packages
# are those of a date: of SNAPSHOT (default: the date in images/agent/snapshot) in Debian's archive of snapshots. MIRROR=URL takes today's
# from a mirror instead, for trying out where that archive is not reached (they are signed by the same keys); with SNAPSHOT set, too, the
# URL is that of a mirror of the snapshots.
set -eu
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:?usage: build.sh OUT.tar [NAME]}")
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/unstuck/__init__.py)
name=${2:-unstuck-agent:$version}
suite=${SUITE:-bookworm}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}
export SOURCE_DATE_EPOCH
for tool in mmdebstrap umoci skopeo; do
    command -v "$tool" >/dev/null || { echo "build.sh: $tool is missing (apt install mmdebstrap umoci skopeo)" >&2; exit 1; }
done
if [ -z "${MIRROR:-}" ]; then
    MIRROR=https://snapshot.debian.org/archive
    SNAPSHOT=${SNAPSHOT:-$(cat images/agent/snapshot)}
fi
at=${SNAPSHOT:+/$SNAPSHOT}
case ${SNAPSHOT:-} in
    '' | [0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z) ;;
    *) echo "build.sh: SNAPSHOT=$SNAPSHOT is no time like 20260101T000000Z" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Only what the two containers run: no shell, no package manager, none of the causes. libsystemd0 reads journals.
root=$work/root
# The release files of a snapshot are valid for a week beyond its date; that they are old is meant. Their signatures count as ever.
mmdebstrap --quiet --variant=extract --include=python3-minimal,libpython3-stdlib,python3-seccomp,libsystemd0 --format=directory \
    ${at:+--aptopt='Acquire::Check-Valid-Until "false"'} "$suite" "$root" \
    "deb $MIRROR/debian$at $suite main" \
    "deb $MIRROR/debian$at $suite-updates main" \
    "deb $MIRROR/debian-security$at $suite-security main"
rm -rf "$root"/usr/share/[!d]* "$root"/usr/lib/*/gconv "$root"/usr/lib/*/perl* "$root"/usr/lib/apt "$root"/usr/lib/dpkg \
    "$root"/usr/sbin "$root"/sbin "$root"/var "$root"/etc/apt "$root"/etc/cron* "$root"/etc/dpkg "$root"/etc/systemd "$root"/lib/systemd
find "$root/usr/share" -type f ! -name copyright -delete
find "$root/usr/bin" "$root/bin" -mindepth 1 ! -name python3 ! -name python3.11 -delete
# Modules that nobody imports here, and what only they need.
for module in pydoc_data idlelib lib2to3 unittest test sqlite3 dbm curses tkinter multiprocessing asyncio xmlrpc wsgiref distutils \
    ensurepip venv; do rm -rf "$root/usr/lib/python3.11/$module"; done
find "$root/usr/lib/python3.11/lib-dynload" -regextype posix-extended -type f \
    -regex '.*/(_sqlite3|_curses.*|_dbm|_tkinter|_crypt|nis|readline|_codecs_.*|_decimal|_test.*|_ctypes_test|_xx.*|ossaudiodev|xxlimited.*)\.cpython-.*' -delete
rm -f "$root"/usr/lib/*/libsqlite3.so* "$root"/usr/lib/*/libdb-5*.so "$root"/usr/lib/*/libkrb5*.so* "$root"/usr/lib/*/libgssapi*.so* \
    "$root"/usr/lib/*/libtirpc.so* "$root"/usr/lib/*/libnsl.so* "$root"/usr/lib/*/libpcre2* "$root"/lib/*/libncurses* "$root"/lib/*/libreadline*
install -d "$root/opt/unstuck/unstuck"
cp src/unstuck/__init__.py src/unstuck/errors.py "$root/opt/unstuck/unstuck/"
for part in agent collect facts wording; do cp -r "src/unstuck/$part" "$root/opt/unstuck/unstuck/"; done
find "$root/opt" -name __pycache__ -prune -exec rm -rf {} +
# Nothing writes below a read-only root, so what is compiled now is what starts fast; by hash, so that no time is in it.
chroot "$root" /usr/bin/python3.11 -S -m compileall -q --invalidation-mode unchecked-hash /usr/lib/python3.11 /opt/unstuck
chmod -R u=rwX,go=rX "$root/opt"
tar --create --file "$work/root.tar" --directory "$root" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --clamp-mtime --numeric-owner \
    --owner=0 --group=0 --exclude=./dev/'*' --exclude=./proc/'*' --exclude=./sys/'*' .

umoci init --layout "$work/oci"
umoci new --image "$work/oci:agent"
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
umoci raw add-layer --image "$work/oci:agent" --history.created "$created" --history.created_by images/agent/build.sh "$work/root.tar"
umoci config --image "$work/oci:agent" --created "$created" --no-history \
    --config.entrypoint /usr/bin/python3.11 --config.entrypoint -S --config.entrypoint -m --config.entrypoint unstuck.agent \
    --config.env PATH=/usr/bin --config.env PYTHONPATH=/opt/unstuck:/usr/lib/python3/dist-packages \
    --config.env PYTHONDONTWRITEBYTECODE=1 --config.env LC_ALL=C.UTF-8 --config.user 65534:65534
mkdir -p "$(dirname "$out")"
rm -f "$out.part"
skopeo --insecure-policy copy --quiet "oci:$work/oci:agent" "oci-archive:$out.part:$name"
mv "$out.part" "$out"
digest=$(tar -xOf "$out" index.json | sed 's/.*"digest":"\(sha256:[0-9a-f]*\)".*/\1/')
echo "$name: $(($(stat -c %s "$out") >> 20)) MiB packed, $(($(stat -c %s "$work/root.tar") >> 20)) MiB unpacked, $digest: $out"
