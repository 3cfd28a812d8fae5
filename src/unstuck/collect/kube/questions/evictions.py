"""Finds the Pods of a Node that could not be evicted now, by the budgets that select them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from unstuck.collect.kube.questions.below import label_selector
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.disruption import Evictions, Guarded
from unstuck.facts.core import Fact, Ref, Want

_MIRROR = "kubernetes.io/config.mirror"
_SHOWN = 20


def evictions(session: Session, want: Want) -> list[Fact]:
    """Return one list of budgets, the Node's Pods, and the Pods of each budget in the way (five at most)."""
    node = want.about
    if node.kind != "Node" or not node.name:
        return [make_unanswered(want, "not-asked", "only a Node is drained")]
    budgets = session.listing(kind_named("PodDisruptionBudget"), None)
    pods = session.listing(
        kind_named("Pod"),
        None,
        {"fieldSelector": field_requirement("spec.nodeName", node.name or ""), "resourceVersion": "0"},
    )
    for found in (budgets, pods):
        if not found.read.reply.ok:
            return [make_refused(want, found.read)]
    none_left = [b for b in budgets.items if (doc.whole_number(b, "status", "disruptionsAllowed") or 0) <= 0]
    drained = [pod for pod in pods.items if _is_drained(pod)]
    selecting = {_key(pod): tuple(b for b in budgets.items if _selects(b, pod)) for pod in drained}
    several = {pod: those for pod, those in selecting.items() if len(those) > 1}
    # eviction.go asks for how many there are before it looks at any of them.
    held = [(pod, several[_key(pod)][0]) for pod in drained if _key(pod) in several]
    held += [
        (pod, budget)
        for pod in drained
        if _key(pod) not in several
        for budget in none_left
        if _guards(budget, pod)
    ]
    guards = {_key(b): b for _, b in held}
    unready = dict(
        zip(guards, run_each(lambda b: _find_unready(session, b), list(guards.values())[:5]), strict=False)
    )
    items = tuple(
        g
        for pod, b in held
        if (g := _find_guarded(pod, b, unready.get(_key(b), ()), several.get(_key(pod), ())[1:]))
    )[:_SHOWN]
    shown = ", ".join(f"{g.pod.name} by {g.budget.name}" for g in items[:5]) or "none"
    src = budgets.read.src(f"Pods of {node.name} that may not be evicted: {shown}")
    return [Evictions(about=node, src=src, items=items, whole=budgets.whole and pods.whole)]


def _key(budget: doc.Doc) -> tuple[str, str]:
    return doc.text(budget, "metadata", "namespace"), doc.text(budget, "metadata", "name")


def _is_drained(pod: doc.Doc) -> bool:
    """Tell whether a drain has to evict the Pod: not Pods of DaemonSets, mirror Pods, or Pods that have
    ended or never ran.
    """
    owners = {
        doc.text(o, "kind") for o in doc.rows(pod, "metadata", "ownerReferences") if doc.flag(o, "controller")
    }
    mirror = doc.text(pod, "metadata", "annotations", _MIRROR)
    return (
        doc.text(pod, "status", "phase") == "Running"
        and not doc.text(pod, "metadata", "deletionTimestamp")
        and not mirror
        and "DaemonSet" not in owners
    )


def _guards(budget: doc.Doc, pod: doc.Doc) -> bool:
    if not _selects(budget, pod):
        return False
    if _is_ready(pod):
        return True
    healthy, desired = (
        doc.whole_number(budget, "status", k) or 0 for k in ("currentHealthy", "desiredHealthy")
    )
    return (
        doc.text(budget, "spec", "unhealthyPodEvictionPolicy") != "AlwaysAllow" and not healthy >= desired > 0
    )


def _is_ready(pod: doc.Doc) -> bool:
    return any(
        doc.text(c, "type") == "Ready" and doc.text(c, "status") == "True"
        for c in doc.rows(pod, "status", "conditions")
    )


def _selects(budget: doc.Doc, pod: doc.Doc) -> bool:
    """Tell whether it selects the Pod. An empty selector selects every Pod of its Namespace (policy/v1), a
    missing one none.
    """
    if doc.text(budget, "metadata", "namespace") != doc.text(pod, "metadata", "namespace"):
        return False
    selector, labels = doc.at(budget, "spec", "selector"), dict(doc.pairs(pod, "metadata", "labels"))
    if selector is None:
        return False
    if any(labels.get(k) != v for k, v in doc.pairs(selector, "matchLabels")):
        return False
    return all(_fits(row, labels) for row in doc.rows(selector, "matchExpressions"))


def _fits(row: doc.Doc, labels: dict[str, str]) -> bool:
    key, values = doc.text(row, "key"), doc.strings(row, "values")
    told = {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }
    return told.get(doc.text(row, "operator"), False)


def _find_unready(session: Session, budget: doc.Doc) -> tuple[Ref, ...]:
    """Return the Pods that the budget counts and that are not Ready; none if there are none or they may
    not be read.
    """
    selector = label_selector(doc.section(budget, "spec", "selector"), "PodDisruptionBudget")
    found = session.listing(
        kind_named("Pod"), _key(budget)[0], {"labelSelector": selector} if selector else {}, most=1
    )
    return tuple(r for p in found.items if not _is_ready(p) and _selects(budget, p) and (r := ref_of(p)))[:5]


def _find_guarded(
    pod: doc.Doc, budget: doc.Doc, unready: tuple[Ref, ...], besides: Sequence[doc.Doc]
) -> Guarded | None:
    who, guard = ref_of(pod), ref_of(budget)
    if who is None or guard is None:
        return None
    healthy, desired, expected = (
        doc.whole_number(budget, "status", k) or 0
        for k in ("currentHealthy", "desiredHealthy", "expectedPods")
    )
    others = tuple(r for b in besides if (r := ref_of(b)))
    return Guarded(
        who,
        guard,
        healthy,
        desired,
        expected,
        () if others else unready,
        None if others else _find_disallowed_since(budget),
        others,
    )


def _find_disallowed_since(budget: doc.Doc) -> datetime | None:
    """Return `DisruptionAllowed=False` and since when (staging/src/k8s.io/api/policy/v1/types.go)."""
    conditions = doc.rows(budget, "status", "conditions")
    found = (
        c
        for c in conditions
        if doc.text(c, "type") == "DisruptionAllowed" and doc.text(c, "status") == "False"
    )
    return next((doc.time(c, "lastTransitionTime") for c in found), None)
