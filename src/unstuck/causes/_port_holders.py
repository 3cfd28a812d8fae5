"""The process that holds a TCP port wanted by another, and how an answer names it."""

from __future__ import annotations

from datetime import datetime

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.sockets import PortHolder, PortHolders
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def find_port_holders(about: Ref, port: int, snap: Facts, since: datetime | None) -> Sign[PortHolder]:
    """Return the processes that listen on a TCP port of the network of a Node or a Pod.

    since: the time when the port was wanted, UTC, if known: a process that started later was not in the way.
    """
    return some(
        snap, PortHolders, about, lambda f: [h for h in f.items if h.port == port and _existed_at(h, since)]
    )


def _existed_at(holder: PortHolder, at: datetime | None) -> bool:
    return at is None or holder.proc.start is None or holder.proc.start <= at


def name_holder(holder: PortHolder) -> Text:
    """Return the owner of the process: a Pod, a unit of the node, or just its pid and name."""
    return name_process(holder.proc, holder.pod)


def name_process(proc: Proc, pod: Ref | None) -> Text:
    """Return the name of a process with that of its Pod, else of its unit, if any."""
    if owner := who(pod) if pod else proc.unit:
        return say("{comm} (pid {pid}) of {owner}", comm=proc.comm, pid=proc.pid, owner=owner)
    return say("{comm} (pid {pid})", comm=proc.comm, pid=proc.pid)


def look_at_holder(holder: PortHolder, where: str) -> Step:
    """Return the step that shows the holder's purpose. where: the node, as a step names it."""
    return Step(
        say("see what {holder} is for", holder=name_holder(holder)), where=where, command=_look(holder)
    )


def _look(holder: PortHolder) -> Command:
    unit = holder.proc.unit or ""
    if not holder.pod and unit.endswith(".service"):
        return command("systemctl status {unit}", unit=given.unit(unit))
    return command("ps -f -p {pid}", pid=given.number(holder.proc.pid))
