"""Pods, kept by shape: all Pods of one template share one shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import pod_requests
from unstuck.collect.objects.placing.selectors import node_terms, selector
from unstuck.collect.objects.placing.strict import StrictPart, section
from unstuck.facts.aspects.placing import HostPort, PendingInput, PodShape, PodVolumeUse, ResourceClaimUse
from unstuck.facts.aspects.placing_terms import Pairs, PodTerm, SpreadConstraint, Toleration, UnreadableField

_ENDED = ("Succeeded", "Failed")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class Pods:
    """Gathers Pods one by one. whole: for each it is known where it is, or that it is nowhere yet."""

    def __init__(self) -> None:
        self._shapes: dict[PodShape, int] = {}
        self._seen: dict[bytes, int] = {}
        self._placed: dict[str, Counter[int]] = {}
        self._pending: list[PendingInput] = []
        self.whole = True

    def add(self, obj: doc.Doc) -> None:
        """Add one more Pod; an ended Pod holds nothing and is skipped."""
        if doc.text(obj, "status", "phase") in _ENDED:
            return
        node = doc.at(obj, "spec", "nodeName")
        if node is not None and not isinstance(node, str):
            self.whole = False
        elif node:
            self._placed.setdefault(node, Counter())[self._shape(obj, bound=True)] += 1
        else:
            self.add_pending(obj)

    def add_pending(self, obj: doc.Doc) -> None:
        """Add a Pod to be placed, even if it names its Node already."""
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
        key = _looks(obj, bound)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._shapes.setdefault(pod_shape(obj, bound=bound), len(self._shapes))
        return found

    @property
    def shapes(self) -> tuple[PodShape, ...]:
        """Each shape once."""
        return tuple(self._shapes)

    @property
    def placed(self) -> Pairs:
        """By Node, in the form that `PlacingInputs.placed` has."""
        return tuple(
            (node, " ".join(f"{i}*{n}" if n > 1 else str(i) for i, n in sorted(of.items())))
            for node, of in self._placed.items()
        )

    @property
    def pending(self) -> tuple[PendingInput, ...]:
        """The unbound Pods."""
        return tuple(self._pending)


# The fields that `pod_shape` reads of the spec, beside containers and volumes; of each container; of its
# status.
_OF_SPEC = (
    *(
        "priority",
        "nodeSelector",
        "affinity",
        "tolerations",
        "topologySpreadConstraints",
        "resourceClaims",
        "schedulingGates",
    ),
    *("schedulerName", "preemptionPolicy", "overhead", "resources"),
)
_OF_CONTAINER = ("name", "restartPolicy", "resources", "ports")
_OF_CONTAINER_STATUS = ("name", "resources", "allocatedResources")


def _looks(obj: doc.Doc, bound: bool) -> bytes:
    """Return equal for two Pods only if they are of one shape, and found far sooner than the shape: most
    Pods have been seen before.
    """
    spec, status, meta = doc.section(obj, "spec"), doc.section(obj, "status"), doc.section(obj, "metadata")
    if not spec or not meta:
        return repr(obj).encode(errors="surrogatepass")
    named = any(isinstance(v, dict) and "ephemeral" in v for v in _list_items(spec, "volumes"))
    looks = (
        *(meta.get("namespace"), meta.get("labels"), bool(meta.get("deletionTimestamp"))),
        [
            [o.get(k) for k in ("kind", "name", "controller")] if isinstance(o, dict) else o
            for o in _list_items(meta, "ownerReferences")
        ],
        [spec.get(k) for k in _OF_SPEC],
        [_list_parts_of(spec, field, _OF_CONTAINER) for field in ("initContainers", "containers")],
        [v for v in _list_items(spec, "volumes") if not isinstance(v, dict) or not _told_nothing(v)],
        status.get("resourceClaimStatuses"),
        (meta.get("name"), meta.get("uid")) if named else None,
        bound
        and [
            _list_parts_of(status, f, _OF_CONTAINER_STATUS)
            for f in ("initContainerStatuses", "containerStatuses")
        ],
        bound
        and [
            c
            for c in _list_items(status, "conditions")
            if isinstance(c, dict) and c.get("type") in ("PodResizePending", "DisruptionTarget")
        ],
    )
    from hashlib import blake2b  # brings OpenSSL's library; most answers place no Pod

    return blake2b(repr(looks).encode(errors="surrogatepass"), digest_size=16).digest()


def _list_items(parent: doc.Doc, field: str) -> list[object]:
    value = parent.get(field)
    return value if isinstance(value, list) else [value]


def _list_parts_of(parent: doc.Doc, field: str, keys: tuple[str, ...]) -> list[object]:
    return [
        [row.get(k) for k in keys] if isinstance(row, dict) else row for row in _list_items(parent, field)
    ]


def pod_shape(obj: doc.Doc, *, bound: bool) -> PodShape:
    """Return the inputs for placing this Pod, or another beside it."""
    unread: list[UnreadableField] = []
    spec, meta = section(obj, "spec", unread), section(obj, "metadata", unread)
    if "spec" not in obj:
        unread.append(UnreadableField("spec", "", "is missing"))
    affinity = spec.part("affinity")
    pods, anti = (
        (affinity.part("podAffinity"), affinity.part("podAntiAffinity")) if affinity else (None, None)
    )
    return PodShape(
        namespace=meta.text("namespace") or "default",
        labels=meta.pairs("labels"),
        requests=pod_requests(obj, unread, bound=bound),
        priority=spec.number("priority") or 0,
        node_selector=spec.pairs("nodeSelector"),
        node_affinity=node_terms(affinity.part("nodeAffinity") if affinity else None, _REQUIRED),
        tolerations=tuple(
            Toleration(t.text("key"), t.text("operator"), t.text("value"), t.text("effect"))
            for t in spec.parts("tolerations")
        ),
        ports=_list_ports(spec),
        affinity=_list_terms(pods),
        anti_affinity=_list_terms(anti),
        preferred_affinity=_list_preferred(pods),
        preferred_anti_affinity=_list_preferred(anti),
        spread=tuple(_read_spread(c) for c in spec.parts("topologySpreadConstraints")),
        volumes=tuple(_volume(v, meta) for v in spec.parts("volumes") if not _told_nothing(v.row)),
        resource_claims=_list_resource_claims(spec, section(obj, "status", unread)),
        gates=tuple(g.text("name") for g in spec.parts("schedulingGates")),
        scheduler=spec.text("schedulerName") or "default-scheduler",
        preempts=spec.text("preemptionPolicy") != "Never",
        terminating=bool(meta.row.get("deletionTimestamp")),
        preempted=bool(meta.row.get("deletionTimestamp")) and _preempted(obj),
        owner=next(
            (
                f"{o.text('kind')}/{o.text('name')}"
                for o in meta.parts("ownerReferences")
                if o.row.get("controller") is True
            ),
            "",
        ),
        unreadable=tuple(unread),
    )


def _preempted(obj: doc.Doc) -> bool:
    target = next(
        (c for c in doc.rows(obj, "status", "conditions") if c.get("type") == "DisruptionTarget"), doc.EMPTY
    )
    return target.get("status") == "True" and target.get("reason") == "PreemptionByScheduler"


def _list_ports(spec: StrictPart) -> tuple[HostPort, ...]:
    """Return the host ports of containers that run as long as the Pod does."""
    sidecars = [c for c in spec.parts("initContainers") if c.text("restartPolicy") == "Always"]
    rows = [p for c in (*sidecars, *spec.parts("containers")) for p in c.parts("ports")]
    return tuple(
        HostPort(n, p.text("protocol"), p.text("hostIP"))
        for p in rows
        if (n := p.number("hostPort") or 0) > 0
    )


def _list_terms(parent: StrictPart | None) -> tuple[PodTerm, ...]:
    return tuple(_term(t) for t in parent.parts(_REQUIRED)) if parent else ()


def _list_preferred(parent: StrictPart | None) -> tuple[PodTerm, ...]:
    found = (t.part("podAffinityTerm") for t in parent.parts(_PREFERRED)) if parent else ()
    return tuple(_term(t) for t in found if t)


def _term(t: StrictPart) -> PodTerm:
    return PodTerm(
        topology_key=t.text("topologyKey"),
        selector=selector(t, "labelSelector"),
        namespaces=t.strings("namespaces"),
        namespace_selector=selector(t, "namespaceSelector"),
        match_label_keys=t.strings("matchLabelKeys"),
        mismatch_label_keys=t.strings("mismatchLabelKeys"),
    )


def _read_spread(row: StrictPart) -> SpreadConstraint:
    return SpreadConstraint(
        topology_key=row.text("topologyKey"),
        max_skew=row.number("maxSkew") or 0,
        when=row.text("whenUnsatisfiable"),
        selector=selector(row, "labelSelector"),
        min_domains=row.number("minDomains"),
        affinity_policy=row.text("nodeAffinityPolicy"),
        taints_policy=row.text("nodeTaintsPolicy"),
        match_label_keys=row.strings("matchLabelKeys"),
    )


def _volume(volume: StrictPart, meta: StrictPart) -> PodVolumeUse:
    kind = next(
        (k for k, v in volume.row.items() if k != "name" and isinstance(k, str) and v is not None), ""
    )
    source, name = volume.part(kind), volume.text("name")
    if kind == "ephemeral":
        return PodVolumeUse(name, kind, f"{meta.text('name')}-{name}", meta.text("uid"))
    if source is None:
        return PodVolumeUse(name, kind)
    return PodVolumeUse(
        name,
        kind,
        source.text("claimName") if kind == "persistentVolumeClaim" else "",
        "",
        fields(source.row),
    )


# Volumes that every Node can hold: their contents make no difference. Their names may do: a token's is
# another in every Pod.
_UNTOLD = ("configMap", "secret", "projected", "downwardAPI", "emptyDir", "hostPath", "nfs", "image")


def _told_nothing(volume: doc.Doc) -> bool:
    return any(isinstance(volume.get(kind), Mapping) for kind in _UNTOLD)


def fields(source: doc.Doc) -> Pairs:
    """Return the plain fields of a volume's source, booleans as `true` and `false`, lists comma-separated."""
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


def _list_resource_claims(spec: StrictPart, status: StrictPart) -> tuple[ResourceClaimUse, ...]:
    made = {s.text("name"): s.text("resourceClaimName") for s in status.parts("resourceClaimStatuses")}
    return tuple(
        ResourceClaimUse(
            name=(name := c.text("name")),
            claim=(given := c.text("resourceClaimName")) or made.get(name, ""),
            template=c.text("resourceClaimTemplateName"),
            needless=made.get(name) == "" and not given,
        )
        for c in spec.parts("resourceClaims")
    )
