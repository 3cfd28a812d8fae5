#!/bin/sh
# build.sh OUT.tar [NAME]: the agent's image as an OCI archive, from Debian's packages and this checkout's src/unstuck.
#
# NAME (default unstuck-agent:VERSION) is what `ctr images import` and `docker load` call it; push it with
# `skopeo copy oci-archive:OUT.tar docker://REGISTRY/NAME`. Needs mmdebstrap, umoci, skopeo, root or user namespaces.
# The same SOURCE_DATE_EPOCH (default: the last commit) and the same packages in the mirror give the same bytes.
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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Only what the two containers run: no shell, no package manager, none of the causes.
mkdir -p "$work/opt/unstuck/unstuck"
cp src/unstuck/__init__.py src/unstuck/errors.py "$work/opt/unstuck/unstuck/"
for part in agent collect facts wording; do cp -r "src/unstuck/$part" "$work/opt/unstuck/unstuck/"; done
find "$work/opt" -name __pycache__ -prune -exec rm -rf {} +
find "$work/opt" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

cat > "$work/finish" <<'EOF'
#!/bin/sh
set -eu
cd "$1"
rm -rf usr/share/locale usr/share/man usr/share/lintian usr/share/bash-completion usr/lib/*/gconv usr/lib/*/perl* usr/share/perl* \
    usr/lib/python3*/pydoc_data usr/lib/python3*/idlelib usr/lib/python3*/lib2to3 usr/lib/python3*/unittest usr/lib/python3*/test \
    usr/lib/python3*/sqlite3 usr/lib/python3*/dbm usr/lib/python3*/curses usr/lib/python3*/tkinter usr/lib/*/libsqlite3.so* usr/lib/*/libdb-5*.so \
    usr/lib/apt usr/lib/dpkg usr/share/dpkg var/lib/apt var/cache etc/apt usr/sbin sbin usr/share/zoneinfo
find usr/share/doc -type f ! -name copyright -delete
find usr/bin bin -mindepth 1 ! -name 'python3*' -delete
# Nothing writes below a read-only root, so what is compiled now is what starts fast.
chroot . /usr/bin/python3.11 -m compileall -q -j0 --invalidation-mode unchecked-hash /usr/lib/python3.11 /opt/unstuck
EOF
chmod +x "$work/finish"
mmdebstrap --quiet --variant=extract --include=python3-minimal,libpython3-stdlib,python3-seccomp \
    --customize-hook="copy-in '$work/opt' /" --customize-hook="'$work/finish' \"\$1\"" --format=tar "$suite" "$work/root.tar"

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
echo "$name: $(($(stat -c %s "$out") >> 20)) MiB packed, $(($(stat -c %s "$work/root.tar") >> 20)) MiB unpacked: $out"
