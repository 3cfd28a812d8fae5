#!/usr/bin/env bash
# Everything that can run here, one step after the other, with its time; what cannot is said, and is an error with CI=true.
set -u
cd "$(dirname "$0")/.."
names=() times=() failed=()
passed=0

step() { # step NAME COMMAND...
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then passed=$((passed + 1)); else failed+=("$name"); fi
    names+=("$name")
    times+=($((SECONDS - began)))
}

skip() { # skip WHAT WHY
    printf '\n== skipped: %s: %s\n' "$1" "$2"
    if [ "${CI:-}" = true ]; then failed+=("$1 (skipped)"); fi
}

why_no_lab() {
    [ "$(uname -s)" = Linux ] || { echo "it needs Linux"; return; }
    [ "$(id -u)" = 0 ] || { echo "it needs root (network and mount namespaces, cgroups)"; return; }
    command -v apt-get >/dev/null || { echo "it needs Debian's packages (apt-get)"; return; }
    command -v go >/dev/null || { echo "it needs Go 1.24 or newer"; return; }
    [ "$(printf '%s\n' 1.24 "$(go env GOVERSION | tr -d go)" | sort -V | head -1)" = 1.24 ] || echo "it needs Go 1.24 or newer"
}

with_journals() { # What makes real journals for the tests of how they are read.
    [ -x /lib/systemd/systemd-journal-remote ] && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then skip "reading real journals" "it needs systemd-journal-remote"; return; fi
    step "systemd-journal-remote" bash -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd-journal-remote'
}

export CI="${CI:-}"
no_lab=$(why_no_lab)
with_journals
step "inner loop (lint, types, layers, cases, contracts, docs)" make --no-print-directory check
step "all tests, property tests in full" .venv/bin/python -m pytest -q -n 2 --dist loadfile -m "not e2e" tests
step "every sign of every rule is held by a case" make --no-print-directory mutate
if [ -n "$no_lab" ]; then
    skip "end-to-end tests on a real cluster" "$no_lab"
else
    step "lab: packages, control plane, images" bash -c 'make --no-print-directory .venv/.stamp-lab && .venv/bin/unstuck-lab setup'
    # A lab that is up already is somebody's work: it is used, and left as it is.
    mine=true
    .venv/bin/unstuck-lab kubeconfig >/dev/null 2>&1 && mine=false
    trap '$mine && .venv/bin/unstuck-lab down >/dev/null 2>&1' EXIT
    step "lab: three nodes up" .venv/bin/unstuck-lab up --nodes 3
    export UNSTUCK_LAB_NODES=3
    step "the lab itself" .venv/bin/python -m pytest -q lab/tests
    step "end-to-end on a real cluster" .venv/bin/python -m pytest -q --durations=20 --durations-min=20 -m e2e tests
    step "benchmarks" scripts/bench.sh
    if $mine; then step "lab: down" .venv/bin/unstuck-lab down; fi
fi

printf '\n== what took how long\n'
for i in "${!names[@]}"; do printf '%6d s  %s\n' "${times[$i]}" "${names[$i]}"; done | sort -rn
printf '%6d s  in all\n' "$SECONDS"
for name in "${failed[@]+"${failed[@]}"}"; do printf 'failed: %s\n' "$name"; done
printf '\n%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ "${#failed[@]}" -eq 0 ]
