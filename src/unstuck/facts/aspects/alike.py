"""What a scan knows of the Pods that it did not read one by one."""

from __future__ import annotations

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Other(Record):
    """A Pod whose row of the server's table says the same as another's. node: where it runs, "" where nowhere yet."""

    ref: Ref
    node: str = ""


@record(kw_only=True)
class Alike(Fact):
    """Of a Pod that was read: the Pods of the same owner whose rows say the same. They were not read themselves."""

    others: tuple[Other, ...]


@record(kw_only=True)
class Counted(Fact):
    """How much a scan looked through: `Ref("PodList", NAMESPACE)`.

    unread: Pods that look ill, were not read, and are not like any that was.
    """

    pods: int
    unhealthy: int
    namespaces: int
    unread: int = 0


@record(kw_only=True)
class Unread(Fact):
    """Of another kind, such as `Ref("PersistentVolumeClaimList", NAMESPACE)`: how many look ill and were not read."""

    count: int


@record(kw_only=True)
class Stopped(Fact):
    """Of a kind, such as `Ref("DeploymentList", NAMESPACE)`: objects whose rows say that somebody stopped them on purpose."""

    refs: tuple[Ref, ...]


@record(kw_only=True)
class Hurried(Fact):
    """Of an object that a scan found: so many questions about it were not put, as there were too many in all. 0: it was not asked about."""

    questions: int
