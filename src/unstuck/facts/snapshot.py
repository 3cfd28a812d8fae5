"""All facts of one moment, looked up by type and subject. Order and repetition of facts change nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from unstuck.facts.core import F, Fact, Ref, Refused, Same, Want, refs_in


class Snapshot:
    """All facts of one moment.

    facts: any iterable; a set is made of it. now: the moment, in UTC; nothing below reads a clock.
    sources: what was asked, as `live:CONTEXT`, `node:NAME`, `file:PATH`.
    """

    def __init__(self, facts: Iterable[Fact], now: datetime, sources: Iterable[str] = ()) -> None:
        self.now = now
        self.facts: frozenset[Fact] = frozenset(facts)
        self.sources: tuple[str, ...] = tuple(sorted(set(sources)))
        self._canon, self._assumed = _join(self.facts)
        self._by: dict[tuple[type[Fact], Ref], list[Fact]] = {}
        self._of_type: dict[type[Fact], list[Fact]] = {}
        for fact in sorted(self.facts, key=repr):
            self._by.setdefault((type(fact), self.canon(fact.about)), []).append(fact)
            self._of_type.setdefault(type(fact), []).append(fact)

    def canon(self, ref: Ref) -> Ref:
        """The fullest Ref known for the same thing."""
        found = self._canon.get(ref)
        if found is not None:
            return found
        if ref.uid and (by_uid := self._canon.get(Ref(ref.kind, uid=ref.uid))):
            return by_uid
        return self._canon.get(Ref(ref.kind, ref.within, ref.name), ref)

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Facts of this type about this subject, in a fixed order."""
        return tuple(f for f in self._by.get((kind, self.canon(about)), ()) if isinstance(f, kind))

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Facts of this type about anything, in a fixed order."""
        return tuple(f for f in self._of_type.get(kind, ()) if isinstance(f, kind))

    def one(self, kind: type[F], about: Ref) -> F | None:
        """The whole fact of this type if there is one, else the first, else None."""
        facts = self.of(kind, about)
        return next((f for f in facts if f.whole), facts[0] if facts else None)

    def sure(self, fact: Fact) -> bool:
        """False where the fact was attributed to its subject by assumption."""
        return fact.about not in self._assumed

    def refused(self, want: Want) -> Refused | None:
        """Why this Want stays open, if it was put and refused."""
        return next((r for r in self.of(Refused, want.about) if r.want == want.fact.__name__), None)

    def answered(self, want: Want) -> bool:
        """Whether asking again could tell anything new."""
        return self.refused(want) is not None or any(f.whole for f in self.of(want.fact, want.about))

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """Everything of this kind that any fact is about or mentions, once each."""
        return tuple(sorted({c for c in self._canon.values() if c.kind == kind}, key=lambda r: r.key))

    def plus(self, more: Iterable[Fact], sources: Iterable[str] = ()) -> Snapshot:
        """This Snapshot and more facts of the same moment."""
        return Snapshot(self.facts | frozenset(more), self.now, (*self.sources, *sources))


def _join(facts: frozenset[Fact]) -> tuple[dict[Ref, Ref], set[Ref]]:
    """Every Ref seen → the fullest Ref of the same thing; and which Refs were joined by assumption only."""
    refs = {r for f in facts for r in refs_in(f)}
    parent: dict[Ref, Ref] = {}

    def root(ref: Ref) -> Ref:
        while parent.get(ref, ref) != ref:
            ref = parent[ref]
        return ref

    def unite(a: Ref, b: Ref) -> None:
        a, b = root(a), root(b)
        if a != b:
            keep, drop = sorted((a, b), key=lambda r: (-_known(r), r.key))
            parent[drop] = keep

    by_uid: dict[tuple[str, str], Ref] = {}
    by_name: dict[tuple[str, str, str], list[Ref]] = {}
    for ref in sorted(refs, key=lambda r: r.key):
        if ref.uid:
            unite(by_uid.setdefault((ref.kind, ref.uid), ref), ref)
        if ref.name:
            by_name.setdefault((ref.kind, ref.within or "", ref.name), []).append(ref)
    for named in by_name.values():
        # A name without a uid is the named thing only while no two uids claim the name (a StatefulSet's next Pod).
        if len({r.uid for r in named if r.uid}) <= 1:
            for ref in named[1:]:
                unite(named[0], ref)
    assumed: set[Ref] = set()
    for same in sorted((f for f in facts if isinstance(f, Same)), key=repr):
        unite(same.about, same.other)
        if same.assumed:
            assumed.add(same.about)
    canon = {ref: root(ref) for ref in refs}
    for ref, whole in list(canon.items()):
        if ref.uid:
            canon.setdefault(Ref(ref.kind, uid=ref.uid), whole)
        if ref.name and len({r.uid for r in by_name[(ref.kind, ref.within or "", ref.name)] if r.uid}) <= 1:
            canon.setdefault(Ref(ref.kind, ref.within, ref.name), whole)
    return canon, assumed


def _known(ref: Ref) -> int:
    return sum(part is not None for part in (ref.within, ref.name, ref.uid)) * 2 - (ref.block is not None)
