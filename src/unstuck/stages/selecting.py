"""Checks whether the selector of a policy, a budget, a class, a volume or a DaemonSet matches anything: an
object that selects nothing has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.references import DeadSelector, Selectors, Selects
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import WEBHOOK_CONFIGURATIONS
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

SELECTING = (
    "NetworkPolicy",
    "PodDisruptionBudget",
    "RuntimeClass",
    "PersistentVolume",
    "StorageClass",
    "DaemonSet",
    "ServiceMonitor.monitoring.coreos.com",
    "PodMonitor.monitoring.coreos.com",
)
# Kinds whose rules have selectors of their own.
WITH_RULES = ("NetworkPolicy", *WEBHOOK_CONFIGURATIONS)
# These labels have few possible values, so that a similar value is no misspelling (k8s.io/api core/v1
# well_known_labels.go).
_OF_MACHINES = ("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch")
_MACHINES = frozenset(["linux", "windows", "amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64"])
_EQUALS = regex(r"[^\s,=!()]+=[^\s,=!()]+")
_ALIKE = 0.75


def find_empty_selection(ref: Ref, snap: Facts) -> Sign[Selects]:
    """Tell whether the selector matches nothing, not even future Pods; unknown if it was not checked.

    A DaemonSet for Nodes that this cluster lacks is normal: only a label that looks misspelt counts.
    """
    if ref.kind == "DaemonSet":
        wanted = tuple(f for f in snap.of(Workload, ref) if f.wanted)
        if wanted:
            return Sign(False, seen=wanted)
    seen = tuple(f for f in snap.of(Selects, ref) if f.whole)
    empty = tuple(f for f in seen if not f.count and not f.templates and f.selector)
    if ref.kind == "DaemonSet":
        empty = tuple(f for f in empty if find_near_labels(f))
    return Sign(bool(empty), empty, seen) if seen else Sign(None)


def find_near_labels(fact: Selects) -> tuple[str, ...]:
    """Return the existing labels that resemble a selected one: the same key with a similarly spelt value."""
    return list_near_labels(fact.selector, fact.others)


def list_near_labels(selector: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in `others` that resemble a label of the selector."""
    asked = dict(part.split("=", 1) for part in _EQUALS.findall(selector))
    found = []
    for label in others:
        key, _, value = label.partition("=")
        wanted = asked.get(key, "")
        meant = key in _OF_MACHINES and wanted in _MACHINES
        if wanted and value and not meant and get_close_matches(wanted.lower(), (value.lower(),), 1, _ALIKE):
            found.append(label)
    return tuple(found)


def find_dead_rules(ref: Ref, snap: Facts) -> Sign[DeadSelector]:
    """Tell whether a selector within its rules matches nothing, so that the object has no effect or an
    existing object has nearly the same labels.

    A policy may have further peers, and a webhook's Namespaces opt in by a label that none may carry: both
    are normal.
    """
    seen = tuple(f for f in snap.of(Selects, ref) if f.whole)
    dead = tuple(
        d
        for f in seen
        for d in f.dead
        if (d.alone and ref.kind == "NetworkPolicy") or list_near_labels(d.selector, d.others)
    )
    return Sign(bool(dead), dead, seen) if seen else Sign(None)


def judge_selected(ref: Ref, snap: Facts, state: State) -> State:
    """Judge an object without a status of its own that exists to be selected by its labels. state: its state
    without that.
    """
    if not state.unjudged or "." not in ref.kind:
        return state
    seen = next((f for f in snap.of(Selectors, ref) if f.whole), None)
    if seen is None:
        return replace(state, wants=(*state.wants, Want(Selectors, ref)))
    if taken := next((s for s in seen.items if s.takes), None):
        return add_headline(ref, "fine", say("{of} selects it", of=who(taken.of)), evidence=(seen,))
    if not seen.items:
        return state
    says = say(
        "no one selects it: {of} selects {selector}",
        of=who(seen.items[0].of),
        selector=seen.items[0].selector or "*",
    )
    return add_headline(ref, "unknown", says, evidence=(seen,))


