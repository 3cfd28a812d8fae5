"""Counterparts of monitors that tell Prometheus what to scrape (prometheus-operator monitoring/v1)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.pairs_tools import name_of
from unstuck.collect.kube.questions.selected import (
    MONITORS,
    is_selected,
    list_monitor_ports,
    list_monitored,
    list_port_names,
)
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

_MOST = 12


def read_monitor_ports(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the names of the ports that a monitor asks for with those of what it selects."""
    of, rows = MONITORS[about.kind]
    found = list_monitored(session, about, obj)
    if not found.read.reply.ok or not found.whole:
        return
    mine = [i for i in found.items if is_selected(about.kind, obj, i)]
    there = tuple(dict.fromkeys(name for i in mine for name in list_port_names(i)))
    theirs = "spec.ports[].name" if of == "Service" else "spec.containers[].ports[].name"
    for name in list_monitor_ports(about.kind, obj) if mine else ():
        yield Counterpart(
            "monitor-port",
            about,
            f"spec.{rows}[].port",
            name,
            of,
            tuple(name_of(i, of) for i in mine[:_MOST]),
            theirs,
            there,
        )
