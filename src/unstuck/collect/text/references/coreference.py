"""Two partial references become one only here, where the whole text was seen; the conclusion is a fact, an
assumed `Same`.

A reference without a name is the one Pod of the text that it can be, if there is exactly one. A uid is never
joined to another uid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge

from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.host import MountHolders, UnitFile
from unstuck.facts.aspects.objects import Conditions, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Fact, Ref, Same, Source, find_refs
from unstuck.facts.regex import regex

_KINDS = ("Pod", "Node", "PersistentVolumeClaim")
# Of these only unnamed ones are resolved.
_WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_LAYER = regex(r"/(?P<id>[0-9a-f]{64})(?:/merged)?$")


def find_joins(facts: Iterable[Fact], name: str, kept: Sequence[Placement] = ()) -> Iterator[Same]:
    """Yield the conclusions for one text. name: of the text. kept: the node whose log names a Pod's
    container.
    """
    facts = list(facts)
    mounts = list(_join_mounts(facts))
    yield from mounts
    yield from _join_units(facts, {m.other.within for m in mounts if m.other.within})
    yield from _join_machines(facts, kept)
    refs = {r for f in facts for r in find_refs(f)}
    yield from _join_neighbours(facts, refs, name)
    # A placed Pod cannot be the Pod that the scheduler refuses.
    up = {f.about for f in facts if _shows_placement(f)}
    refused = {f.about for f in facts if isinstance(f, Unschedulable) and f.about.block}
    # A ready Pod cannot be the Pod with a failure reported by its kubelet.
    well = {
        f.about
        for f in facts
        if isinstance(f, Conditions) and (ready := f.get("Ready")) and ready.status == "True"
    }
    failing = {
        f.about
        for f in facts
        if isinstance(f, Failure) and f.about.block and f.reporter.partition(",")[0] == "kubelet"
    }
    for kind in (*_KINDS, *_WORKLOADS):
        of_kind = sorted((r for r in refs if r.kind == kind), key=lambda r: r.key)
        partials = [r for r in of_kind if not _is_full(r) and (r.block or kind in _KINDS)]
        named = _NamedRefs(of_kind if partials else [])
        waiting = _NamedRefs([r for r in of_kind if r not in up]) if partials and up else named
        ailing = _NamedRefs([r for r in of_kind if r not in well]) if partials and well else named
        for partial in partials:
            among = waiting if partial in refused else ailing if partial in failing else named
            if other := among.find_only(partial):
                yield Same(
                    about=partial,
                    other=other,
                    src=Source(name, f"the only {kind} in this text that {partial} can be"),
                )


def _join_neighbours(facts: Sequence[Fact], refs: Collection[Ref], name: str) -> Iterator[Same]:
    """Join the failures of nameless Pods to the nameless one whose containers are described directly above,
    in a text that names no Pod: they are its events.
    """
    if any(r.kind == "Pod" and _is_named(r) for r in refs):
        return
    described = {f.about for f in facts if isinstance(f, ContainerStatuses) and f.about.block}
    failing = {f.about for f in facts if isinstance(f, Failure) and f.about.kind == "Pod" and f.about.block}
    ends = {_list_lines(pod)[1]: pod for pod in described}
    for pod in sorted(failing - described, key=_list_lines):
        first, last = _list_lines(pod)
        if above := ends.get(first - 1):
            ends[last] = above
            src = Source(name, f"its lines stand directly below those of {above}, and no Pod is named")
            yield Same(about=pod, other=above, src=src)


def _list_lines(ref: Ref) -> tuple[int, int]:
    """Return the first and the last line of a block."""
    first, _, last = (ref.block or "").rpartition(":")[2].partition("-")
    return (int(first), int(last or first)) if first.isdecimal() and (last or "0").isdecimal() else (0, 0)


def _shows_placement(fact: Fact) -> bool:
    """Tell whether a fact shows that a Pod has a Node."""
    if isinstance(fact, Placement):
        return fact.node is not None
    return isinstance(fact, ContainerStatuses) or (isinstance(fact, Phase) and fact.phase != "Pending")


def is_settled(facts: Iterable[Fact]) -> bool:
    """Tell whether these facts name every Pod and every Node in full, so that no other line can complete
    them.
    """
    return not any(r.kind in _KINDS and not _is_full(r) for f in facts for r in find_refs(f))


class _NamedRefs:
    """References of one kind that name something, in order; indexed, so that the cost per reference does not
    grow with their number.
    """

    def __init__(self, refs: Iterable[Ref]) -> None:
        self._refs = [r for r in refs if _is_named(r)]
        self._by: dict[tuple[str, str | None], list[int]] = {}
        for n, ref in enumerate(self._refs):
            keys = [("uid", ref.uid), ("name", ref.name)]
            if _count_known(ref) > 1 and (ref.uid is None or ref.name is None):
                said = "named" if ref.uid is None else "numbered"
                keys += [(said, ref.within), (f"{said} anywhere", None)]
            for key in keys:
                self._by.setdefault(key, []).append(n)

    def find_only(self, partial: Ref) -> Ref | None:
        """Return the only object that a partial reference can mean; None if there are several, or none."""
        groups: list[list[Ref]] = []
        for ref in self._find_candidates(partial):
            if ref == partial or not _is_compatible(partial, ref):
                continue
            home = next((g for g in groups if any(_is_same(ref, r) for r in g)), None)
            if home is not None:
                home.append(ref)
            elif groups:
                return None
            else:
                groups.append([ref])
        return max(groups[0], key=lambda r: (_count_known(r), r.key)) if groups else None

    def _find_candidates(self, partial: Ref) -> Iterator[Ref]:
        """Yield the objects that a partial reference may mean, in order."""
        key = ("uid", partial.uid) if partial.uid else ("name", partial.name) if partial.name else None
        if key is None or partial.block is not None:
            return iter(self._refs)
        said = "named" if partial.uid else "numbered"
        keys = (
            [key, (f"{said} anywhere", None)]
            if partial.within is None
            else [key, (said, partial.within), (said, None)]
        )
        return (self._refs[n] for n in merge(*(self._by.get(k, []) for k in keys)))


def _join_mounts(facts: Iterable[Fact]) -> Iterator[Same]:
    """Join a mount listed on a node with the failing mount there that has another name for the same place; on
    an unnamed node, with that of the only Node on which the same path fails in this text.

    A layer's directory is named by a unique id, so it is the same directory below another data root (a link,
    or a second root).
    """
    facts = list(facts)
    placed = _find_placements(facts)
    by_place: dict[str, list[Failure]] = {}
    for f in facts:
        if isinstance(f, Failure) and f.path:
            for place in _list_places(f.path):
                by_place.setdefault(place, []).append(f)
    for mount in sorted({f.about for f in facts if isinstance(f, MountHolders)}, key=lambda r: r.key):
        failing = {
            Ref("Mount", node.name, f.path)
            for place in _list_places(mount.name or "")
            for f in by_place.get(place, ())
            if (node := f.about if f.about.kind == "Node" else _find_node(f.about, placed)) and node.name
            if mount.within in (None, node.name)
        }
        if len({r.within for r in failing}) == 1 and mount not in failing:
            for other in sorted(failing, key=lambda r: r.key):
                yield Same(
                    about=mount,
                    other=other,
                    src=Source("reader", f"the only Node in this text where {other.name} fails"),
                )


def _join_units(facts: Iterable[Fact], nodes: set[str]) -> Iterator[Same]:
    """Join a unit's file shown on an unnamed node to that of the one Node whose mounts the text shows."""
    if len(nodes) != 1:
        return
    node = next(iter(nodes))
    for unit in sorted(
        {f.about for f in facts if isinstance(f, UnitFile) and f.about.within is None}, key=lambda r: r.key
    ):
        yield Same(
            about=unit,
            other=Ref("Unit", node, unit.name),
            src=Source("reader", f"the only Node in this text, {node}"),
        )


