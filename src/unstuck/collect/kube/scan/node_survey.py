"""Surveys the Nodes by their table and their Leases."""

from __future__ import annotations

from datetime import timedelta

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.scan import full_lists, tables, triage
from unstuck.collect.kube.transport.parallel import BackgroundCall
from unstuck.collect.kube.transport.session import Session
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref, Refused
from unstuck.facts.record import Record, record
from unstuck.facts.unasked import make_unasked

# node-monitor-grace-period is 40 s (50 s from 1.32): a Node with an older lease becomes NotReady.
_STALE = timedelta(seconds=40)
# Up to this number of Nodes all are read, of more only their rows: one is about 10 kB, most of it the names
# of its images.
_NODES_IN_FULL = 100


@record()
class SurveyedNodes(Record):
    """Nodes by their table and their Leases. down: not Ready, or not for long; None: not known. cordoned:
    Ready all the same.

    count: of all Nodes.
    """

    table: tables.Table
    down: frozenset[str] | None
    cordoned: tuple[str, ...] = ()
    count: int = 0


def survey_nodes(session: Session) -> SurveyedNodes:
    """Find the Nodes that are not Ready, or whose Lease shows that they will not be for long."""
    renewed = BackgroundCall(lambda: tables.renewals(session, kind_named("Lease")))
    found = tables.table(session, kind_named("Node"), None)
    leases = renewed.wait()
    if not found.ok:
        return SurveyedNodes(found, None)
    at, bare = found.at["NAME"], found.without_rows()
    late = {n for n, renewed_at in leases.items() if found.read.at - renewed_at > _STALE}
    shown = [
        (str(row[at]), state)
        for row, state in zip(found.rows, triage.judge_rows("Node", found.at, found.rows), strict=True)
    ]
    down = frozenset(name for name, state in shown if not state.fine or name in late)
    return SurveyedNodes(
        bare, down, tuple(sorted(name for name, state in shown if state.stopped)), len(shown)
    )


def find_reporting(session: Session, count: int) -> tuple[frozenset[str], list[Refused]]:
    """Find the Nodes that report a condition beside Ready, which no row shows; with refusals. count: of all
    Nodes.
    """
    if count > _NODES_IN_FULL:
        return frozenset(), [make_unasked(Conditions, Ref("NodeList"), "scan")]
    refs, facts = full_lists.read_kind(session, kind_named("Node"), None)
    return frozenset(r.name for r in refs if r.name), [f for f in facts if isinstance(f, Refused)]
