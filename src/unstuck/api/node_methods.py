"""The methods of access to a node, as `node_access.py` uses them, and a machine without any."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot


class AccessMethod(Protocol):
    """A method of access to a node."""

    @property
    def name(self) -> str:
        """The method's name, one word."""

    @property
    def any_node(self) -> bool:
        """Whether it reaches every node, and not one host alone."""

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Return all facts of the node about itself and about this Pod; never raises.

        pod: with Namespace, name and uid. deadline: seconds. since: the time of its deletion request, for the
        logs around it. A failure is an `Unreached`, or a `Refused` with reason and message.
        """

    def close(self) -> None:
        """Remove what it has created in the cluster. Never raises."""


@runtime_checkable
class AnswersWants(Protocol):
    """An access method with support for single questions: about a path, a process, a word."""

    @property
    def name(self) -> str:
        """The method's name, one word."""

    def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
        """Return the facts, or a `Refused` each; [] without an answer. Never raises."""


class Here(Protocol):
    """A reader of this machine, with a separate answer to each question."""

    @property
    def source(self) -> str:
        """The machine's name in Snapshots."""

    @property
    def node(self) -> str:
        """The Node's name."""

    def collect(self, wants: Sequence[Want]) -> list[Fact]:
        """Return an answer to each Want."""

    def touch(self, pod_uid: str | None) -> list[Fact]:
        """Touch the network and FUSE file systems of one Pod, or of the node, and return the results."""


@record()
class SilentNode(Record):
    """A machine whose Node is unknown, or was not found out in time: it may be the node in question, and
    answers nothing.

    detail: the reason, in words.
    """

    why: WhyOpen
    detail: str
    node: str = ""
    source: str = ""

    def collect(self, wants: Sequence[Want]) -> list[Fact]:
        """Return a Refused for each Want."""
        src = Source("node")
        return [
            Refused(about=w.about, src=src, want=w.fact.__name__, why=self.why, detail=self.detail)
            for w in wants
        ]

    def touch(self, pod_uid: str | None) -> list[Fact]:
        """Return nothing: the Pod's presence on this machine is unknown."""
        del pod_uid
        return []


class AccessByConsent(Protocol):
    """An access method that requires consent."""

    @property
    def name(self) -> str:
        """The method's name, one word."""

    def split_by_consent(self, nodes: Sequence[str], snap: Snapshot) -> tuple[list[str], list[Unreached]]:
        """Return the permitted nodes, and the reason against each other node."""

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Look as an `AccessMethod` does."""

    def close(self) -> None:
        """Close as an `AccessMethod` does."""
