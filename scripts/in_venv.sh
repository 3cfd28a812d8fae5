#!/usr/bin/env bash
# in_venv.sh ARGUMENT...: Python of the virtual environment, which is made where it is missing, with these arguments.
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory lab >&2
exec .venv/bin/python "$@"
