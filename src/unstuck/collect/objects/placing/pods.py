"""Pods, kept by shape: those of one template are one shape, however many there are."""

from __future__ import annotations

from collections import Counter

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import pod_requests
from unstuck.collect.objects.placing.selectors import node_terms, selector
from unstuck.facts.aspects.placing import (
    HostPort,
    Pairs,
    PendingInput,
    PodShape,
    PodTerm,
    PodVolumeUse,
    ResourceClaimUse,
    SpreadConstraint,
    Toleration,
    Unread,
)

_ENDED = ("Succeeded", "Failed")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class Pods:
    """Gathers Pods one by one."""

    def __init__(self) -> None:
        self._shapes: dict[PodShape, int] = {}
        self._placed: dict[str, Counter[int]] = {}
        self._pending: list[PendingInput] = []

    def add(self, obj: doc.Doc) -> None:
        """One more Pod; one that has ended holds nothing and is passed over."""
        if doc.text(obj, "status", "phase") in _ENDED:
            return
        node = doc.text(obj, "spec", "nodeName")
        if node:
            self._placed.setdefault(node, Counter())[self._shape(obj, bound=True)] += 1
        else:
            self.add_pending(obj)

    def add_pending(self, obj: doc.Doc) -> None:
        """A Pod to be placed, even if it names its Node already."""
        self._pending.append(
            PendingInput(
                name=doc.text(obj, "metadata", "name"),
                uid=doc.text(obj, "metadata", "uid"),
                shape=self._shape(obj, bound=False),
                nominated=doc.text(obj, "status", "nominatedNodeName"),
                node=doc.text(obj, "spec", "nodeName"),
            )
        )

    def _shape(self, obj: doc.Doc, *, bound: bool) -> int:
        return self._shapes.setdefault(pod_shape(obj, bound=bound), len(self._shapes))

    @property
    def shapes(self) -> tuple[PodShape, ...]:
        """Each shape once."""
        return tuple(self._shapes)

    @property
    def placed(self) -> Pairs:
        """By Node, in the form that `PlacingInputs.placed` has."""
        return tuple((node, " ".join(f"{i}*{n}" if n > 1 else str(i) for i, n in sorted(of.items()))) for node, of in self._placed.items())

    @property
    def pending(self) -> tuple[PendingInput, ...]:
        """Those that are not bound."""
        return tuple(self._pending)


def pod_shape(obj: doc.Doc, *, bound: bool) -> PodShape:
    """What placing this Pod, or another beside it, depends on."""
    unread: list[Unread] = []
    spec, meta = doc.section(obj, "spec"), doc.section(obj, "metadata")
    affinity = doc.section(spec, "affinity")
    return PodShape(
        namespace=doc.text(meta, "namespace") or "default",
        labels=doc.pairs(meta, "labels"),
        requests=pod_requests(obj, unread, bound=bound),
        priority=doc.whole_number(spec, "priority") or 0,
        node_selector=doc.pairs(spec, "nodeSelector"),
        node_affinity=node_terms(doc.section(affinity, "nodeAffinity"), _REQUIRED),
        tolerations=tuple(_toleration(t) for t in doc.rows(spec, "tolerations")),
        ports=_ports(spec),
        affinity=_terms(affinity, "podAffinity"),
        anti_affinity=_terms(affinity, "podAntiAffinity"),
        preferred=_preferred(affinity),
        spread=tuple(_spread(c) for c in doc.rows(spec, "topologySpreadConstraints")),
        volumes=tuple(_volume(v, meta) for v in doc.rows(spec, "volumes")),
        resource_claims=_resource_claims(obj),
        gates=tuple(doc.text(g, "name") for g in doc.rows(spec, "schedulingGates")),
        scheduler=doc.text(spec, "schedulerName") or "default-scheduler",
        preempts=doc.text(spec, "preemptionPolicy") != "Never",
        terminating=bool(meta.get("deletionTimestamp")),
        owner=next(
            (f"{doc.text(o, 'kind')}/{doc.text(o, 'name')}" for o in doc.rows(meta, "ownerReferences") if doc.flag(o, "controller")), ""
        ),
        unreadable=tuple(unread),
    )


