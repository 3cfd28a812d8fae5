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

no_labs() { # What the workers of the end-to-end tests brought up ends with them; after a kill it is still there.
    local state=${UNSTUCK_LAB_DIR:-/var/lib/unstuck-lab} worker
    for worker in "$state"-gw*[0-9]; do
        [ -d "$worker" ] && UNSTUCK_LAB_DIR=$worker .venv/bin/unstuck-lab down >/dev/null 2>&1
    done
    $mine && .venv/bin/unstuck-lab down >/dev/null 2>&1
}

export CI="${CI:-}"
# Bytecode is kept, whatever the environment says: reading the sources anew takes a command longer than its answer.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/.venv/.pycache
labs=${UNSTUCK_LABS:-5}
no_lab=$(why_no_lab)
with_journals
step "lint, types, layers, docs" make --no-print-directory -j2 static
step "all tests: cases, contracts, property tests in full" make --no-print-directory in-full
step "every sign of every rule is held by a case" make --no-print-directory mutate
if [ -n "$no_lab" ]; then
    skip "end-to-end tests on a real cluster" "$no_lab"
else
    step "lab: packages, control plane, images" bash -c 'make --no-print-directory lab && .venv/bin/unstuck-lab setup'
    step "the words of Kubernetes 1.34 stand in its source" make --no-print-directory wording-check
    # A lab that is up already is somebody's work: it is used, and left as it is.
    mine=true
    .venv/bin/unstuck-lab kubeconfig >/dev/null 2>&1 && mine=false
    trap no_labs EXIT
    step "lab: three nodes up" .venv/bin/unstuck-lab up --nodes 3
    export UNSTUCK_LAB_NODES=3
    [ "$labs" -gt 2 ] && export UNSTUCK_LAB_PATIENCE=${UNSTUCK_LAB_PATIENCE:-2}
    # Most of the time is waiting, for a kubelet or a grace period: several labs wait beside each other. Where nobody can look further,
    # each red is a line: a log that is cut shows them all.
    brief=(${CI:+--tb=line})
    step "end-to-end on a real cluster ($labs labs), and the lab itself" .venv/bin/python -m pytest -q -n "$labs" --no-loadscope-reorder \
        --durations=20 --durations-min=20 "${brief[@]+"${brief[@]}"}" tests/e2e lab/tests
    step "benchmarks" scripts/bench.sh --quick
    if $mine; then step "lab: down" .venv/bin/unstuck-lab down; fi
fi

printf '\n== what took how long\n'
for i in "${!names[@]}"; do printf '%6d s  %s\n' "${times[$i]}" "${names[$i]}"; done | sort -rn
printf '%6d s  in all\n' "$SECONDS"
for name in "${failed[@]+"${failed[@]}"}"; do printf 'failed: %s\n' "$name"; done
printf '\n%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ "${#failed[@]}" -eq 0 ]
