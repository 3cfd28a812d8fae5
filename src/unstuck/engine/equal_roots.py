"""Folds roots of one answer that are the same trouble of similar Pods: it is reported once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.regex import regex
from unstuck.facts.snapshot import Snapshot

# Parts of a message that differ between two runs of one program: times, numbers, addresses.
_QUOTED, _CHANGES = regex(r"“[^”]*”"), regex(r"[0-9a-f]*\d[0-9a-f]*")

_Trouble = tuple[str, Ref, str, str]


def template(subject: Ref, culprit: Ref, snap: Snapshot | None) -> Ref:
    """Replace a part of the Pod, such as a container, by its counterpart in the owner's template, which all
    its Pods share.
    """
    if snap is None or subject.kind != "Pod" or culprit.within != f"{subject.within}/{subject.name}":
        return culprit
    controller = _find_controller(subject, snap)
    return Ref(culprit.kind, f"{subject.within}/{controller.name}", culprit.name) if controller else culprit


def fold_equal_roots(
    told: Sequence[CauseMatch], parents: Mapping[int, int], snap: Snapshot
) -> tuple[list[CauseMatch], dict[int, int], frozenset[int]]:
    """Return the causes, their parents, and the indexes of the causes that another one represents.

    The representative blocks everything that they blocked, and lists in `also` the Pods on which they were
    found. A root with consequences stays separate.
    """
    chains = {i: _follow_chain(i, parents, len(told)) for i in range(len(told)) if i not in parents}
    if len(chains) < 2:
        return list(told), dict(parents), frozenset()
    first: dict[object, int] = {}
    merged, dropped = list(told), set[int]()
    for root, chain in chains.items():
        key = frozenset(_make_trouble(told[i], snap) for i in chain)
        # A cause without a part belongs to the subject itself.
        kept = (
            root if told[root].via is None else first.setdefault((_make_trouble(told[root], snap), key), root)
        )
        if kept != root:
            dropped.update(chain)
            same = {_make_trouble(told[i], snap): i for i in chains[kept]}
            for i in chain:
                at = same[_make_trouble(told[i], snap)]
                merged[at] = _merge(merged[at], told[i])
    return merged, {i: p for i, p in parents.items() if i not in dropped}, frozenset(dropped)


def _follow_chain(root: int, parents: Mapping[int, int], count: int) -> tuple[int, ...]:
    found = [root]
    for i in found:
        found += [child for child in range(count) if parents.get(child) == i]
    return tuple(found)


def _make_trouble(one: CauseMatch, snap: Snapshot) -> _Trouble:
    """Return a key that is equal for Pods of one controller with the same trouble."""
    culprit, says = one.finding.culprit, one.finding.says.en
    if one.via is not None and one.via.kind == "Pod":
        controller = _find_controller(one.via, snap)
        culprit = (
            controller
            if controller and snap.canon(culprit) == snap.canon(one.via)
            else template(one.via, culprit, snap)
        )
        says = says.replace(one.via.name or "", "") if one.via.name else says
    return one.id, snap.canon(culprit), one.confidence, _QUOTED.sub(lambda m: _CHANGES.sub("0", m[0]), says)


def _merge(kept: CauseMatch, other: CauseMatch) -> CauseMatch:
    blocks = unique((*kept.finding.blocks, *other.finding.blocks))
    also = unique((*kept.also, *(() if other.via is None or other.via == kept.via else (other.via,))))
    return replace(
        kept, finding=replace(kept.finding, blocks=tuple(sorted(blocks, key=lambda r: r.key))), also=also
    )


def _find_controller(pod: Ref, snap: Snapshot) -> Ref | None:
    owners = snap.one(Owners, pod)
    return owners.controller if owners else None
