"""Finds the users of an object that says nothing of itself: the objects that name it, or to which it applies.

Of an object that may have thousands of users only the ones that are not plainly healthy are returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Listing, Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.needs import list_needs
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.placing_terms import Selector
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds
from unstuck.facts.record import Record, record, replace
from unstuck.facts.vocabulary.kinds import NAMED_BY_PODS

_INGRESS_CLASS = "kubernetes.io/ingress.class"
_PENDING = MappingProxyType({"fieldSelector": field_requirement("status.phase", "Pending")})


@record()
class UsersOf(Record):
    """How the users of one kind are found. kind: theirs. uses: whether this object uses the one in question.

    params: of the request, which let the server leave out most objects.
    """

    kind: str
    uses: Callable[[doc.Doc, Ref], bool]
    params: Mapping[str, str]


def find_users(session: Session, of: UsersOf, about: Ref) -> Listing:
    """Return the users of one kind: of the object's Namespace, or of all if the object has none."""
    found = session.listing(kind_named(of.kind), about.within, of.params)
    return replace(found, items=tuple(item for item in found.items if of.uses(item, about)))


def _names(pod: doc.Doc, about: Ref) -> bool:
    spec = doc.section(pod, "spec")
    if about.kind == "ServiceAccount":
        return (doc.text(spec, "serviceAccountName") or "default") == about.name
    return any(
        need.object.kind == about.kind and need.object.name == about.name
        for need in list_needs(about.within, spec)
    )


def _waits_with(field: str) -> Callable[[doc.Doc, Ref], bool]:
    def uses(item: doc.Doc, about: Ref) -> bool:
        return doc.text(item, "spec", field) == about.name and not is_healthy(item)

    return uses


def read_class(ingress: doc.Doc) -> str:
    """Return the name of an Ingress's class, by its field or the older annotation."""
    return doc.text(ingress, "spec", "ingressClassName") or doc.text(
        ingress, "metadata", "annotations", _INGRESS_CLASS
    )


def _has_class(ingress: doc.Doc, about: Ref) -> bool:
    return read_class(ingress) == about.name and not doc.rows(ingress, "status", "loadBalancer", "ingress")


def _lacks_pods(workload: doc.Doc, _about: Ref) -> bool:
    """Tell whether a workload has fewer Pods than it wants: their creation may be refused.

    Of a Deployment and a ReplicaSet a condition tells it (apps/v1, ReplicaFailure).
    """
    match doc.text(workload, "kind"):
        case "Deployment" | "ReplicaSet":
            return any(
                doc.text(c, "type") == "ReplicaFailure" and doc.text(c, "status") == "True"
                for c in doc.rows(workload, "status", "conditions")
            )
        case "DaemonSet":
            wanted = doc.whole_number(workload, "status", "desiredNumberScheduled") or 0
            return (doc.whole_number(workload, "status", "currentNumberScheduled") or 0) < wanted
        case "Job":
            held = doc.flag(workload, "spec", "suspend")
            return not (held or is_healthy(workload) or doc.whole_number(workload, "status", "active"))
    asked = doc.whole_number(workload, "spec", "replicas")
    made = doc.whole_number(workload, "status", "replicas") or 0
    # A StatefulSet makes the next Pod only once the last one is ready.
    return (
        made < (1 if asked is None else asked)
        and (doc.whole_number(workload, "status", "readyReplicas") or 0) >= made
    )


def _make_selected(chosen: Selector) -> Callable[[doc.Doc, Ref], bool]:
    def uses(workload: doc.Doc, about: Ref) -> bool:
        labels = dict(doc.pairs(workload, "spec", "template", "metadata", "labels"))
        return all(holds(r, labels) for r in chosen.requirements) and _lacks_pods(workload, about)

    return uses


def list_users_of_budget(budget: doc.Doc) -> tuple[UsersOf, ...]:
    """Return how the workloads are found that lack Pods which a PodDisruptionBudget would select."""
    chosen = read_selector(doc.section(budget, "spec"), "selector")
    if chosen is None:
        return ()
    return tuple(
        UsersOf(kind, _make_selected(chosen), _NONE) for kind in ("Deployment", "StatefulSet", "ReplicaSet")
    )


_NONE: Mapping[str, str] = MappingProxyType({})
_BY_PODS = (UsersOf("Pod", _names, _NONE),)
_LIMITED = tuple(
    UsersOf(kind, _lacks_pods, _NONE) for kind in ("Deployment", "StatefulSet", "DaemonSet", "Job")
)
# The kinds of users of each kind that says nothing of itself, or not why.
USERS: Mapping[str, tuple[UsersOf, ...]] = MappingProxyType(
    {
        **dict.fromkeys(NAMED_BY_PODS, _BY_PODS),
        "StorageClass": (UsersOf("PersistentVolumeClaim", _waits_with("storageClassName"), _NONE),),
        "IngressClass": (UsersOf("Ingress", _has_class, _NONE),),
        "PriorityClass": (UsersOf("Pod", _waits_with("priorityClassName"), _PENDING),),
        "RuntimeClass": (UsersOf("Pod", _waits_with("runtimeClassName"), _PENDING),),
        **dict.fromkeys(("ResourceQuota", "LimitRange"), _LIMITED),
    }
)
