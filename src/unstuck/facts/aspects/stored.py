"""Objects in etcd that the API server cannot read, and whether writes still succeed."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record
from unstuck.facts.vocabulary.failures import UnreadableWord


@record(kw_only=True)
class Unreadable(Fact):
    """A stored object that the API server cannot decode, by its answer to a GET request, or to a list that
    names the key.

    about: the object; a list (`Ref("SecretList", NAMESPACE)`) if the message names none of its objects. key:
    its key in etcd, "" if it is not named. message: the server's words. Not whole: another component quotes
    them.
    """

    error: UnreadableWord
    key: str = ""
    message: str = ""
    ask: ClassVar[str] = "kubectl get {object} {space}"


@record(kw_only=True)
class LastWrite(Fact):
    """The most recently renewed Lease among those of the control plane and the Nodes, which are renewed every
    few seconds: `Ref("Cluster")`.

    renewed: None without a Lease. lease: its name. Whole if all of one Namespace were seen.
    """

    renewed: datetime | None
    lease: Ref | None = None
    ask: ClassVar[str] = "kubectl get leases -A --sort-by=.spec.renewTime"
