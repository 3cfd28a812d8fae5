"""The history of objects since Pods of one owner last got a Node."""

from __future__ import annotations

from datetime import datetime

from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class Revision(Record):
    """One ReplicaSet of a Deployment, or one ControllerRevision. shape: the parts of its template relevant to
    placing.
    """

    name: str
    created: datetime | None
    shape: PodShape


@record()
class NodeAge(Record):
    """A Node's creation, its kubelet's version, and the writers of its labels or taints with the times
    (`managedFields`), components left out.
    """

    name: str
    created: datetime | None
    kubelet: str = ""
    written: tuple[tuple[str, datetime], ...] = ()


@record(kw_only=True)
class History(Fact):
    """About a ReplicaSet, StatefulSet, DaemonSet or Job. fitted: a time by which Pods of it had been
    scheduled, None if unknown.

    revisions: its Deployment's ReplicaSets, or its own revisions, by age. current: the revision behind its
    Pods, "" for the revision of its own name.
    """

    fitted: datetime | None
    revisions: tuple[Revision, ...]
    nodes: tuple[NodeAge, ...]
    current: str = ""
