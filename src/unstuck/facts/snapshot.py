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
        """The facts of this Snapshot and more facts of the same moment."""
        return Snapshot(self.facts | frozenset(more), self.now, (*self.sources, *sources))


class _Classes:
    """Which Refs are one thing (union-find); the fullest Ref stands for its class."""

    def __init__(self) -> None:
        self._parent: dict[Ref, Ref] = {}

    def root(self, ref: Ref) -> Ref:
        """The Ref that stands for this one."""
        while (up := self._parent.get(ref, ref)) != ref:
            ref = up
        return ref

    def unite(self, a: Ref, b: Ref) -> None:
        """Both are one thing."""
        a, b = self.root(a), self.root(b)
        if a != b:
            keep, drop = sorted((a, b), key=lambda r: (-_known(r), r.key))
            self._parent[drop] = keep


def _join(facts: frozenset[Fact]) -> tuple[dict[Ref, Ref], set[Ref]]:
    """Every Ref seen → the fullest Ref of the same thing; and which Refs were joined by assumption only."""
    refs = sorted({r for f in facts for r in refs_in(f)}, key=lambda r: r.key)
    classes = _Classes()
    by_uid: dict[tuple[str, str], Ref] = {}
    by_name: dict[tuple[str, str | None, str], list[Ref]] = {}
    for ref in refs:
        if ref.uid:
            classes.unite(by_uid.setdefault((ref.kind, ref.uid), ref), ref)
        if ref.name:
            by_name.setdefault((ref.kind, ref.within, ref.name), []).append(ref)
    # A name without a uid is the named thing only while no two uids claim the name (a StatefulSet's next Pod).
    plain = {key: named for key, named in by_name.items() if len({r.uid for r in named if r.uid}) <= 1}
    for named in plain.values():
        for ref in named[1:]:
            classes.unite(named[0], ref)
    assumed: set[Ref] = set()
    for same in sorted((f for f in facts if isinstance(f, Same)), key=repr):
        classes.unite(same.about, same.other)
        if same.assumed:
            assumed.add(same.about)
    canon = {ref: classes.root(ref) for ref in refs}
    for (kind, uid), ref in by_uid.items():
        canon.setdefault(Ref(kind, uid=uid), canon[ref])
    for (kind, within, name), named in plain.items():
        canon.setdefault(Ref(kind, within, name), canon[named[0]])
    return canon, assumed


def _known(ref: Ref) -> int:
    return sum(part is not None for part in (ref.within, ref.name, ref.uid)) * 2 - (ref.block is not None)
