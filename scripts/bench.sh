#!/usr/bin/env bash
# The figures of the README, on the lab that is up: one broken Pod is asked about, and healed afterwards.
# bench.sh [--quick]: with it the worst node has a tenth of the mounts, processes and log.
set -eu
cd "$(dirname "$0")/.."
lab=.venv/bin/unstuck-lab
$lab fault configmap-missing >/dev/null
trap '$lab heal configmap-missing >/dev/null' EXIT
KUBECONFIG=$($lab kubeconfig) .venv/bin/python benchmarks/startup.py --pod f-configmap-missing/wants-app-conf
# What a look at a node costs; it needs no lab, only root.
.venv/bin/python benchmarks/node.py "$@"
