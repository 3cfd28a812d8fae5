#!/usr/bin/env bash
# repeat.sh TIMES TEST...: these end-to-end tests so many times on one lab, each run whole; ends with status 1 when any was red.
set -u
cd "$(dirname "$0")/.."
times=$1
shift
make --no-print-directory lab && .venv/bin/unstuck-lab setup || exit 1
UNSTUCK_PATIENCE=$(.venv/bin/python -m scripts.machine)
export UNSTUCK_PATIENCE UNSTUCK_LAB_NODES=3
.venv/bin/unstuck-lab up --nodes 3 || exit 1
trap '.venv/bin/unstuck-lab down' EXIT
red=0
for ((n = 1; n <= times; n++)); do
    printf '== run %d of %d\n' "$n" "$times"
    .venv/bin/python -m pytest -q -p no:cacheprovider "$@" || red=$((red + 1))
done
printf '%d runs passed, %d failed\n' "$((times - red))" "$red"
[ "$red" -eq 0 ]
