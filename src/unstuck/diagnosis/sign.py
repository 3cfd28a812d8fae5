"""A sign: yes with its hits, no from facts seen whole, or unknown with the facts to ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

from unstuck.facts.core import F, Fact, Ref, Want
from unstuck.facts.lookup import Facts

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Sign(NamedTuple, Generic[T_co]):
    """value: True, False, or None for unknown. hits: the items that make it a yes. seen: the facts read.
    wants: the facts that would decide it.

    sure: False if a fact was attributed to the subject by assumption only.
    """

    value: bool | None
    hits: tuple[T_co, ...] = ()
    seen: tuple[Fact, ...] = ()
    wants: tuple[Want, ...] = ()
    sure: bool = True


_UNHEARD: Sign[Any] = Sign(None)
YES: Sign[Any] = Sign(True)


def unique(items: Iterable[T]) -> tuple[T, ...]:
    """Return the items without repetition, in the order of first appearance."""
    all_ = tuple(items)
    return tuple(dict.fromkeys(all_)) if len(all_) > 1 else all_


def some(
    snap: Facts, kind: type[F], about: Ref, pick: Callable[[F], Iterable[T]], named: Iterable[str | None] = ()
) -> Sign[T]:
    """Return yes where `pick` hits anything in facts of this type about this subject; no only from a whole
    fact.

    named: the paths that an error names. A path outside of the fact's extent is unknown, never no.
    """
    facts = snap.of(kind, about)
    # Mostly there is no such fact.
    if not facts:
        return Sign(None, wants=(Want(kind, about),))
    if yes := _find_hit(facts, snap, pick):
        return yes
    paths = [p for p in named if p and p.startswith("/")] if named else ()
    whole = tuple(
        [f for f in facts if f.whole and snap.sure(f) and (not paths or all(f.reaches(p) for p in paths))]
    )
    return Sign(False, seen=whole) if whole else Sign(None, seen=facts, wants=(Want(kind, about),))


def hearsay(snap: Facts, kind: type[F], about: Ref, pick: Callable[[F], Iterable[T]]) -> Sign[T]:
    """Look as `some` does for facts that come only from messages (`Failure`): never a no, and no
    questions.
    """
    facts = snap.of(kind, about)
    # Mostly there is no such fact.
    return (_find_hit(facts, snap, pick) or _UNHEARD) if facts else _UNHEARD


def _find_hit(facts: Sequence[F], snap: Facts, pick: Callable[[F], Iterable[T]]) -> Sign[T] | None:
    hits: list[T] = []
    seen: list[F] = []
    for fact in facts:
        if found := [*pick(fact)]:
            hits += found
            seen.append(fact)
    return Sign(True, unique(hits), tuple(seen), sure=any(snap.sure(f) for f in seen)) if hits else None


def only_yes(sign: Sign[T]) -> Sign[T]:
    """Keep a yes as it is; any other sign becomes unknown, without evidence and questions."""
    return sign if sign.value else _UNHEARD


def symptom(sign: Sign[T]) -> Sign[T]:
    """Turn a yes into unknown, with its evidence, for messages that report only a missing result: they never
    make a cause likely.

    The object behind them, or the way to it, may be at fault; the text does not show which.
    """
    return Sign(None, sign.hits, sign.seen, sign.wants) if sign.value else sign


def any_of(signs: Sequence[Sign[T]]) -> Sign[T]:
    """Return yes if any sign is yes; no if all are no (and there is one); otherwise the questions of the
    unknown ones.
    """
    yes = [s for s in signs if s.value]
    if yes:
        return Sign(
            True, unique([h for s in yes for h in s.hits]), _list_seen(yes), sure=any(s.sure for s in yes)
        )
    if signs and all(s.value is False for s in signs):
        return Sign(False, seen=_list_seen(signs))
    return Sign(None, seen=_list_seen(signs), wants=_wants(signs))


def _list_seen(signs: Sequence[Sign[Any]]) -> tuple[Fact, ...]:
    return unique([f for s in signs for f in s.seen])


def _wants(signs: Sequence[Sign[Any]]) -> tuple[Want, ...]:
    return unique([w for s in signs for w in s.wants])


@overload
def all_of(signs: tuple[*tuple[Sign[Any], ...], Sign[T]]) -> Sign[T]: ...
@overload
def all_of(signs: Sequence[Sign[T]]) -> Sign[T]: ...
def all_of(signs: Sequence[Sign[T]]) -> Sign[T]:
    """Return no if any sign is no; yes if all are yes; otherwise unknown, with the questions of the unknown
    ones. The hits are the last sign's.
    """
    no = [s for s in signs if s.value is False]
    if no:
        return Sign(False, seen=_list_seen(no))
    if all(s.value for s in signs):
        return Sign(True, signs[-1].hits if signs else (), _list_seen(signs), sure=all(s.sure for s in signs))
    return Sign(None, seen=_list_seen(signs), wants=_wants(signs))


def unless_no(*signs: Sign[Any]) -> Sign[Any]:
    """Return no if any sign is no; else yes: an unknown is left to the rule that needs the signs."""
    no = [s for s in signs if s.value is False]
    return Sign(False, seen=_list_seen(no)) if no else YES


def negate(sign: Sign[T]) -> Sign[T]:
    """Return no for yes and yes for no; unknown stays, with its questions."""
    return (
        sign if sign.value is None else Sign(not sign.value, seen=sign.seen, wants=sign.wants, sure=sign.sure)
    )


def accept_hearsay(authority: Sign[T], hearsay: Sign[T]) -> Sign[T]:
    """Return one sign from two sources: any yes is a yes, but only the authority can say no, and only it
    is asked.
    """
    if authority.value or hearsay.value:
        return any_of([authority, hearsay])
    return authority


def confirm(authority: Sign[T], hearsay: Sign[T]) -> Sign[T]:
    """Let the authority decide; a message alone leaves the question open and is shown."""
    if authority.value is not None:
        return authority
    return Sign(None, hits=hearsay.hits, seen=unique((*authority.seen, *hearsay.seen)), wants=authority.wants)
