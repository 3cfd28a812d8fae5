"""A scan's knowledge of Pods not read individually."""

from __future__ import annotations

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Other(Record):
    """A Pod whose row in the server's table equals another Pod's. node: its Node, "" if it has none yet."""

    ref: Ref
    node: str = ""


@record(kw_only=True)
class Alike(Fact):
    """Unread Pods of the same owner with rows equal to an examined Pod's row."""

    others: tuple[Other, ...]


@record(kw_only=True)
class Counted(Fact):
    """The number of objects in a scan: `Ref("PodList", NAMESPACE)`.

    unread: unexamined Pods that look ill and resemble no examined Pod.
    """

    pods: int
    unhealthy: int
    namespaces: int
    unread: int = 0


@record(kw_only=True)
class Unread(Fact):
    """About a kind, such as `Ref("PersistentVolumeClaimList", NAMESPACE)`: how many unexamined objects look
    ill.
    """

    count: int


@record(kw_only=True)
class Stopped(Fact):
    """About a kind, such as `Ref("DeploymentList", NAMESPACE)`: objects stopped on purpose according to their
    rows.
    """

    refs: tuple[Ref, ...]


@record(kw_only=True)
class Hurried(Fact):
    """About an object of a scan: the number of questions skipped for the scan's limit. 0: all of them."""

    questions: int
