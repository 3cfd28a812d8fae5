"""All facts of one moment, looked up by type and subject. Order and repetition of facts change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from unstuck.facts import lookup
from unstuck.facts.core import F, Fact, Ref, Refused, Want
from unstuck.facts.identity import join_refs


class Snapshot:
    """All facts of one moment.

    facts: any iterable, made into a set. now: the moment, in UTC; no later stage reads a clock. sources: in
    the form `live:CONTEXT`, `node:NAME`, `file:PATH`.
    """

    def __init__(self, facts: Iterable[Fact], now: datetime, sources: Iterable[str] = ()) -> None:
        self.now = now
        self.facts: frozenset[Fact] = frozenset(facts)
        self.sources: tuple[str, ...] = tuple(sorted(set(sources)))
        self._things = join_refs(self.facts)
        self._of_type = {
            kind: _NONE.plus(facts, {}, self.canon) for kind, facts in _group_by_type(self.facts).items()
        }
        self._origin = object()
        self._stamps: Mapping[Ref, object] = {}
        self._subjects: dict[str, tuple[Ref, ...]] = {}

    def canon(self, ref: Ref) -> Ref:
        """Return the fullest Ref known for the same thing."""
        canon = self._things.canon
        fullest = canon.get(ref)
        if fullest is not None:
            return fullest
        if ref.uid and (by_uid := canon.get(Ref(ref.kind, uid=ref.uid))):
            return by_uid
        return canon.get(Ref(ref.kind, ref.within, ref.name), ref)

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Return facts of this type about this subject, in a fixed order."""
        # Most looked-up types have no facts.
        of_type = self._of_type.get(kind)
        return of_type.by.get(self.canon(about), ()) if of_type else ()

    def of_canon(self, kind: type[F], canon: Ref) -> tuple[F, ...]:
        """Return the facts as `of` does. canon: the subject's fullest Ref."""
        of_type = self._of_type.get(kind)
        return of_type.by.get(canon, ()) if of_type else ()

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Return facts of this type about anything, in a fixed order."""
        of_type = self._of_type.get(kind)
        return of_type.facts if of_type else ()

    def about(self, ref: Ref) -> Iterator[Fact]:
        """Yield all facts about this subject, of any type."""
        canon = self.canon(ref)
        for of_type in self._of_type.values():
            yield from of_type.by.get(canon, ())

    def one(self, kind: type[F], about: Ref) -> F | None:
        """Return the whole fact of this type if there is one, else the first, else None."""
        return lookup.pick_best(self.of(kind, about))

    def sure(self, fact: Fact) -> bool:
        """Return False if the fact was attributed to its subject by assumption."""
        return fact.about not in self._things.assumed

    def refused(self, want: Want) -> Refused | None:
        """Return why this Want stays open, if it was put and refused."""
        return lookup.find_refusal(want, self)

    def answered(self, want: Want) -> bool:
        """Tell whether asking again could bring anything new."""
        return lookup.is_answered(want, self)

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """Return everything of this kind that any fact is about or mentions, once each."""
        found = self._subjects.get(kind)
        if found is None:
            found = tuple(
                sorted({c for c in self._things.canon.values() if c.kind == kind}, key=lambda r: r.key)
            )
            self._subjects[kind] = found
        return found

    def stamp(self, canon: Ref) -> object:
        """Return an object shared by two Snapshots if one extends the other without new facts about this
        subject.

        canon: the subject's fullest Ref; stamps for an earlier Ref are invalid.
        """
        return self._stamps.get(canon, self._origin)

    def plus(self, more: Iterable[Fact], sources: Iterable[str] = ()) -> Snapshot:
        """Return a Snapshot with further facts of the same moment; indexes of other types are shared instead
        of rebuilt.
        """
        fresh, sources = frozenset(more) - self.facts, tuple(sources)
        if not fresh and set(self.sources).issuperset(sources):
            return self
        joined = self._things.plus(fresh)
        if joined is None:
            return Snapshot(self.facts | fresh, self.now, (*self.sources, *sources))
        grown = object.__new__(Snapshot)
        grown.now, grown.facts = self.now, self.facts | fresh
        grown.sources = tuple(sorted({*self.sources, *sources}))
        grown._things, moved = joined
        grown._subjects = {}
        by_type = _group_by_type(fresh)
        touched = {
            k: t for k, t in self._of_type.items() if k in by_type or not moved.keys().isdisjoint(t.by.keys())
        }
        grown._of_type = {
            **self._of_type,
            **{
                k: (touched.get(k) or _NONE).plus(by_type.get(k, ()), moved, grown.canon)
                for k in (*touched, *by_type)
            },
        }
        grown._origin, again = self._origin, object()
        grown._stamps = {
            **self._stamps,
            **dict.fromkeys((grown.canon(f.about) for f in fresh), again),
            **dict.fromkeys(moved.values(), again),
        }
        return grown


class _FactsOfType:
    """All facts of one type. by: the facts about each thing.

    The facts of all subjects are sorted only on request, which is rare for most types.
    """

    __slots__ = ("_order", "by")

    def __init__(self, by: Mapping[Ref, tuple[Any, ...]], sorted_: _Sorted, added: tuple[Fact, ...]) -> None:
        self.by = by
        # Set as one: several threads may sort at once.
        self._order = (sorted_, added)

    def plus(
        self, more: Iterable[Fact], moved: Mapping[Ref, Ref], canon: Callable[[Ref], Ref]
    ) -> _FactsOfType:
        """Add facts. moved: superseded Refs → the Refs that replace them."""
        fresh = tuple(more)
        changed: dict[Ref, list[Fact]] = {}
        for fact in fresh:
            changed.setdefault(canon(fact.about), []).append(fact)
        by = dict(self.by)
        for old in moved.keys() & by.keys():
            changed.setdefault(moved[old], []).extend(by.pop(old))
        for ref, some in changed.items():
            by[ref] = _sort_facts((*by.get(ref, ()), *some))
        done, added = self._order
        return _FactsOfType(by, done, (*added, *fresh))

    @property
    def facts(self) -> tuple[Any, ...]:
        """All facts in the order of their forms."""
        done, added = self._order
        if added:
            done = done.plus(added)
            self._order = (done, ())
        return done.facts


class _Sorted(NamedTuple):
    """Facts in the order of their forms. forms: of their subjects."""

    facts: tuple[Any, ...]
    forms: tuple[str, ...]

    def plus(self, more: Iterable[Fact]) -> _Sorted:
        """Add facts."""
        fresh = [(repr(f.about), f) for f in more]
        again = {form for form, _ in fresh}
        pairs = sorted((*zip(self.forms, self.facts, strict=True), *fresh), key=_FORM)
        facts = tuple(
            fact
            for form, same in groupby(pairs, key=_FORM)
            for fact in (_sort_facts(tuple(f for _, f in same)) if form in again else (f for _, f in same))
        )
        return _Sorted(facts, tuple(form for form, _ in pairs))


_FORM = itemgetter(0)
_NONE = _FactsOfType({}, _Sorted((), ()), ())


def _sort_facts(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Sort facts by their forms. These begin with the subject, which mostly decides: the rest is not
    written out then.
    """
    if len(facts) == 1:
        return facts
    forms = [repr(f.about) for f in facts]
    if len(set(forms)) < len(forms):
        return tuple(sorted(facts, key=repr))
    return tuple(fact for _, fact in sorted(zip(forms, facts, strict=True), key=_FORM))


def _group_by_type(facts: Iterable[Fact]) -> dict[type[Fact], list[Fact]]:
    of_type: dict[type[Fact], list[Fact]] = {}
    for fact in facts:
        of_type.setdefault(type(fact), []).append(fact)
    return of_type
