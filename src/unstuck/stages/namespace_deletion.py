"""The deletion of a Namespace (pkg/controller/namespace/deletion/namespaced_resources_deleter.go,
Kubernetes 1.16–1.34).
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.cluster import Contents, Discovery
from unstuck.facts.aspects.objects import Below, Conditions, Presence
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.line import StageStep, order_stages
from unstuck.stages.pod_deletion import has_no_finalizers

say = Messages(__name__)
CLUSTER = Ref("Cluster")


def trace_namespace_deletion(ns: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Return the line of a Namespace whose deletion was requested. From 1.33 on the conditions may all
    read well while a Pod remains.
    """
    works, pods_gone = _find_discovery(ns, snap), _find_no_pods_sign(ns, snap)
    steps = [
        StageStep("discovery-works", say("discover APIs"), works),
        StageStep("pods-gone", say("delete Pods"), pods_gone),
        StageStep("content-deleted", say("delete content"), _find_content(ns, snap)),
        StageStep(
            "content-finalizers-cleared",
            say("content finalizers"),
            _find_content_finalizers(ns, snap),
            # A held object holds the Namespace, even if some types could not be listed.
            certain=bool(works.value and pods_gone.value and _find_finalizer_sign(ns, snap).value),
        ),
        StageStep(
            "gone", say("removal"), some(snap, Presence, ns, lambda f: [] if f.exists else [f]), implies=True
        ),
    ]
    return order_stages(steps)


def trace_object_deletion(ref: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Return the line of any other object, which is removed once its finalizers are cleared."""
    steps = [
        StageStep("requested", say("request deletion"), some(snap, Presence, ref, lambda f: [f])),
        StageStep("finalizers-cleared", say("clear finalizers"), has_no_finalizers(ref, snap)),
        StageStep(
            "gone", say("removal"), some(snap, Presence, ref, lambda f: [] if f.exists else [f]), implies=True
        ),
    ]
    return order_stages(steps)


def find_evidence_of_emptiness(ns: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return the facts that show that only unlistable objects can remain, from the namespace controller and
    the Pods counted.

    () unless all of them agree; from 1.33 on the conditions alone may read well while a Pod remains.
    """
    said = (
        _find_condition(ns, snap, "NamespaceDeletionDiscoveryFailure", "True"),
        _find_condition(ns, snap, "NamespaceContentRemaining", "False"),
        _find_condition(ns, snap, "NamespaceFinalizersRemaining", "False"),
        _find_condition(ns, snap, "NamespaceDeletionContentFailure", "False"),
        _find_no_pods_sign(ns, snap),
    )
    left = any(f.items for f in snap.of(Contents, ns)) or any(f.refs for f in snap.of(Below, ns))
    return unique(f for s in said for f in s.seen) if all(s.value for s in said) and not left else ()


def _find_condition(ns: Ref, snap: Facts, type_: str, status: str) -> Sign[Any]:
    return some(
        snap, Conditions, ns, lambda f: [c for c in f.items if c.type == type_ and c.status == status]
    )


def _find_discovery(ns: Ref, snap: Facts) -> Sign[Any]:
    failing = _find_condition(ns, snap, "NamespaceDeletionDiscoveryFailure", "True")
    if failing.value:
        return Sign(False, seen=failing.seen)
    works = _find_condition(ns, snap, "NamespaceDeletionDiscoveryFailure", "False")
    return any_of([works, some(snap, Discovery, CLUSTER, lambda f: [] if f.failed or f.stale else [f])])


def _find_no_pods_sign(ns: Ref, snap: Facts) -> Sign[Any]:
    left = some(snap, Below, ns, lambda f: f.refs if f.kind == "Pod" else [])
    return Sign(not left.value, seen=left.seen) if left.value is not None else left


def _find_content(ns: Ref, snap: Facts) -> Sign[Any]:
    left = some(
        snap, Contents, ns, lambda f: [i for i in f.items if i.count > len(i.held) and i.kind != "Pod"]
    )
    counted = any_of([left])
    if counted.value is not None:
        return Sign(not counted.value, seen=counted.seen)
    # Objects that could not be listed are not counted either: the controller's own failure says that it is
    # not finished.
    failing = _find_condition(ns, snap, "NamespaceDeletionContentFailure", "True")
    return Sign(False, seen=failing.seen) if failing.value else Sign(None, seen=left.seen, wants=left.wants)


def _find_finalizer_sign(ns: Ref, snap: Facts) -> Sign[Any]:
    return some(snap, Contents, ns, lambda f: [h for i in f.items for h in i.held])


def _find_content_finalizers(ns: Ref, snap: Facts) -> Sign[Any]:
    held = _find_finalizer_sign(ns, snap)
    remaining = _find_condition(ns, snap, "NamespaceFinalizersRemaining", "True")
    if held.value or (held.value is None and remaining.value):
        return Sign(False, seen=any_of([held, remaining]).seen, wants=held.wants)
    return Sign(not held.value, seen=held.seen) if held.value is not None else held
