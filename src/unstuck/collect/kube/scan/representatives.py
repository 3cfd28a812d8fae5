"""Reads one object of each group of ill-looking objects in full; the others are reported as alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.questions.objects import read_object
from unstuck.collect.kube.scan.full_lists import Found
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.facts.aspects.alike import Alike, Other, Unread
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.record import Record, record

# At most this many of one kind are read in full, largest groups first; the others are only counted.
READS = {"Pod": 400, "Node": 60}
OTHERS = 60
TRIES = 3


@record()
class SuspectObject(Record):
    """One object that looks ill. alike: one read object represents all objects with an equal value. node: the
    object's Node.
    """

    ref: Ref
    alike: tuple[str, ...]
    node: str = ""


@record()
class LikeGroup(Record):
    """Objects that look the same, in the order of their names. keep: healthy ones are reported, too."""

    kind: Kind
    members: tuple[SuspectObject, ...]
    keep: bool = False


def group_alike(kind: Kind, found: Iterable[SuspectObject], *, keep: bool = False) -> list[LikeGroup]:
    """Return the largest groups first."""
    groups: dict[tuple[str, ...], list[SuspectObject]] = defaultdict(list)
    for one in found:
        groups[one.alike].append(one)
    ranked = sorted(
        (sorted(g, key=lambda i: i.ref.key) for g in groups.values()), key=lambda g: (-len(g), g[0].ref.key)
    )
    return [LikeGroup(kind, tuple(g), keep) for g in ranked]


def choose_groups(groups: list[LikeGroup], within: str | None) -> tuple[list[LikeGroup], list[Fact]]:
    """Return the objects of one kind to read, and a note on the others (for Pods they are counted elsewhere).
    within: the scanned Namespace.
    """
    if not groups:
        return [], []
    kind = groups[0].kind
    most = READS.get(kind.name, OTHERS)
    rest = sum(len(g.members) for g in groups[most:])
    if not rest or kind.name == "Pod":
        return groups[:most], []
    where = within if kind.namespaced else None
    src = Source(kind.path(where), f"{sum(len(g.members) for g in groups)} look ill")
    return groups[:most], [Unread(about=Ref(f"{kind.name}List", where), src=src, count=rest)]


def read_representative(session: Session, group: LikeGroup, settle: Callable[[Ref], None]) -> Found:
    """Return the first of them that exists and is not healthy after all, with its facts; computed once per
    group.

    settle: called with rows that are gone or healthy.
    """
    return session.remember(group, lambda: _read_first(session, group, settle))


def _read_first(session: Session, group: LikeGroup, settle: Callable[[Ref], None]) -> Found:
    for tried, ill in enumerate(group.members[:TRIES]):
        read = session.object(group.kind, ill.ref)
        if not read.reply.ok:
            if read.reply.object_missing:
                settle(ill.ref)
                continue
            return [ill.ref], read_object(session, read, ill.ref, Want(Presence, ill.ref))
        ref = ref_of(read.reply.doc)
        if ref is None or (is_healthy(read.reply.doc, read.at) and not group.keep):
            settle(ill.ref)
            continue
        facts = read_object(session, read, ref)
        others = tuple(Other(i.ref, i.node) for i in group.members[tried + 1 :])
        if others:
            facts.append(
                Alike(about=ref, src=read.src(f"and {len(others)} like it"), others=others, whole=False)
            )
        return [ref], facts
    return [], []