def _toleration(row: doc.Doc) -> Toleration:
    return Toleration(doc.text(row, "key"), doc.text(row, "operator"), doc.text(row, "value"), doc.text(row, "effect"))


def _ports(spec: doc.Doc) -> tuple[HostPort, ...]:
    """Of containers that run as long as the Pod does."""
    sidecars = [c for c in doc.rows(spec, "initContainers") if doc.text(c, "restartPolicy") == "Always"]
    rows = [p for c in (*sidecars, *doc.rows(spec, "containers")) for p in doc.rows(c, "ports")]
    return tuple(
        HostPort(n, doc.text(p, "protocol"), doc.text(p, "hostIP")) for p in rows if (n := doc.whole_number(p, "hostPort") or 0) > 0
    )


def _terms(affinity: doc.Doc, field: str) -> tuple[PodTerm, ...]:
    return tuple(_term(t) for t in doc.rows(affinity, field, _REQUIRED))


def _preferred(affinity: doc.Doc) -> tuple[PodTerm, ...]:
    rows = [t for field in ("podAffinity", "podAntiAffinity") for t in doc.rows(affinity, field, _PREFERRED)]
    return tuple(_term(doc.section(t, "podAffinityTerm")) for t in rows)


def _term(t: doc.Doc) -> PodTerm:
    return PodTerm(
        topology_key=doc.text(t, "topologyKey"),
        selector=selector(t, "labelSelector"),
        namespaces=doc.strings(t, "namespaces"),
        namespace_selector=selector(t, "namespaceSelector"),
        match_label_keys=doc.strings(t, "matchLabelKeys"),
        mismatch_label_keys=doc.strings(t, "mismatchLabelKeys"),
    )


def _spread(row: doc.Doc) -> SpreadConstraint:
    return SpreadConstraint(
        topology_key=doc.text(row, "topologyKey"),
        max_skew=doc.whole_number(row, "maxSkew") or 0,
        when=doc.text(row, "whenUnsatisfiable"),
        selector=selector(row, "labelSelector"),
        min_domains=doc.whole_number(row, "minDomains"),
        affinity_policy=doc.text(row, "nodeAffinityPolicy"),
        taints_policy=doc.text(row, "nodeTaintsPolicy"),
        match_label_keys=doc.strings(row, "matchLabelKeys"),
    )


def _volume(row: doc.Doc, meta: doc.Doc) -> PodVolumeUse:
    kind = next((k for k, v in row.items() if k != "name" and isinstance(k, str) and isinstance(v, dict)), "")
    source, name = doc.section(row, kind), doc.text(row, "name")
    if kind == "ephemeral":
        return PodVolumeUse(name, kind, f"{doc.text(meta, 'name')}-{name}", doc.text(meta, "uid"))
    if kind in _UNTOLD:
        return PodVolumeUse(name, kind)
    return PodVolumeUse(name, kind, doc.text(source, "claimName"), "", fields(source))


# Volumes that every Node can hold: what is in them makes no difference.
_UNTOLD = ("configMap", "secret", "projected", "downwardAPI", "emptyDir", "hostPath", "nfs", "image")


def fields(source: doc.Doc) -> Pairs:
    """The plain fields of a volume's source, booleans as `true` and `false`, lists comma-separated."""
    out = []
    for key, value in source.items():
        if not isinstance(key, str):
            continue
        if isinstance(value, bool):
            out.append((key, "true" if value else "false"))
        elif isinstance(value, list):
            out.append((key, ",".join(doc.strings(source, key))))
        elif isinstance(value, str | int | float):
            out.append((key, doc.scalar(source, key)))
    return tuple(sorted(out))


def _resource_claims(obj: doc.Doc) -> tuple[ResourceClaimUse, ...]:
    made = {doc.text(s, "name"): doc.text(s, "resourceClaimName") for s in doc.rows(obj, "status", "resourceClaimStatuses")}
    return tuple(
        ResourceClaimUse(
            (name := doc.text(c, "name")),
            doc.text(c, "resourceClaimName") or made.get(name, ""),
            doc.text(c, "resourceClaimTemplateName"),
        )
        for c in doc.rows(obj, "spec", "resourceClaims")
    )
