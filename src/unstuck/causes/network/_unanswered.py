"""A connection of a Pod's program to which no answer came."""

from __future__ import annotations

from unstuck.causes.program._told import READS as _TOLD
from unstuck.causes.program._told import ProgramMessage, find_program_messages
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = _TOLD | {Containers}
ANSWERED = say("the next run gets its answer")


def find_unanswered(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    """Return what programs wrote that ended because no answer came to a connection."""
    return find_program_messages(pod, snap, "connection-timed-out")


def has_own_network(pod: Ref, snap: Facts) -> Sign[Containers]:
    """Return whether the Pod has a network of its own."""
    return some(snap, Containers, pod, lambda f: [] if f.host_network else [f])


def name_server(one: ProgramMessage) -> Text:
    """Return ` to db:5432`, empty where the words do not name it."""
    said = one.complaint
    to = f"{said.name}:{said.port}" if said.name and said.port else said.name
    return say(" to {to}", to=to) if to else NO_TEXT
