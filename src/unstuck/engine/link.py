"""Links consequences to their root: A explains B if A blocks B's culprit, or a message about B led to A."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.engine.equal_roots import fold_equal_roots
from unstuck.facts.aspects.references import Makers
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record, replace
from unstuck.facts.snapshot import Snapshot


@record()
class Followed(Record):
    """A reference in a message that was followed. of: the subject of the message. by: the fact with the
    message.
    """

    of: Ref
    by: Fact


Paths = Mapping[Ref, Sequence[Followed]]


def link(
    told: Sequence[CauseMatch],
    subject: Ref,
    snap: Snapshot,
    after: Mapping[str, int] | None = None,
    paths: Paths | None = None,
    below: Mapping[Ref, frozenset[Ref]] | None = None,
) -> tuple[CauseMatch, ...]:
    """Merge by id and culprit, roots first (proven before likely), each followed by its consequences, with
    its reach.

    after: for a cause that holds the subject at a later stage than others, the number of stages before it;
    among equals it comes last. paths: for each subject reached by messages, the messages on the way. below:
    for each subject, the objects that were reached from it.
    """
    merged = _merge(told, subject, snap)
    own = _find_own_faults(told, subject, snap)
    merged.sort(key=lambda one: _order(one, after or {}, subject, snap))
    parents = _find_parents(merged, subject, snap, paths or {}, own, below or {})
    merged, parents, folded = fold_equal_roots(merged, parents, snap)
    order: list[int] = []

    def place(i: int) -> None:
        order.append(i)
        for child in range(len(merged)):
            if parents.get(child) == i:
                place(child)

    for i in range(len(merged)):
        if i not in parents and i not in folded:
            place(i)
    at = {old: new for new, old in enumerate(order)}
    return tuple(
        replace(
            merged[i],
            consequence_of=at[parents[i]] if i in parents else None,
            reach=_reach(i, merged, parents),
        )
        for i in order
    )


def _merge(told: Sequence[CauseMatch], subject: Ref, snap: Snapshot) -> list[CauseMatch]:
    out: dict[tuple[str, Ref], CauseMatch] = {}
    for one in sorted(told, key=lambda one: _order(one, {}, subject, snap)):
        key = (one.id, snap.canon(one.finding.culprit))
        first = out.get(key, one)
        blocks = {snap.canon(b) for b in (*one.finding.blocks, *first.finding.blocks, subject)} - {key[1]}
        finding = replace(first.finding, culprit=key[1], blocks=tuple(sorted(blocks, key=lambda r: r.key)))
        out[key] = replace(first, finding=finding)
    return list(out.values())


def _order(
    one: CauseMatch, after: Mapping[str, int], subject: Ref, snap: Snapshot
) -> tuple[bool, int, bool, str, bool, tuple[str, ...], tuple[str, ...]]:
    place = after.get(one.id, 0) if one.via is None else 0
    # Of what is found on other objects, a trouble that the subject itself makes comes first.
    elsewhere = one.via is not None and snap.canon(one.finding.culprit) != subject
    return (
        one.confidence != "proven",
        place,
        elsewhere,
        one.id,
        # The same trouble of several Pods is told of the one whose node was seen.
        not any(e.fact.cost == "node" for e in one.evidence),
        one.finding.culprit.key,
        one.via.key if one.via else (),
    )


def _find_own_faults(
    told: Sequence[CauseMatch], subject: Ref, snap: Snapshot
) -> Mapping[tuple[str, Ref], frozenset[str]]:
    """Return the proven faults of the subject itself, each with the ids of the causes that say they block it:
    a fault of its definition does not follow from the trouble of whatever it holds.

    A Pod has no such fault: its causes name what is faulty in it.
    """
    own = {(t.id, snap.canon(t.finding.culprit)) for t in told if t.confidence == "proven"}
    blocking = frozenset(t.id for t in told if subject in map(snap.canon, t.finding.blocks))
    return {key: blocking for key in own if key[1] == subject and subject.kind != "Pod"}


def _find_parents(
    told: Sequence[CauseMatch],
    subject: Ref,
    snap: Snapshot,
    paths: Paths,
    own: Mapping[tuple[str, Ref], frozenset[str]],
    below: Mapping[Ref, frozenset[Ref]],
) -> dict[int, int]:
    """Return the root of each cause that has one. Two Pods of a set that name each other explain each other
    no further, but what blocks both does.
    """
    held, led = dict[int, int](), dict[int, int]()
    for i, one in enumerate(told):
        culprit = snap.canon(one.finding.culprit)
        by = own.get((one.id, culprit))
        # What the subject does to another object waits for nothing that was found on a third.
        does = one.via is not None and culprit == subject
        others = [(j, t) for j, t in enumerate(told) if j != i and not (does and t.via is not None)]
        holders = (j for j, t in others if culprit in t.finding.blocks and (by is None or t.id in by))
        holder = None if one.finding.apart else next(holders, None)
        if holder is not None:
            held[i] = holder
        if (
            leads := next(
                (
                    j
                    for j, t in others
                    if _is_led_to(t, one, subject, snap, paths) or _only_reports(one, t, below)
                ),
                None,
            )
        ) is not None:
            led[i] = leads
    either = {i: min(p for p in (held.get(i), led.get(i)) if p is not None) for i in held.keys() | led.keys()}
    straight = {i: p for i, p in held.items() if not _is_cyclic(i, held)}
    clear = {i: p for i, p in either.items() if not _is_cyclic(i, either)}
    both = {**straight, **clear}
    return {i: p for i, p in both.items() if not _is_cyclic(i, both)}


def _only_reports(words: CauseMatch, root: CauseMatch, below: Mapping[Ref, frozenset[Ref]]) -> bool:
    """Tell whether a cause is an object's words alone, and the other was found on an object behind that one:
    the words then report it.
    """
    return (
        words.id.startswith("reported.")
        and not root.id.startswith("reported.")
        and words.via is not None
        and root.via in below.get(words.via, ())
    )


def _is_led_to(root: CauseMatch, other: CauseMatch, subject: Ref, snap: Snapshot, paths: Paths) -> bool:
    """Tell whether the other cause rests on a message that names the root's object, or is about the author of
    that message.
    """
    if root.via is None:
        return False
    # A maker's words about another matter do not tell why it has not made something.
    by_words = [f for f in paths.get(root.via, ()) if not (root.finding.apart and isinstance(f.by, Makers))]
    about = {snap.canon(r) for r in (other.finding.culprit, *other.finding.blocks)}
    facts = {e.fact for e in other.evidence}
    of = other.via or subject
    return any(f.of == of and (f.by in facts or snap.canon(f.by.about) in about) for f in by_words)


def _is_cyclic(i: int, parents: dict[int, int]) -> bool:
    seen = {i}
    while i in parents:
        i = parents[i]
        if i in seen:
            return True
        seen.add(i)
    return False


def _reach(i: int, told: Sequence[CauseMatch], parents: dict[int, int]) -> tuple[tuple[str, int], ...]:
    mine = set(told[i].finding.blocks)
    for child, parent in parents.items():
        if parent == i:
            mine |= set(told[child].finding.blocks)
    # A time span explains a cause, but blocks nothing.
    return tuple(sorted(Counter(r.kind for r in mine if r.kind != "GracePeriod").items()))
