#!/usr/bin/env bash
# on_lab.sh COMMAND...: this command with the project's Python on the path, on a lab that is brought up for it; ends with its status.
set -u
cd "$(dirname "$0")/.."
. scripts/lab_up.sh
PATH="$PWD/.venv/bin:$PATH" "$@"
