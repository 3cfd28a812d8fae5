#!/bin/sh
# setup.sh VENV REQUIREMENT: installs an editable requirement of this repository into a virtual environment, made when missing or broken.
set -eu
venv=$1
what=$2
if [ -e "$venv" ] && ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    echo "setup: $venv has no working pip, as after a setup that was ended: making it again" >&2
    rm -rf "$venv"
fi
if [ ! -x "$venv/bin/python" ]; then
    for python in python3.13 python3.12 python3.11 python3; do
        if command -v "$python" >/dev/null 2>&1 && "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            "$python" -m venv "$venv" && break
        fi
    done
    [ -x "$venv/bin/python" ] || { echo "setup: Python 3.11 or newer with venv is needed" >&2; exit 1; }
fi
echo "setup: installing $what into $venv; the first time this takes a minute or two" >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 8 --editable "$what"
