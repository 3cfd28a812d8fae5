"""Decides which Refs mean the same object, with the fullest Ref of each; further facts extend it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unstuck.facts.core import Fact, Ref, Same, find_refs
from unstuck.facts.record import Record, record

_Name = tuple[str, str | None, str]


@record()
class Things(Record):
    """Every Ref seen, joined by uid, by name and by readers' statements.

    canon: Ref → the fullest Ref of the same object. assumed: Refs joined by assumption only. seen: every Ref
    in a fact. by_uid, by_name: one Ref with it. A name without a uid is unambiguous only with a single uid
    for the name (unlike a StatefulSet's next Pod): an ambiguous name maps to None. uids: the only uid of a
    name.
    """

    canon: Mapping[Ref, Ref]
    assumed: frozenset[Ref]
    seen: frozenset[Ref]
    by_uid: Mapping[tuple[str, str], Ref]
    by_name: Mapping[_Name, Ref | None]
    uids: Mapping[_Name, str]

    def plus(self, facts: Iterable[Fact]) -> tuple[Things, Mapping[Ref, Ref]] | None:
        """Add facts; also return superseded Refs → their replacements.

        Return None if a fact separates joined Refs: then the whole join must be repeated.
        """
        more = list(facts)
        fresh = frozenset(r for f in more for r in find_refs(f)) - self.seen
        by_uid, by_name, uids = dict(self.by_uid), dict(self.by_name), dict(self.uids)
        crowded = _find_crowded_names(fresh, uids)
        if any(by_name.get(name) for name in crowded):
            return None
        by_name.update(dict.fromkeys(crowded))
        classes = _Classes(self.canon, self.seen)
        named: list[tuple[Ref, Ref]] = []
        for ref in fresh:
            if ref.uid:
                first = by_uid.setdefault((ref.kind, ref.uid), ref)
                classes.unite(first, ref)
                if first is ref:
                    named.append((Ref(ref.kind, uid=ref.uid), ref))
            if ref.name:
                name = (ref.kind, ref.within, ref.name)
                first_named = by_name.setdefault(name, ref)
                if first_named is not None:
                    classes.unite(first_named, ref)
                    if first_named is ref:
                        named.append((Ref(*name), ref))
        assumed = set(self.assumed)
        for same in (f for f in more if isinstance(f, Same)):
            classes.unite(same.about, same.other)
            if same.assumed:
                assumed.add(same.about)
        moved = {old: classes.find_root(old) for old in classes.parent if old in self.seen}
        canon = (
            {ref: moved.get(root, root) for ref, root in self.canon.items()} if moved else dict(self.canon)
        )
        canon.update((ref, classes.find_root(ref)) for ref in fresh)
        for short, ref in named:
            canon.setdefault(short, classes.find_root(ref))
        return Things(canon, frozenset(assumed), self.seen | fresh, by_uid, by_name, uids), moved


NOTHING = Things({}, frozenset(), frozenset(), {}, {}, {})


def join_refs(facts: Iterable[Fact]) -> Things:
    """Join the Refs of each object, from all facts."""
    joined = NOTHING.plus(facts)
    if joined is None:
        raise AssertionError("nothing is joined yet that could be taken apart")
    return joined[0]


def _find_crowded_names(fresh: Iterable[Ref], uids: dict[_Name, str]) -> set[_Name]:
    """Return the names with two uids by now. uids: is filled."""
    crowded: set[_Name] = set()
    for ref in fresh:
        if ref.name and ref.uid:
            name = (ref.kind, ref.within, ref.name)
            if uids.setdefault(name, ref.uid) != ref.uid:
                crowded.add(name)
    return crowded


class _Classes:
    """Classes of equivalent Refs (union-find), each represented by its fullest Ref. parent: additions to
    `canon`.
    """

    def __init__(self, canon: Mapping[Ref, Ref], seen: frozenset[Ref]) -> None:
        self._canon, self._seen = canon, seen
        self.parent: dict[Ref, Ref] = {}

    def find_root(self, ref: Ref) -> Ref:
        """Return the representative of this Ref."""
        # The short forms in `canon` represent themselves once a fact has them.
        ref = self._canon[ref] if ref in self._seen else ref
        while (up := self.parent.get(ref)) is not None:
            ref = up
        return ref

    def unite(self, a: Ref, b: Ref) -> None:
        """Unite the classes of two Refs."""
        a, b = self.find_root(a), self.find_root(b)
        if a != b:
            keep, drop = sorted((a, b), key=lambda r: (-_rate_completeness(r), r.key))
            self.parent[drop] = keep


def _rate_completeness(ref: Ref) -> int:
    return sum(part is not None for part in (ref.within, ref.name, ref.uid)) * 2 - (ref.block is not None)
