"""What the causes of a kubelet that is not heard of share: what it says in its own log, and what must not be done to its Node."""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.sign import Sign, heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

# It tries again every 7 to 10 s: what it said so lately is how it is now, and shows that it runs.
_LATELY = timedelta(minutes=5)
GIVE_THE_NODE_UP = DoNot(
    Text(
        "force delete Pods of this node, delete the Node object, or taint it out-of-service",
        "强制删除该节点的 Pod、删除该节点，或为其添加 out-of-service 污点",
    ),
    Text(
        "the machine is on and its containers are running: a ReadWriteOnce volume or a StatefulSet would get a second writer",
        "机器仍在运行，容器也在继续：对 ReadWriteOnce 卷或 StatefulSet 会出现第二个写入者",
    ),
)


def reports_refused(node: Ref, snap: Facts, *errors: ErrorWord) -> Sign[Failure]:
    """Find the kubelet's own lines of the last minutes that its reports failed for one of these errors; its log is asked for else.

    What it said at another time leaves the question open, and speaks for it.
    """

    def lately(f: Failure) -> bool:
        return f.src.at is not None and timedelta(0) <= snap.now - f.src.at <= _LATELY

    told = heard(snap, Failure, node, lambda f: [f] if f.operation == "node-report" and f.error in errors else [])
    said = heard(snap, Failure, node, lambda f: [f] if f in told.hits and lately(f) else [])
    return said if said.value else Sign(None, told.hits, told.seen, (Want(LogSeen, node),))
