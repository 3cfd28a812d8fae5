"""A fresh machine, and a busy one."""

from scripts.accept.area import Area, Check

_BUSY = "while :; do :; done & while :; do :; done & wait"
# Tests that failed on a machine with empty caches: their dependencies were built at the same time, or they
# looked at the whole machine.
_RED_WHILE_BUILDING = (
    "tests/e2e/test_chart.py",
    "tests/e2e/test_agent_rights.py",
    "tests/e2e/test_ways.py",
    "tests/e2e/test_runtimes_from_outside.py",
    "tests/e2e/test_ssh.py::test_the_script_changes_nothing_and_leaves_no_process",
)
# Tests that failed in a whole run: beside other labs, by messages about another moment, by a slow cluster.
_RED_IN_A_CROWD = (
    "tests/e2e/test_nights.py::TestReadyYetEveryNewPodHangs",
    (
        "tests/e2e/test_same_answer.py::test_a_paste_gives_the_cause_or_what_to_paste_next[eviction-blocked/"
        "node/lab-1/node]"
    ),
    "tests/e2e/test_catalogue.py::test_the_answer_is_right[kubelet-stopped/node/lab-2/api]",
    "tests/e2e/test_scale.py::test_the_incidents_are_those_that_were_put_in",
)

AREA = Area(
    name="fresh-machine",
    title="Green on a machine that has never seen it",
    promises=(
        "`make test` of a fresh clone passes on a quiet machine, on a busy one, and with nothing installed "
        "or cached."
    ),
    checks=(
        Check("make test, first", ("make", "test")),
        Check("make test beside two busy loops", ("make", "test"), beside=_BUSY),
        Check("make test, third", ("make", "test")),
        Check("make test-cold", ("make", "test-cold")),
        Check(
            "ten runs of what was red while programs were built",
            ("scripts/repeat.sh", "10", *_RED_WHILE_BUILDING),
        ),
        Check("ten runs of what was red in a crowd", ("scripts/repeat.sh", "10", *_RED_IN_A_CROWD)),
    ),
)
