"""A Namespace's limits for its Pods: quotas and limit ranges."""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record

Which = Literal["min", "max", "ratio", "default", "defaultRequest"]


@record(kw_only=True)
class Quota(Fact):
    """A ResourceQuota, by its status. hard, used: (resource, quantity as written): `("requests.cpu",
    "100m")`, `("pods", "2")`.
    """

    hard: tuple[tuple[str, str], ...]
    used: tuple[tuple[str, str], ...] = ()


@record()
class Bound(Record):
    """One bound of a LimitRange, or its default for a container (`default` is for limits). by: its name. per:
    `Container`, `Pod`, `PersistentVolumeClaim`. value: a quantity as written.
    """

    by: str
    per: str
    resource: str
    which: Which
    value: str


@record(kw_only=True)
class Limits(Fact):
    """Bounds of the LimitRanges of a Namespace: `Ref("LimitRangeList", NS)`; whole if all of them were
    read.
    """

    bounds: tuple[Bound, ...]
    ask: ClassVar[str] = "kubectl get limitranges {space} -o yaml"
