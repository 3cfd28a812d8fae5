"""Objects in etcd that the API server cannot read, and whether anything can still be written."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record
from unstuck.facts.vocabulary.failures import UnreadableWord


@record(kw_only=True)
class Unreadable(Fact):
    """The object is stored, and the API server cannot decode it: its answer to a GET of it, or to a list that
    names its key.

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
    """The Lease renewed last among the Leases that the control plane or the Nodes renew every few seconds:
    `Ref("Cluster")`.

    renewed: None if there is none. lease: its name. Whole if all of one Namespace were seen.
    """

    renewed: datetime | None
    lease: Ref | None = None
    ask: ClassVar[str] = "kubectl get leases -A --sort-by=.spec.renewTime"
