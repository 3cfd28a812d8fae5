"""A program's last words belong to the Pod named elsewhere in the text: they follow the same rules as a
container's log.
"""

from __future__ import annotations

import pytest

from tests.text.support import read
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Ref

ROW = "agent-687f8547dd-zxc9k   0/1     CrashLoopBackOff   5          6m15s\n"
END = "F1121 00:07:16.981849       1 main.go:396] {}\n"
REASONS = {
    "open /etc/cloud/config: permission denied": "permission-denied",
    'Failed to get nodes: nodes is forbidden: User "system:serviceaccount:shop:agent" cannot list resource "nodes" in API group "" at the '
    "cluster scope": "forbidden",
    "unable to load configmap: dial tcp 10.96.0.1:443: connect: connection refused": "connection-refused",
    "unknown flag: --cloud-zone": "option-unknown",
}


def logs(text: str) -> list[LastLines]:
    return [f for f in read(text).facts if isinstance(f, LastLines)]


@pytest.mark.parametrize("reason", REASONS)
def test_they_are_the_container_log_of_the_only_pod(reason: str) -> None:
    for row, within in ((ROW, "agent-687f8547dd-zxc9k"), (f"shop   {ROW}", "shop/agent-687f8547dd-zxc9k")):
        (log,) = logs(row + END.format(reason))
        assert (log.about, log.lines, log.whole) == (Ref("Container", within, None), (reason,), False)
        assert log.complaint is not None and (log.complaint.error, log.complaint.final) == (
            REASONS[reason],
            True,
        )


@pytest.mark.parametrize("reason", REASONS)
def test_without_a_pod_the_text_reports_the_error(reason: str) -> None:
    facts = read(END.format(reason)).facts
    assert [i.complaint.error for f in facts if isinstance(f, ToldErrors) for i in f.items] == [
        REASONS[reason]
    ]
    assert not [f for f in facts if isinstance(f, LastLines | Failure)]


def test_words_that_say_over_nothing_stay_the_end_alone() -> None:
    facts = read(ROW + END.format("leaderelection lost")).facts
    assert [f.message for f in facts if isinstance(f, Failure)] == ["leaderelection lost"]
    assert not logs(ROW + END.format("leaderelection lost"))


@pytest.mark.parametrize(
    "text",
    [
        # Two Pods: the owner of the words is unknown.
        ROW + ROW.replace("zxc9k", "q2w4z") + END.format("unknown flag: --cloud-zone"),
        # A non-fatal error, and a source line.
        ROW + "E1121 00:07:16.981849       1 main.go:396] unknown flag: --cloud-zone\n",
        ROW + 'klog.Fatalf("unknown flag: --cloud-zone")\n',
    ],
    ids=["two Pods", "no end", "source code"],
)
def test_what_is_nobodys_end_is_no_pods_log(text: str) -> None:
    assert not logs(text)
