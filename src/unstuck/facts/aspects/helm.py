"""Helm's records of its releases."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class HelmRevision(Record):
    """One revision of a release, from the labels of its Secret; the Secret's contents are not read.

    status: Helm's word for it, such as `deployed`, `superseded`, `failed`, `pending-upgrade`. created: the
    start of its operation.
    """

    release: str
    revision: int
    status: str
    secret: str
    created: datetime | None = None


@record(kw_only=True)
class HelmRevisions(Fact):
    """The revisions of all releases with records in a Namespace, the newest of each first. about: the
    Namespace.

    Whole if all its Secrets with the label `owner: helm` were listed. Helm may keep its records in ConfigMaps
    or in a database instead, which this fact does not cover.
    """

    items: tuple[HelmRevision, ...]
    ask: ClassVar[str] = "kubectl get secrets -n {name} -l owner=helm -L name,version,status"
