"""Tells whether a subject waits for its kubelet at all: the precondition of the kubelet and Node causes."""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay, negate, some, unless_no
from unstuck.facts.aspects.cluster import NodeNames
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import is_terminal
from unstuck.facts.lookup import Facts
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.node import is_silent
from unstuck.stages.pod_deletion import has_final_delete

_CLUSTER = Ref("Cluster")


def find_node_under(subject: Ref, snap: Facts) -> Sign[Ref]:
    """Find the Node itself, or the Pod's Node; no for a Pod that is bound to none."""
    if subject.kind == "Node":
        return Sign(True, (snap.canon(subject),))
    return some(snap, Placement, subject, lambda f: [snap.canon(f.node)] if f.node else [])


def waits_for_kubelet(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the subject still waits for its kubelet.

    A Pod being deleted waits until the kubelet's final DELETE, a starting Pod until it is Ready; a Node
    always waits.
    """
    if subject.kind == "Node":
        return Sign(True)
    ending = is_being_deleted(subject, snap)
    if ending is None:
        return Sign(None, wants=(Want(Deletion, subject),))
    if ending:
        return negate(has_final_delete(subject, snap))
    if not snap.of(Phase, subject):
        return Sign(None, wants=(Want(Phase, subject),))
    if is_terminal(subject, snap):
        return Sign(False, seen=snap.of(Phase, subject))
    pending = some(snap, Phase, subject, lambda f: [f] if f.phase == "Pending" else [])
    not_ready = some(
        snap, Conditions, subject, lambda f: [c for c in f.items if c.type == "Ready" and c.status != "True"]
    )
    signs: list[Sign[Any]] = [pending, not_ready]
    return any_of(signs)


def may_wait_for_lost_node(subject: Ref, snap: Facts) -> Sign[Any]:
    """Return no for a subject that waits for no kubelet, or whose Node reports and shows no trouble: no
    daemon's state, no failure, no proof of its absence. All causes of a lost Node need this.
    """
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    known: tuple[object, ...] = (
        (snap.of(DaemonState, node), snap.of(Failure, node), is_node_absent(node, snap).value) if node else ()
    )
    waits = unless_no(under, waits_for_kubelet(subject, snap))
    return waits if any(known) else unless_no(waits, is_quiet(subject, snap))


def is_node_absent(node: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the server has no Node of this name, because it was asked for it or told all Nodes."""
    got = some(snap, Presence, node, lambda f: [] if f.exists else [f])
    listed = some(
        snap,
        NodeNames,
        _CLUSTER,
        lambda f: [] if not f.whole or node.name in {r.name for r in f.refs} else [f],
    )
    yes = any_of([got, listed])
    return yes if yes.value else got if got.value is not None else listed if listed.value is not None else got


def had_node(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether a Pod's Node was there once: a scheduler bound it (the API server writes that), or a
    kubelet began with it; a Node was.
    """
    if subject.kind == "Node":
        return Sign(True)
    bound = some(
        snap,
        Conditions,
        subject,
        lambda f: [c for c in f.items if c.type == "PodScheduled" and c.status == "True"],
    )
    started = some(snap, Life, subject, lambda f: [f] if f.started else [])
    begun = some(snap, ContainerStatuses, subject, lambda f: [s for s in f.items if s.state != "none"])
    left = some(snap, Phase, subject, lambda f: [f] if f.phase != "Pending" else [])
    signs: list[Sign[Any]] = [bound, started, begun, left]
    return any_of(signs)


def reports(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the subject's Node reports, so its containers' statuses are as recent as the last
    report.
    """
    under = find_node_under(subject, snap)
    return negate(is_silent(under.hits[0], snap)) if under.hits else Sign(None, wants=under.wants)


def is_quiet(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the subject's Node has stopped reporting, by its own state or by its Pod's phase
    (`NodeLost`).
    """
    under = find_node_under(subject, snap)
    lost = hearsay(snap, Phase, subject, lambda f: [f] if f.reason == "NodeLost" else [])
    return accept_hearsay(is_silent(under.hits[0], snap) if under.hits else Sign(None), lost)
