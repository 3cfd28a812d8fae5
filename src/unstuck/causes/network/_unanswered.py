"""A connection of a Pod's program to which no answer came."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unstuck.causes.program._told import READS as _TOLD
from unstuck.causes.program._told import ProgramMessage, find_program_messages, write_address
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node, make_container_ref, make_program_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

T = TypeVar("T")

READS: frozenset[type[Fact]] = _TOLD | {Containers}
ANSWERED = say("the next run gets its answer")


def find_unanswered(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    """Return the messages of programs that ended after an unanswered connection."""
    return find_program_messages(pod, snap, "connection-timed-out")


def has_own_network(pod: Ref, snap: Facts) -> Sign[Containers]:
    """Return whether the Pod has a network of its own."""
    return some(snap, Containers, pod, lambda f: [] if f.host_network else [f])


def make_signs(
    pod: Ref,
    snap: Facts,
    name: str,
    find: Callable[[Ref], Sign[T]],
    finding: Callable[[Ref, ProgramMessage, Sign[T]], Finding],
) -> Signs:
    """Return the signs of a fault of the Pod's Node that leaves connections unanswered. name: of the sign
    that `find` returns for that Node.
    """
    node = find_node(pod, snap)
    said = find_unanswered(pod, snap)
    kept: Sign[T] = find(node) if node else Sign(None, wants=(Want(Placement, pod),))
    explained: Sign[T] = all_of((said, kept)) if said.value else Sign(None)
    return Signs(
        necessary={
            "a program ended because no answer came to its connection": said,
            "the Pod has a network of its own": has_own_network(pod, snap),
            name: kept,
        },
        decisive={},
        supporting={name: explained},
        finding=lambda: finding(node or Ref("Node"), said.hits[0], kept),
    )


def list_blocked(pod: Ref, one: ProgramMessage) -> tuple[Ref, ...]:
    """Return the objects that wait for the answer: the program, its container and the Pod."""
    return make_program_ref(pod, one.run.name), make_container_ref(pod, one.run.name), pod


def name_server(one: ProgramMessage) -> Text:
    """Return ` to db:5432`, empty if the message does not name it."""
    to = write_address(one.complaint)
    return say(" to {to}", to=to) if to else NO_TEXT
