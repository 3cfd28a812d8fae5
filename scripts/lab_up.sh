# shellcheck shell=bash
# Sourced: a lab of three nodes is brought up, and taken down when the shell ends.
make --no-print-directory lab && .venv/bin/unstuck-lab setup || exit 1
UNSTUCK_PATIENCE=$(.venv/bin/python -m scripts.machine)
export UNSTUCK_PATIENCE UNSTUCK_LAB_NODES=3
.venv/bin/unstuck-lab up --nodes 3 || exit 1
trap '.venv/bin/unstuck-lab down' EXIT
