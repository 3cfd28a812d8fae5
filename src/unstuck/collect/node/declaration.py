"""The declaration of a fact that is observed on a node: its reader, its cost, its needs and its tenants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record

# Of the shell script's stream; see `collect.sh`.
Section = Literal[
    "host",
    "processes",
    "mounts",
    "daemon",
    "pod",
    "flags",
    "holds",
    "again",
    "logs",
    "sockets",
    "plugins",
    "runtimes",
    "health",
    "space",
    "filter",
    "settings",
    "units",
    "leaked",
    "older",
    "asked",
]
# either: about the Node only if the question is not about a Pod. on-request: it costs more than it is worth,
# unless it is asked for.
Surveyed = Literal["always", "either", "on-request"]
# Of the NodeView: slow answers to wait for while the rest is read. watch: the first of two looks; the others:
# sockets that may stay silent.
Begun = Literal["watch", "runtimes", "statuses"]
# all: it is about the node itself, not a tenant. owner: facts about a Pod go to users who may see that Pod,
# those about a Node to no tenant.
Tenants = Literal["all", "owner"]


@record(kw_only=True)
class NodeObservable(Record):
    """One fact that a node reports. None: not declared yet; until then as little as possible is reported and
    concluded.

    readers: for each kind of subject a function in a module of this package, such as `pods.mounts`. It takes
    the NodeView, and the Ref if that is not the Node; it returns facts, or None if there are none. missing:
    the reason why the fact may be missing here. surveyed: whether a survey reads it. begins: the function to
    start before any reading. script: the sections of the shell script that the fact needs to be whole; ()
    means that it is never whole, as the script asks for less than a collector on the node does. tenants: the
    users who may receive it from the agent.
    """

    fact: type[Fact]
    readers: Mapping[str, str]
    extent: str = ""
    missing: str | None = None
    surveyed: Surveyed = "always"
    begins: Begun | None = None
    script: tuple[Section, ...] | None = None
    tenants: Tenants | None = None
