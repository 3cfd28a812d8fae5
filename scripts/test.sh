#!/usr/bin/env bash
# Everything that can run here, one step after the other, with its time; what cannot is said, and is an error with CI=true.
# First comes the setup: no test installs, builds or downloads anything. What fails keeps its logs in UNSTUCK_TEST_LOGS.
set -u
cd "$(dirname "$0")/.."
names=() times=() failed=()
beside_pid=
mine=
passed=0
lab=.venv/bin/unstuck-lab
export UNSTUCK_TEST_LOGS=${UNSTUCK_TEST_LOGS:-$PWD/build/test-logs}
rm -rf "$UNSTUCK_TEST_LOGS"
mkdir -p "$UNSTUCK_TEST_LOGS"

step() { # step NAME COMMAND...: its output is also kept, and removed again where it passes
    local name=$1 began=$SECONDS log
    log=$UNSTUCK_TEST_LOGS/$(printf '%02d-%s' "${#names[@]}" "$1" | tr -c 'A-Za-z0-9.\n-' '-').log
    shift
    printf '\n== %s\n' "$name"
    "$@" 2>&1 | tee "$log"
    if [ "${PIPESTATUS[0]}" -eq 0 ]; then passed=$((passed + 1)); rm -f "$log"; else failed+=("$name"); fi
    names+=("$name")
    times+=($((SECONDS - began)))
}

begin() { # begin NAME COMMAND...: a step beside those that follow, which have the machine before it, until `finish`
    beside=$1 beside_began=$SECONDS
    beside_log=$UNSTUCK_TEST_LOGS/beside.log
    shift
    printf '\n== begun beside what follows: %s\n' "$beside"
    # A session of its own is scheduled as one; where the kernel groups by sessions only the group's niceness counts.
    setsid nice -n 10 sh -c 'echo 10 2>/dev/null >/proc/self/autogroup; exec "$@"' - "$@" >"$beside_log" 2>&1 &
    beside_pid=$!
}

finish() { # waits for the step that was begun, and shows its output
    local status=0
    # It has nobody to yield to any more, unless somebody else works here.
    { echo 0 >"/proc/$beside_pid/autogroup" && renice -n 0 -g "$beside_pid"; } >/dev/null 2>&1
    wait "$beside_pid" || status=$?
    beside_pid=
    step "$beside" sh -c 'cat "$1"; exit "$2"' - "$beside_log" "$status"
    times[${#times[@]} - 1]=$((SECONDS - beside_began))
    rm -f "$beside_log"
}

leave() {
    [ -z "$beside_pid" ] || kill -- "-$beside_pid" 2>/dev/null
    [ -z "$mine" ] || no_labs
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

workers_labs() { # the directories of labs that workers of the end-to-end tests brought up
    local state=${UNSTUCK_LAB_DIR:-/var/lib/unstuck-lab} worker
    for worker in "$state"-gw*[0-9]; do
        if [ -d "$worker" ]; then echo "$worker"; fi
    done
}

remove_workers_labs() { # remove_workers_labs WHY: after a kill they are still there
    local worker
    for worker in $(workers_labs); do
        [ -z "$1" ] || echo "removing the lab in $worker: $1"
        UNSTUCK_LAB_DIR=$worker $lab down >/dev/null 2>&1 || echo "$worker: not removed"
    done
}

no_labs() {
    remove_workers_labs ""
    if $mine; then $lab down >/dev/null 2>&1; fi
}

export CI="${CI:-}"
# Bytecode is kept, whatever the environment says: reading the sources anew takes a command longer than its answer.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/.venv/.pycache
labs=${UNSTUCK_LABS:-5}
no_lab=$(why_no_lab)

if [ -n "$no_lab" ]; then
    skip "end-to-end tests on a real cluster" "$no_lab"
    # What tests without a cluster take from the lab, as far as it can be had.
    if command -v go >/dev/null; then
        step "setup: the scheduler's filters" bash -c "make --no-print-directory lab && $lab setup --only scheduleroracle"
    fi
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        step "setup: packages of single tests" bash -c "make --no-print-directory lab && $lab setup --only 'packages of single tests'"
    fi
else
    step "setup: packages, programs, images" bash -c "make --no-print-directory lab && $lab setup"
fi
UNSTUCK_PATIENCE=$(.venv/bin/python -m scripts.machine)
export UNSTUCK_PATIENCE

trap leave EXIT
trap 'exit 130' INT TERM HUP

step "lint, types, layers, docs" make --no-print-directory -j2 static
step "every sign of every rule is held by a case" make --no-print-directory mutate
step "tests that wait for servers and shells" make --no-print-directory in-full-waiting
computing=("tests that only compute: cases, contracts, property tests in full" make --no-print-directory in-full-computing)
if [ -n "$no_lab" ]; then
    step "${computing[@]}"
else
    # The labs' tests mostly wait: the time between is these tests'.
    begin "${computing[@]}"
    step "the words of Kubernetes 1.34 stand in its source" make --no-print-directory wording-check
    remove_workers_labs "left by a run that was ended"
    # A lab that is up already is somebody's work: it is used, and left as it is.
    mine=true
    $lab kubeconfig >/dev/null 2>&1 && mine=false
    step "lab: three nodes up" $lab up --nodes 3
    export UNSTUCK_LAB_NODES=3
    # Most of the time is waiting, for a kubelet or a grace period: several labs wait beside each other. Where nobody can look further,
    # each red is a line: a log that is cut shows them all.
    brief=(${CI:+--tb=line})
    step "end-to-end on a real cluster ($labs labs), and the lab itself" .venv/bin/python -m scripts.end_to_end "$labs" \
        "${brief[@]+"${brief[@]}"}"
    # Benchmarks have the machine for themselves.
    finish
    step "benchmarks" scripts/bench.sh --quick
    if $mine; then step "lab: down" $lab down; fi
fi

printf '\n== what took how long (time limits were stretched %s-fold for this machine)\n' "$UNSTUCK_PATIENCE"
for i in "${!names[@]}"; do printf '%6d s  %s\n' "${times[$i]}" "${names[$i]}"; done | sort -rn
printf '%6d s  in all\n' "$SECONDS"
for name in "${failed[@]+"${failed[@]}"}"; do printf 'failed: %s\n' "$name"; done
if [ "${#failed[@]}" -gt 0 ]; then printf 'logs of what failed: %s\n' "$UNSTUCK_TEST_LOGS"; fi
printf '\n%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ "${#failed[@]}" -eq 0 ]
