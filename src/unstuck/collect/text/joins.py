"""Two partial references become one only here, where the whole text was seen, and the conclusion is said: `Same`, assumed.

A reference without a name is the one Pod of the text that it can be, if there is exactly one. A uid is never joined to another uid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from unstuck.facts.aspects.host import MountHolders, UnitFile
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Same, Source, refs_in

_KINDS = ("Pod", "Node")
_LAYER = re.compile(r"/(?P<id>[0-9a-f]{64})(?:/merged)?$")


def joins(facts: Iterable[Fact], name: str, kept: Sequence[Placement] = ()) -> Iterator[Same]:
    """The conclusions for one text. name: of the text. kept: on which machine's log a Pod's container was named."""
    facts = list(facts)
    mounts = list(_mounts(facts))
    yield from mounts
    yield from _units(facts, {m.other.within for m in mounts if m.other.within})
    yield from _machines(facts, kept)
    refs = {r for f in facts for r in refs_in(f)}
    for kind in _KINDS:
        of_kind = sorted((r for r in refs if r.kind == kind), key=lambda r: r.key)
        for partial in of_kind:
            if _full(partial):
                continue
            fitting = _things([r for r in of_kind if r != partial and _names_something(r) and _fits(partial, r)])
            if len(fitting) == 1:
                other = fitting[0]
                yield Same(about=partial, other=other, src=Source(name, f"the only {kind} in this text that {partial} can be"))


def _mounts(facts: Iterable[Fact]) -> Iterator[Same]:
    """A mount listed on a machine that no prompt names is that of the one Node where the same text has that very path failing.

    A layer's directory is named by an id that no other has, so that it is the same below another data root (a link, or a second one).
    """
    facts = list(facts)
    placed = _placed(facts)
    for mount in sorted({f.about for f in facts if isinstance(f, MountHolders) and f.about.within is None}, key=lambda r: r.key):
        layer = _layer(mount.name)
        failing = {
            Ref("Mount", node.name, f.path)
            for f in facts
            if isinstance(f, Failure)
            and f.path
            and (f.path == mount.name or (layer is not None and _layer(f.path) == layer))
            and (node := f.about if f.about.kind == "Node" else _node(f.about, placed))
            and node.name
        }
        if len({r.within for r in failing}) == 1:
            for other in sorted(failing, key=lambda r: r.key):
                yield Same(about=mount, other=other, src=Source("reader", f"the only Node in this text where {other.name} fails"))


def _units(facts: Iterable[Fact], nodes: set[str]) -> Iterator[Same]:
    """A unit's file shown on a machine that no prompt names is that of the one Node whose mounts the text shows."""
    if len(nodes) != 1:
        return
    node = next(iter(nodes))
    for unit in sorted({f.about for f in facts if isinstance(f, UnitFile) and f.about.within is None}, key=lambda r: r.key):
        yield Same(about=unit, other=Ref("Unit", node, unit.name), src=Source("reader", f"the only Node in this text, {node}"))


def _machines(facts: Iterable[Fact], kept: Iterable[Placement]) -> Iterator[Same]:
    """The machine whose log tells of a Pod's container is the Node to which that Pod is bound."""
    bound = {f.about: f.node for f in facts if isinstance(f, Placement) and f.node and f not in kept}
    for placed in kept:
        node = _node(placed.about, bound)
        if placed.node and node and node.name != placed.node.name:
            src = Source("reader", f"its log tells of a container of {placed.about.name}, which is bound to {node.name}")
            yield Same(about=placed.node, other=node, src=src)


def _layer(path: str | None) -> str | None:
    """The id in a layer's mount point: the last one of a path that ends in it, or in `ID/merged`."""
    found = _LAYER.search(path or "")
    return found["id"] if found else None


def _placed(facts: Iterable[Fact]) -> dict[Ref, Ref]:
    return {f.about: f.node for f in facts if isinstance(f, Placement) and f.node}


def _node(pod: Ref, placed: Mapping[Ref, Ref]) -> Ref | None:
    return next(
        (
            node
            for about, node in placed.items()
            if about.kind == "Pod" and (about == pod or (about.name == pod.name and _fits(about, pod)))
        ),
        None,
    )


def _full(ref: Ref) -> bool:
    if ref.kind == "Node":
        return ref.name is not None
    return bool(ref.name and (ref.within or ref.uid))


def _names_something(ref: Ref) -> bool:
    return bool(ref.name or ref.uid)


def _fits(partial: Ref, other: Ref) -> bool:
    """Whether nothing that both say differs, and the other says more."""
    pairs = ((partial.within, other.within), (partial.name, other.name), (partial.uid, other.uid))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return False
    if partial.uid and other.uid is None and other.name is None:
        return False
    return _known(other) > _known(partial) or (partial.block is not None and other.block is None)


def _known(ref: Ref) -> int:
    return sum(p is not None for p in (ref.within, ref.name, ref.uid))


def _things(fitting: list[Ref]) -> list[Ref]:
    """One reference for each thing: those that share a uid, or a full name with at most one uid, are one."""
    groups: list[list[Ref]] = []
    for ref in fitting:
        home = next((g for g in groups if any(_same(ref, r) for r in g)), None)
        if home is None:
            groups.append([ref])
        else:
            home.append(ref)
    return [max(g, key=lambda r: (_known(r), r.key)) for g in groups]


def _same(a: Ref, b: Ref) -> bool:
    if a.uid and b.uid:
        return a.uid == b.uid
    return a.name is not None and a.name == b.name and (a.within == b.within or a.within is None or b.within is None)
