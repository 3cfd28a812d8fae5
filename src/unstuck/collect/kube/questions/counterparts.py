"""Reads both sides of each field that must match another object's: one row for each relation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.kube.questions import (
    pairs_conventions,
    pairs_core,
    pairs_effects,
    pairs_gateway,
    pairs_issuers,
    pairs_mesh,
    pairs_pools,
    pairs_providers,
    pairs_rights,
    pairs_slices,
)
from unstuck.collect.kube.questions.objects import read_object
from unstuck.collect.kube.questions.pairs_tools import Reader, list_all, name_of
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.targets import SNAPSHOTS
from unstuck.facts.aspects.counterparts import Counterpart, Counterparts
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.vocabulary.kinds import EFFECTS, POLICY_BINDINGS, ROUTES

_MOST, _OTHERS, _KEPT = 40, 60, 24
_EFFECT = (
    pairs_effects.read_takers,
    pairs_effects.read_choices,
    pairs_effects.read_names,
    pairs_effects.read_admitted,
)
_ROUTE = (pairs_gateway.read_route_listeners, pairs_gateway.read_grants)
# The readers of a kind's own fields.
_READERS: Mapping[str, tuple[Reader, ...]] = MappingProxyType(
    {
        pairs_mesh.VIRTUAL: (pairs_mesh.read_subsets, pairs_mesh.read_hosts),
        pairs_mesh.RULE: (pairs_mesh.read_subset_labels, pairs_mesh.read_rule_tls),
        pairs_mesh.DOOR: (pairs_mesh.read_door_selector,),
        **dict.fromkeys(ROUTES, _ROUTE),
        pairs_gateway.DOOR: (pairs_gateway.read_grants,),
        "NetworkPolicy": (pairs_core.read_policy_ports,),
        "Service": (pairs_core.read_slice_ports, pairs_slices.read_slice_families, pairs_pools.read_pools),
        "EndpointSlice": (pairs_core.read_slice_ports, pairs_slices.read_slice_families),
        "Ingress": (pairs_core.read_same_paths, pairs_core.read_certificate_secrets),
        f"VolumeSnapshot.{SNAPSHOTS}": (pairs_core.read_snapshot_driver,),
        "HorizontalPodAutoscaler": (pairs_core.read_metric_containers,),
        "VerticalPodAutoscaler.autoscaling.k8s.io": (pairs_core.read_policy_containers,),
        "Role": (pairs_core.read_role_groups, pairs_effects.read_takers),
        "ClusterRole": (pairs_core.read_role_groups,),
        "Application.argoproj.io": (pairs_core.read_project,),
        "ScaledObject.keda.sh": (pairs_conventions.read_login,),
        "TriggerAuthentication.keda.sh": (pairs_conventions.read_keys,),
        pairs_issuers.CLUSTER_ISSUER: (pairs_issuers.read_issuer_secrets,),
        **dict.fromkeys(pairs_providers.PROVIDED, (pairs_providers.read_provider,)),
        "RuntimeClass": (pairs_providers.read_handler,),
        **dict.fromkeys(EFFECTS, _EFFECT),
        "AuthorizationPolicy.security.istio.io": (pairs_rights.read_principals,),
        **dict.fromkeys(("RoleBinding", "ClusterRoleBinding"), (pairs_rights.read_subjects,)),
        **dict.fromkeys(POLICY_BINDINGS, (pairs_effects.read_binding,)),
    }
)
# The kinds whose fields have their other side in this one.
_FROM: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Service": ("NetworkPolicy",),
        pairs_mesh.RULE: (pairs_mesh.VIRTUAL,),
        pairs_mesh.DOOR: (pairs_mesh.VIRTUAL,),
        pairs_gateway.DOOR: ROUTES,
    }
)


def list_counterparts(session: Session, want: Want) -> list[Fact]:
    """Return the fields that must match another object's, from either side, with both sides' values."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name or not (about.kind in {*_READERS, *_FROM} or "." in about.kind):
        return [make_unanswered(want, "not-offered", f"{about.kind} has no field that is compared")]
    own = session.object(kind, about)
    if not own.reply.ok:
        return read_object(session, own, about, want)
    found = [*_read_own(session, about, own.reply.doc), *_read_others(session, about)]
    items = tuple(dict.fromkeys(found))[:_MOST]
    quote = (
        "; ".join(f"{c.field}: {c.value} ({c.theirs}: {', '.join(c.there)})" for c in items)
        or "nothing to compare"
    )
    return [Counterparts(about=about, src=own.src(quote), items=items)]


def _read_own(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    readers = _READERS.get(about.kind)
    for reader in readers or ((pairs_conventions.read_custom,) if "." in about.kind else ()):
        yield from reader(session, about, obj)


def _read_others(session: Session, about: Ref) -> Iterator[Counterpart]:
    """Yield the fields of other objects whose other side is this one."""
    for kind in _FROM.get(about.kind, ()):
        space = about.within if kind == "NetworkPolicy" else None
        kept = 0
        for item in (list_all(session, kind, space) or ())[:_OTHERS]:
            for one in _read_own(session, name_of(item, kind), item):
                if kept < _KEPT and any(
                    (r.kind, r.within, r.name) == (about.kind, about.within, about.name) for r in one.to
                ):
                    kept += 1
                    yield one
