"""Finds selectors that match nothing, in the rules of a NetworkPolicy and in webhooks.

Sources: networking/v1 NetworkPolicyPeer, admissionregistration/v1 namespaceSelector (Kubernetes 1.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.questions.policies import list_directions
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.aspects.references import DeadSelector
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds, write_requirement
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.kinds import WEBHOOK_CONFIGURATIONS

_SPACE, _PODS = ("Namespace",), ("Pod",)
_MAKERS = ("Deployment", "StatefulSet", "DaemonSet")
_DIRECTIONS = (("Ingress", "ingress", "from"), ("Egress", "egress", "to"))
_SPACES, _SHOWN = 8, 4
_Requirements = tuple[Requirement, ...]


@record()
class _Labelled(Record):
    """The candidates of a selector: objects of one kind, or templates of such objects, with their labels.
    whole: all of them were listed.
    """

    of: str
    labels: tuple[tuple[tuple[str, str], ...], ...]
    whole: bool


def find_dead_selectors(session: Session, about: Ref, obj: doc.Doc) -> tuple[DeadSelector, ...]:
    """Return the selectors within an object that certainly match nothing."""
    if not any("namespaceSelector" in part or "podSelector" in part for part in _list_parts(obj)):
        return ()
    spaces = _list_labels(session, _SPACE, None)
    if not spaces.whole:
        return ()
    if about.kind in WEBHOOK_CONFIGURATIONS:
        return tuple(_find_dead_webhooks(obj, spaces))
    directions = list_directions(obj)
    return tuple(
        one
        for direction, rules, peers in _DIRECTIONS
        if direction in directions
        for one in _find_dead_peers(session, about, obj, (rules, peers), spaces)
    )


def _list_parts(obj: doc.Doc) -> Iterator[doc.Doc]:
    """Yield the parts of an object that may have selectors: webhooks, or peers of a policy's rules."""
    yield from doc.rows(obj, "webhooks")
    for _, rules, peers in _DIRECTIONS:
        for rule in doc.rows(obj, "spec", rules):
            yield from doc.rows(rule, peers)


def _find_dead_webhooks(obj: doc.Doc, spaces: _Labelled) -> Iterator[DeadSelector]:
    rows = doc.rows(obj, "webhooks")
    for i, row in enumerate(rows):
        asked = _read_requirements(row, "namespaceSelector")
        if asked and not _find_matches(asked, spaces):
            yield _make_dead(f"webhooks[{i}].namespaceSelector", asked, spaces, alone=len(rows) == 1)


def _find_dead_peers(
    session: Session, about: Ref, obj: doc.Doc, names: tuple[str, str], spaces: _Labelled
) -> Iterator[DeadSelector]:
    rules, peers = names
    found, alive = list[DeadSelector](), False
    for i, rule in enumerate(doc.rows(obj, "spec", rules)):
        alternatives = doc.rows(rule, peers)
        alive = alive or not alternatives
        for j, peer in enumerate(alternatives):
            dead = _judge_peer(session, about, peer, f"spec.{rules}[{i}].{peers}[{j}]", spaces)
            if dead is None:
                alive = True
            else:
                found.append(dead)
    for one in found:
        yield DeadSelector(one.field, one.of, one.selector, one.others, alone=not alive)


def _judge_peer(
    session: Session, about: Ref, peer: doc.Doc, field: str, spaces: _Labelled
) -> DeadSelector | None:
    """Return the dead selector of a peer that matches nothing; None for a peer that matches, or may."""
    if doc.section(peer, "ipBlock"):
        return None
    of_spaces = _read_requirements(peer, "namespaceSelector")
    chosen: Sequence[str | None] = [about.within]
    if "namespaceSelector" in peer:
        chosen = _find_matches(of_spaces, spaces)
        if not chosen:
            return _make_dead(f"{field}.namespaceSelector", of_spaces, spaces, alone=False)
    of_pods = _read_requirements(peer, "podSelector")
    if not of_pods or len(chosen) > _SPACES:
        return None
    # The workloads are asked for only if no existing Pod matches.
    pods = _list_of_spaces(session, _PODS, chosen)
    if not pods.whole or _find_matches(of_pods, pods):
        return None
    pods = _list_of_spaces(session, (*_PODS, *_MAKERS), chosen)
    if not pods.whole or _find_matches(of_pods, pods):
        return None
    return _make_dead(f"{field}.podSelector", of_pods, pods, alone=False)


def _list_of_spaces(session: Session, kinds: Sequence[str], spaces: Sequence[str | None]) -> _Labelled:
    listed = run_each(lambda space: _list_labels(session, kinds, space), spaces)
    return _Labelled(kinds[0], tuple(p for one in listed for p in one.labels), all(o.whole for o in listed))


def _list_labels(session: Session, kinds: Sequence[str], space: str | None) -> _Labelled:
    """Return the labels of the objects of the first kind, and the labels in the templates of the others."""
    listed = run_each(lambda name: session.listing(kind_named(name), space), kinds)
    rows = [
        _read_labels(item, () if kind == kinds[0] else ("spec", "template"))
        for kind, found in zip(kinds, listed, strict=True)
        for item in found.items
    ]
    whole = all(found.read.reply.ok and found.whole for found in listed)
    return _Labelled(kinds[0], tuple(rows), whole)


def _read_labels(item: doc.Doc, path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    # Behind an empty key, which no label has, its name.
    return (("", doc.text(item, "metadata", "name")), *doc.pairs(item, *path, "metadata", "labels"))


def _read_requirements(row: doc.Doc, field: str) -> _Requirements:
    found = read_selector(row, field)
    return found.requirements if found else ()


def _find_matches(asked: _Requirements, there: _Labelled) -> list[str | None]:
    """Return the names of the objects that meet all requirements."""
    rows = (dict(labels) for labels in there.labels)
    return [row[""] for row in rows if all(holds(r, row) for r in asked)]


def _make_dead(field: str, asked: _Requirements, there: _Labelled, *, alone: bool) -> DeadSelector:
    return DeadSelector(
        field,
        there.of,
        ",".join(map(write_requirement, asked)),
        tuple(_list_others(asked, there))[:_SHOWN],
        alone=alone,
    )


def _list_others(asked: _Requirements, there: _Labelled) -> list[str]:
    """Return the nearest existing labels: first the same value under another key, then another value of the
    same key.
    """
    keys, values = {r.key for r in asked}, {v for r in asked for v in r.values}
    pairs = dict.fromkeys(p for labels in there.labels for p in labels if p[0])
    same = [p for p in pairs if p[0] in keys or p[1] in values]
    return [f"{key}={value}" for key, value in sorted(same, key=lambda p: p[1] not in values)]