def _join_machines(facts: Iterable[Fact], kept: Iterable[Placement]) -> Iterator[Same]:
    """Join the node whose log names a Pod's container to the Node to which that Pod is bound."""
    kept = list(kept)
    held = set(kept)
    bound = _find_placements(f for f in facts if f not in held)
    for placed in kept:
        node = _find_node(placed.about, bound)
        if placed.node and node and node.name != placed.node.name:
            src = Source(
                "reader",
                f"its log tells of a container of {placed.about.name}, which is bound to {node.name}",
            )
            yield Same(about=placed.node, other=node, src=src)


def _list_places(path: str) -> set[str]:
    """Return the keys of a mount point: its path, and its layer's id."""
    # /var/run is a link to /run (Filesystem Hierarchy Standard 3.0).
    at = path.removeprefix("/var") if path.startswith("/var/run/") else path
    layer = _LAYER.search(path)
    return {at, layer["id"]} if layer else {at}


# By the Pod's name.
_NodesByPod = Mapping[str | None, Sequence[tuple[Ref, Ref]]]


def _find_placements(facts: Iterable[Fact]) -> _NodesByPod:
    out: dict[str | None, dict[Ref, Ref]] = {}
    for f in facts:
        if isinstance(f, Placement) and f.node and f.about.kind == "Pod":
            out.setdefault(f.about.name, {})[f.about] = f.node
    return {name: tuple(found.items()) for name, found in out.items()}


def _find_node(pod: Ref, placed: _NodesByPod) -> Ref | None:
    return next(
        (node for about, node in placed.get(pod.name, ()) if about == pod or _is_compatible(about, pod)), None
    )


def _is_full(ref: Ref) -> bool:
    if ref.kind == "Node":
        return ref.name is not None
    return bool(ref.name and (ref.within or ref.uid))


def _is_named(ref: Ref) -> bool:
    return bool(ref.name or ref.uid)


def _is_compatible(partial: Ref, other: Ref) -> bool:
    """Tell whether the two do not contradict each other, and the other one is more specific."""
    pairs = ((partial.within, other.within), (partial.name, other.name), (partial.uid, other.uid))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return False
    if partial.uid and other.uid is None and other.name is None:
        return False
    return _count_known(other) > _count_known(partial) or (partial.block is not None and other.block is None)


def _count_known(ref: Ref) -> int:
    return sum(p is not None for p in (ref.within, ref.name, ref.uid))


def _is_same(a: Ref, b: Ref) -> bool:
    if a.uid and b.uid:
        return a.uid == b.uid
    return (
        a.name is not None
        and a.name == b.name
        and (a.within == b.within or a.within is None or b.within is None)
    )
