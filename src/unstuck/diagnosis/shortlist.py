"""The open causes worth telling, and the commands that decide between them: part of an answer in every
format.
"""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.verdict import DoNot
from unstuck.facts.record import Record, record

# Unreached: the access method does not exist there, which is worth a line only if it would have been needed.
NOT_THERE = ("absent", "version", "not-agreed", "no-image")


@record()
class Place(Record):
    """One stage that the subject may have reached. stage: its id, "" for a cause without one. causes: ids
    of open causes, best first.
    """

    stage: str
    causes: tuple[str, ...]


@record()
class Look(Record):
    """One deciding command. on: "node" if it runs there, "api" otherwise. node: that Node's name, "" if
    unknown.

    instead: how to look at that node from here; None without a further proposal.
    """

    on: Literal["node", "api"]
    command: Command
    node: str = ""
    instead: Command | None = None


@record()
class Shortlist(Record):
    """The open causes worth reporting to a person. places: in the order of the line of stages. more: how many
    other causes are open.

    only_nodes: whether all missing facts are on nodes. looks: at most one for each node, then those at the
    API server. do_not: harmful while it is undecided; empty once a cause is known.
    """

    places: tuple[Place, ...] = ()
    more: int = 0
    only_nodes: bool = False
    looks: tuple[Look, ...] = ()
    do_not: tuple[DoNot, ...] = ()

    @property
    def asks_nodes(self) -> bool:
        """Whether it sends the reader to a node."""
        return any(look.on == "node" for look in self.looks)


NONE = Shortlist()
