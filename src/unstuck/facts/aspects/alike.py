"""A scan's knowledge of the Pods that it did not read one by one."""

from __future__ import annotations

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Other(Record):
    """A Pod whose row of the server's table equals another's. node: where it runs, "" if nowhere yet."""

    ref: Ref
    node: str = ""


@record(kw_only=True)
class Alike(Fact):
    """The Pods of the same owner whose rows equal that of a Pod that was read; they themselves were not."""

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
    """About a kind, such as `Ref("PersistentVolumeClaimList", NAMESPACE)`: how many look ill and were not
    read.
    """

    count: int


@record(kw_only=True)
class Stopped(Fact):
    """About a kind, such as `Ref("DeploymentList", NAMESPACE)`: objects whose rows show that they were
    stopped on purpose.
    """

    refs: tuple[Ref, ...]


@record(kw_only=True)
class Hurried(Fact):
    """About an object that a scan found: how many questions about it were not put, because there were too
    many in all. 0: none was put.
    """

    questions: int
