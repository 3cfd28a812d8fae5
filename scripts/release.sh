#!/bin/sh
# release.sh: dist/unstuck-VERSION-py3-none-any.whl and dist/requirements.txt, what it runs with; built and tried with the packages of
# requirements/ alone, each held against its hash. The same commit gives the same wheel, byte for byte. See docs/why/releases.md.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# Wheels alone: nothing of a package runs while it is installed.
install="-m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:"

"$python" -m venv "$work/build"
"$work/build/bin/python" $install -r requirements/build.txt
# What was committed, and nothing that lies about in the checkout.
mkdir "$work/source"
git archive HEAD | tar -x -C "$work/source"
"$work/build/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation \
    --wheel-dir "$work/dist" "$work/source"
wheel=$(ls "$work/dist")

"$python" -m venv "$work/try"
"$work/try/bin/python" $install -r requirements/release.txt
"$work/try/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index "$work/dist/$wheel"
"$work/try/bin/python" -m pip check --disable-pip-version-check >/dev/null
"$work/try/bin/unstuck" demo >/dev/null

mkdir -p dist
cp "$work/dist/$wheel" dist/
cp requirements/release.txt dist/requirements.txt
(cd dist && sha256sum "$wheel" requirements.txt)