def judge_selection(ref: Ref, snap: Facts, state: State) -> State:
    """Judge an otherwise healthy object by its selection. state: its state without that."""
    if ref.kind not in (*SELECTING, *WITH_RULES) or state.name != "fine" or not _is_idle(ref, snap):
        return state
    seen = next((f for f in snap.of(Selects, ref) if f.whole), None)
    if seen is None:
        known = _open_choice(ref, snap) or state
        return replace(known, wants=(*state.wants, Want(Selects, ref)))
    if find_empty_selection(ref, snap).value:
        says = say("selects no {of}: {selector}", of=seen.of, selector=seen.selector)
        return add_headline(ref, "unknown", says, evidence=(seen,))
    if (rules := find_dead_rules(ref, snap)).value:
        one = rules.hits[0]
        says = say(
            "its {field} selects no {of}: {selector}", field=one.field, of=one.of, selector=one.selector
        )
        return add_headline(ref, "unknown", says, evidence=(seen,))
    if ref.kind in WEBHOOK_CONFIGURATIONS:
        return _tell_uncalled(ref, seen) if seen.dead and all(d.alone for d in seen.dead) else state
    if ref.kind == "DaemonSet" and seen.selector:
        return add_headline(ref, "fine", _tell_nodes(seen), evidence=(seen,))
    if seen.lost:
        says = say("asks for port {lost}, which no selected {of} has", lost=list_names(seen.lost), of=seen.of)
        return add_headline(ref, "unknown", says, evidence=(seen,))
    if not state.unjudged or "." in ref.kind:
        # A monitor's own selectors are checked as well.
        return state
    many = say("selects {count} {count:Pod|Pods}", count=seen.count)
    says = many if seen.of == "Pod" else say("selects {count} {count:Node|Nodes}", count=seen.count)
    if seen.templates:
        says = say("selects no Pod now; {maker} makes such", maker=who(seen.templates[0]))
    elif seen.names:
        says += say(" ({names})", names=list_names(seen.names))
    return add_headline(ref, "fine", says, evidence=(seen,))


def _tell_uncalled(ref: Ref, seen: Selects) -> State:
    """Return the state of webhooks of which none is called: Namespaces may opt in later."""
    one = seen.dead[0]
    says = say(
        "is not called for anything now: no Namespace has {selector} of its {field}",
        selector=one.selector,
        field=one.field,
    )
    return add_headline(ref, "fine", says, evidence=(seen,))


def _is_idle(ref: Ref, snap: Facts) -> bool:
    """Tell whether its selection is in question: a DaemonSet's only if it wants no Pod at all."""
    return ref.kind != "DaemonSet" or any(not f.wanted for f in snap.of(Workload, ref))


def _open_choice(ref: Ref, snap: Facts) -> State | None:
    """Return the state of a DaemonSet that wants no Pod and whose Node labels were not compared yet; None for
    any other object.
    """
    told = [f for f in snap.of(Workload, ref) if ref.kind == "DaemonSet"]
    labels = [
        f"{key}={value}"
        for f in told
        for key, value in f.chosen
        if not (key in _OF_MACHINES and value in _MACHINES)
    ]
    labels += [key for f in told for key, _, _ in f.requirements or () if key not in _OF_MACHINES]
    if not labels:
        return None
    says = say("wants no Pod; whether a Node has {labels} was not compared", labels=list_names(labels))
    return add_headline(ref, "unknown", says, evidence=tuple(told))


def _tell_nodes(seen: Selects) -> Text:
    if seen.count:
        return say(
            "wants no Pod: it asks for {selector}, and the {count} {count:Node|Nodes} with that may have "
            "taints that it does not tolerate",
            selector=seen.selector,
            count=seen.count,
        )
    return say("wants no Pod: no Node has {selector}, which it asks for", selector=seen.selector)
