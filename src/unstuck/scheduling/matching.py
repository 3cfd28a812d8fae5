"""The PersistentVolume that a claim is bound to when its Pod is placed: the smallest that fits, or the one
that waits for this claim.

Source (1.34): component-helpers/storage/volume/pv_helpers.go (`FindMatchingVolume`, `CheckAccessModes`).
Of several volumes of the same size the scheduler takes any; here it is the first by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.scheduling.selectors import NodeSelector, PreparedSelector, label_selector, node_selector

_FILESYSTEM = "Filesystem"


@dataclass(frozen=True, slots=True)
class MatchPlaces:
    """Which of many selectors can match a Node, without trying each: volumes of one node or zone ask for one
    value of a label.

    anchored: label → value → the selectors, by place, that ask for it. free: the places of the rest.
    """

    anchored: Mapping[str, Mapping[str, tuple[int, ...]]]
    free: tuple[int, ...]

    @staticmethod
    def of(wanted: Iterable[Sequence[Requirement]]) -> MatchPlaces:
        """Index the volumes. wanted: of each selector the requirements that all must be met, or none of
        them.
        """
        anchored: dict[str, dict[str, list[int]]] = {}
        free: list[int] = []
        for i, requirements in enumerate(wanted):
            anchor = next((r for r in requirements if r.operator == "In"), None)
            if anchor is None:
                free.append(i)
                continue
            for value in set(anchor.values):
                anchored.setdefault(anchor.key, {}).setdefault(value, []).append(i)
        return MatchPlaces(
            {key: {value: tuple(at) for value, at in by.items()} for key, by in anchored.items()}, tuple(free)
        )

    def find_near(self, labels: Mapping[str, str]) -> Sequence[int]:
        """Return the indexes of terms that may match a Node with these labels, in order."""
        found = [
            at
            for key, by in self.anchored.items()
            if (value := labels.get(key)) is not None and (at := by.get(value))
        ]
        return sorted({i for some in (*found, self.free) for i in some}) if found else self.free


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """A volume that a claim could be bound to on the Nodes that reach it. nodes: None for all."""

    name: str
    nodes: NodeSelector | None

    def reached(self, labels: Mapping[str, str]) -> bool:
        """Tell whether a Node with these labels reaches it."""
        return self.nodes is None or self.nodes.matches(labels)


@dataclass(frozen=True, slots=True)
class Choice:
    """The volumes or places that a claim can be bound to, in order of preference.

    own: volumes that name this claim already; if there is one, no other is taken. others: from the smallest;
    places: of these.
    """

    own: tuple[MatchCandidate, ...]
    others: tuple[MatchCandidate, ...]
    places: MatchPlaces

    @staticmethod
    def of(claim: ClaimInput, volumes: Iterable[VolumeInput]) -> Choice:
        """Return the volumes that this claim could be bound to. Errors: SelectorError of the claim's own
        selector.
        """
        selector = None if claim.selector is None else label_selector(claim.selector)
        fitting = sorted((v for v in volumes if _fits(claim, v)), key=lambda v: (v.capacity or 0, v.name))
        own = tuple(_candidate(v) for v in fitting if v.claim is not None)
        others = tuple(_candidate(v) for v in fitting if v.claim is None and _is_free(claim, v, selector))
        return Choice(own, others, MatchPlaces.of(_list_required_expressions(c.nodes) for c in others))

    def choose(self, labels: Mapping[str, str], taken: Collection[str] = ()) -> str | None:
        """Return the name of the volume that this claim gets on a Node with these labels, None if none.
        taken: by the Pod's other claims.
        """
        own = next((c for c in self.own if c.name not in taken), None)
        if own is not None:
            return own.name if own.reached(labels) else None
        rows = (self.others[i] for i in self.places.find_near(labels))
        return next((c.name for c in rows if c.name not in taken and c.reached(labels)), None)


def waits_for(volume: VolumeInput, claim: ClaimInput) -> bool:
    """Tell whether the volume names this claim (IsVolumeBoundToClaim)."""
    if volume.claim is None:
        return False
    namespace, name, uid = volume.claim
    return (namespace, name) == (claim.namespace, claim.name) and uid in ("", claim.uid)


def _fits(claim: ClaimInput, volume: VolumeInput) -> bool:
    """Tell whether the volume meets the demands on every volume, also on one that waits for this claim; only
    volumes of the claim's class are checked.
    """
    return (
        volume.storage_class == (claim.storage_class or "")
        and (volume.claim is None or waits_for(volume, claim))
        and (volume.capacity or 0) >= (claim.size or 0)
        and (volume.mode or _FILESYSTEM) == (claim.mode or _FILESYSTEM)
        and volume.attributes_class == claim.attributes_class
        and not volume.terminating
    )


def _is_free(claim: ClaimInput, volume: VolumeInput, selector: PreparedSelector | None) -> bool:
    """Tell whether an unclaimed volume meets the further conditions for this claim."""
    return (
        volume.phase == "Available"
        and (selector is None or selector.matches(dict(volume.labels)))
        and set(claim.modes) <= set(volume.modes)
    )


def _candidate(volume: VolumeInput) -> MatchCandidate:
    return MatchCandidate(
        volume.name, None if volume.node_affinity is None else node_selector(volume.node_affinity)
    )


def _list_required_expressions(nodes: NodeSelector | None) -> Sequence[Requirement]:
    """Return requirements that a Node must meet to match: those of a selector's only term."""
    return nodes.terms[0].expressions if nodes is not None and len(nodes.terms) == 1 else ()
