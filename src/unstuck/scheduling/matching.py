"""The PersistentVolume that a claim is bound to when its Pod is placed: the smallest suitable one, or the one
reserved for this claim.

Source (1.34): component-helpers/storage/volume/pv_helpers.go (`FindMatchingVolume`, `CheckAccessModes`). Of
several volumes of the same size the scheduler takes any; here the first by name is chosen.
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
    """An index of node selectors, to avoid matching each one: volumes of one node or zone ask for one value
    of a label.

    anchored: label → value → the indexes of the selectors that ask for it. free: the indexes of the others.
    """

    anchored: Mapping[str, Mapping[str, tuple[int, ...]]]
    free: tuple[int, ...]

    @staticmethod
    def of(wanted: Iterable[Sequence[Requirement]]) -> MatchPlaces:
        """Index the selectors. wanted: for each selector, its mandatory requirements, () if there are
        none.
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
        """Return the indexes of selectors that may match a Node with these labels, in order."""
        found = [
            at
            for key, by in self.anchored.items()
            if (value := labels.get(key)) is not None and (at := by.get(value))
        ]
        return sorted({i for some in (*found, self.free) for i in some}) if found else self.free


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """A candidate volume for a claim. nodes: the Nodes with access to it, None for all."""

    name: str
    nodes: NodeSelector | None

    def reached(self, labels: Mapping[str, str]) -> bool:
        """Tell whether a Node with these labels has access to the volume."""
        return self.nodes is None or self.nodes.matches(labels)


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate volumes of a claim, in order of preference.

    own: volumes reserved for this claim; if there are any, no other is taken. others: smallest first; places:
    the index of `others`.
    """

    own: tuple[MatchCandidate, ...]
    others: tuple[MatchCandidate, ...]
    places: MatchPlaces

    @staticmethod
    def of(claim: ClaimInput, volumes: Iterable[VolumeInput]) -> Choice:
        """Return the candidate volumes of this claim. Errors: SelectorError of the claim's own selector."""
        selector = None if claim.selector is None else label_selector(claim.selector)
        fitting = sorted((v for v in volumes if _fits(claim, v)), key=lambda v: (v.capacity or 0, v.name))
        own = tuple(_candidate(v) for v in fitting if v.claim is not None)
        others = tuple(_candidate(v) for v in fitting if v.claim is None and _is_free(claim, v, selector))
        return Choice(own, others, MatchPlaces.of(_list_required_expressions(c.nodes) for c in others))

    def choose(self, labels: Mapping[str, str], taken: Collection[str] = ()) -> str | None:
        """Return the name of the claim's volume on a Node with these labels, None if none fits. taken:
        volumes of the Pod's other claims.
        """
        own = next((c for c in self.own if c.name not in taken), None)
        if own is not None:
            return own.name if own.reached(labels) else None
        rows = (self.others[i] for i in self.places.find_near(labels))
        return next((c.name for c in rows if c.name not in taken and c.reached(labels)), None)


def waits_for(volume: VolumeInput, claim: ClaimInput) -> bool:
    """Tell whether the volume is reserved for this claim (IsVolumeBoundToClaim)."""
    if volume.claim is None:
        return False
    namespace, name, uid = volume.claim
    return (namespace, name) == (claim.namespace, claim.name) and uid in ("", claim.uid)


def _fits(claim: ClaimInput, volume: VolumeInput) -> bool:
    """Tell whether the volume meets the conditions for all volumes, reserved ones included; only volumes of
    the claim's class are checked.
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
    """Return the mandatory requirements of a selector: the expressions of its only term."""
    return nodes.terms[0].expressions if nodes is not None and len(nodes.terms) == 1 else ()
