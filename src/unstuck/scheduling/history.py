"""Changes visible in the objects since Pods of this owner were last scheduled. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime

from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.history import History, NodeAge, Revision
from unstuck.facts.aspects.placing import PodShape

say = Messages(__name__)

_SHOWN = 3
# Fields of a template's Pods; Pod-specific fields, and fields without effect on placing, are left out.
_DEPENDS = (
    "requests",
    "node_selector",
    "node_affinity",
    "tolerations",
    "ports",
    "affinity",
    "anti_affinity",
    "spread",
    "volumes",
    "scheduler",
)
_NAMES: Mapping[str, str] = {
    "node_selector": "nodeSelector",
    "node_affinity": "nodeAffinity",
    "anti_affinity": "podAntiAffinity",
}


def describe_changes(history: History, labels: Mapping[str, Mapping[str, str]]) -> tuple[Text, ...]:
    """Return one sentence for each change, cluster-wide changes first. labels: of each Node, by its name.

    If no scheduled Pod of this owner is known, only the differences from its previous template are returned.
    """
    mine = next((r for r in history.revisions if r.name == (history.current or history.about.name)), None)
    since = history.fitted
    told = (
        [
            *_list_nodes(history, since),
            *_list_lost_labels(mine, labels),
            *_writes_to_older_nodes(history, since),
        ]
        if since and mine
        else []
    )
    return (*told, *_list_template(history, mine))


def _list_nodes(history: History, since: datetime) -> Iterator[Text]:
    new = sorted(
        (n for n in history.nodes if n.created and n.created > since), key=lambda n: (n.created, n.name)
    )
    if not new:
        return
    first, last = new[0].created, new[-1].created
    span = f"{_clock(first)}–{_clock(last)}" if _clock(first) != _clock(last) else _clock(first)
    old = [n for n in history.nodes if n not in new]
    before, now = _versions(old), _versions(new)
    more = f", {before} → {now}" if before and now and before != now else f", {now}" if now else ""
    yield say(
        "{span}  {new} of {total} Nodes were made since such Pods had theirs ({clock}){more}",
        span=span,
        new=len(new),
        total=len(history.nodes),
        clock=_clock(since),
        more=more,
    )


def _versions(nodes: list[NodeAge]) -> str:
    return ", ".join(sorted({n.kubelet for n in nodes if n.kubelet})[:_SHOWN])


def _list_lost_labels(mine: Revision | None, labels: Mapping[str, Mapping[str, str]]) -> Iterator[Text]:
    """Yield the selector's labels that have disappeared from all Nodes since the same template was last
    scheduled.
    """
    for key, value in mine.shape.node_selector if mine and labels else ():
        if not any(of.get(key) == value for of in labels.values()):
            yield say(
                (
                    "no Node carries {key}={value} any more; one of then did, for a Pod of the same "
                    "template was placed"
                ),
                key=key,
                value=value,
            )


def _writes_to_older_nodes(history: History, since: datetime) -> Iterator[Text]:
    """Yield writes since that time to labels or taints of Nodes created before it."""
    by: dict[str, list[tuple[datetime, str]]] = {}
    for node in history.nodes:
        for manager, at in node.written:
            if at > since and node.created and node.created <= since:
                by.setdefault(manager, []).append((at, node.name))
    for manager, rows in sorted(by.items()):
        at, names = max(rows)[0], sorted(n for _, n in rows)
        shown = ", ".join(names[:_SHOWN]) + (f" (+{len(names) - _SHOWN})" if len(names) > _SHOWN else "")
        yield say(
            "{clock}  {manager} wrote labels or taints of {count} Nodes: {shown}",
            clock=_clock(at),
            manager=manager,
            count=len(names),
            shown=shown,
        )


def _list_template(history: History, mine: Revision | None) -> Iterator[Text]:
    """Yield the differences from the previous template that affect placing."""
    before = [
        r for r in history.revisions if mine and r.created and mine.created and r.created < mine.created
    ]
    if not mine or not before:
        return
    last = before[-1]
    parts = [_NAMES.get(f, f) for f in _list_differences(mine.shape, last.shape)]
    if parts:
        what = ", ".join(parts)
        yield say(
            "{clock}  {mine} differs from {last} before it in {what}",
            clock=_clock(mine.created),
            mine=mine.name,
            last=last.name,
            what=what,
        )


def _list_differences(a: PodShape, b: PodShape) -> list[str]:
    return [f.name for f in fields(a) if f.name in _DEPENDS and getattr(a, f.name) != getattr(b, f.name)]


def _clock(at: datetime | None) -> str:
    return at.strftime("%m-%d %H:%MZ") if at else "?"
