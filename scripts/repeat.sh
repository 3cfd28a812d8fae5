#!/usr/bin/env bash
# repeat.sh TIMES TEST...: these end-to-end tests so many times on one lab, each run whole; ends with status 1 when any was red.
set -u
cd "$(dirname "$0")/.."
times=$1
shift
. scripts/lab_up.sh
red=0
for ((n = 1; n <= times; n++)); do
    printf '== run %d of %d\n' "$n" "$times"
    .venv/bin/python -m pytest -q -p no:cacheprovider "$@" || red=$((red + 1))
done
printf '%d runs passed, %d failed\n' "$((times - red))" "$red"
[ "$red" -eq 0 ]
