"""The state that an object reports of itself: its conditions and status words, by their known meanings.

A type or a word that is not known is quoted and never judged; a word that is known to mean trouble is never
passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from unstuck.diagnosis.answer import OwnWords, State, StateName
from unstuck.diagnosis.text import Messages, Text, format_duration, join_texts, same_in_both
from unstuck.facts.aspects.objects import Condition, Conditions, Presence, Touches
from unstuck.facts.aspects.reported import PartCondition, Reported, StatusWord
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record, replace
from unstuck.knowledge.condition_rows import Tone
from unstuck.knowledge.conditions import (
    SUMMARIES,
    find_tone,
    is_deletion_word,
    names_failure,
    names_trouble,
    names_wait,
    reports_error,
    says_outright,
)
from unstuck.knowledge.status_words import NONE, find_word_tone
from unstuck.stages.overdue import is_overdue
from unstuck.stages.pod_deletion import request_time
from unstuck.stages.state_wording import add_headline, choose_threshold
from unstuck.stages.switches import find_last_change
from unstuck.stages.warnings import find_warnings

say = Messages(__name__)

# The longer allowance while its controller reports that it is at work.
_AT_WORK = timedelta(minutes=10)
# After this long, a claim of progress no longer counts.
_LONG = timedelta(hours=1)
# The parts of which each must be well (gateway-api Listener, RouteParentStatus, PolicyAncestorStatus).
_DECISIVE_PARTS = ("status.listeners[", "status.parents[", "status.ancestors[")
_NAMED = 2
_DOUBTS: tuple[Tone, ...] = ("odd", "waits", "moves", "counted")


@record()
class _StatusClaim(Record):
    """One statement of the object's status, with its meaning. whole: it is about the object as a whole."""

    tone: Tone
    own: OwnWords
    whole: bool = False


def judge_by_status(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Return the state by the object's own status; None if the status does not show it."""
    tells = [*_list_claims(ref, snap)]
    ill = [t for t in tells if t.tone == "ill"]
    waits = [t for t in tells if t.tone == "waits"]
    moves = [t for t in tells if t.tone == "moves"]
    well = [t for t in tells if t.tone == "well"]
    if ill:
        return _state_in_words(ref, "stuck", ill, snap, _find_sentences(tells, ill))
    if waits:
        limit = _AT_WORK if moves and after is None else choose_threshold("workload", after)
        brief = choose_threshold("unfinished", after)
        late = [
            t
            for t in waits
            if (not moves and _tells_failure(t))
            or _read_duration(t, ref, snap) >= (brief if not moves and names_failure(t.own.reason) else limit)
        ]
        if late:
            return _state_in_words(ref, "stuck", late, snap, _find_sentences(tells, late))
        begun = min((t for one in waits if (t := _since(one, ref, snap))), default=None)
        # An error that may pass is no progress: nobody knows yet.
        failed = not moves and any(reports_error(t.own.message) for t in waits)
        name: StateName = "unknown" if failed else "progressing"
        return replace(_state_in_words(ref, name, waits, snap), since=begun)
    if behind := _make_outdated_state(ref, snap, after):
        return behind
    if moves:
        late = [t for t in moves if _read_duration(t, ref, snap) >= _LONG]
        return replace(
            _state_in_words(ref, "unknown" if late else "progressing", late or moves, snap), granted=not late
        )
    if odd := [t for t in tells if t.tone == "odd"]:
        return _state_in_words(ref, "unknown", odd, snap)
    unheard = [t for t in tells if t.tone == "unheard"]
    if unheard and not any(t.whole for t in well):
        return _state_in_words(ref, "unknown", unheard, snap)
    if well:
        best = next((t for t in well if t.whole), well[0])
        # Such a word qualifies the word for the whole: healthy, and out of sync.
        beside = [_show(t) for t in tells if t.tone == "nothing" and t.whole and "." in ref.kind]
        says = join_texts([_show(best), *beside], zh="，")
        return add_headline(ref, "fine", says, best.own.since, tuple(dict.fromkeys(t.own.fact for t in well)))
    return None


def _tells_failure(tell: _StatusClaim) -> bool:
    """Tell whether a word for the whole, without a time of its own, stands beside an error: how long it has
    been said cannot be known.
    """
    return tell.whole and tell.own.since is None and reports_error(tell.own.message)


def _find_sentences(tells: Sequence[_StatusClaim], told: Sequence[_StatusClaim]) -> tuple[_StatusClaim, ...]:
    """Return its other statements with a message, if the decisive ones have none: `degraded` does not tell
    why, another condition may.

    For an unknown type, only False counts as a failure.
    """
    if any(t.own.message for t in told):
        return ()
    others = (t for t in tells if t.own.message and t not in told)
    return tuple(t for t in others if t.tone in _DOUBTS or (t.tone == "unheard" and t.own.value == "False"))


def list_own_words(ref: Ref, snap: Facts) -> tuple[OwnWords, ...]:
    """Return the object's own words about its trouble, the worst first."""
    order: tuple[Tone, ...] = ("ill", "waits", "counted", "odd")
    tells = [*_list_claims(ref, snap)]
    return tuple(t.own for tone in order for t in tells if t.tone == tone)


def find_telling_words(ref: Ref, snap: Facts) -> tuple[OwnWords, ...]:
    """Return the object's statements with a message about a present and known trouble, the worst first.

    Statements of its status come first, then warnings from Events, unless the object reports that it is well.
    """
    state = judge_by_status(ref, snap, None)
    told = tuple(w for w in state.own if w.message) if state and state.name == "stuck" else ()
    if told:
        told += tuple(
            t.own for t in _list_claims(ref, snap) if t.own.message and t.own not in told and _is_beside(t)
        )
    # For an object that was not read itself, Events alone do not show its present state.
    if (state and state.name in ("fine", "held")) or not any(
        f.exists and f.whole for f in snap.of(Presence, ref)
    ):
        return told
    warned = find_warnings(ref, snap, lasting=state is not None and state.name == "progressing")
    return (
        *told,
        *(w for w in warned if not any(w.message in t.message or t.message in w.message for t in told)),
    )


def _is_beside(tell: _StatusClaim) -> bool:
    """Tell whether the statement is a second trouble of an unhealthy object: another step that failed, with a
    reason.

    An unknown type alone claims nothing.
    """
    return tell.tone in ("waits", "odd") or (
        tell.tone in ("unheard", "nothing") and tell.own.value == "False" and names_trouble(tell.own.reason)
    )


def find_ill_words(ref: Ref, snap: Facts) -> tuple[OwnWords, ...]:
    """Return its statements about itself if it has been unwell for longer than allowed, the worst first."""
    state = judge_by_status(ref, snap, None)
    return state.own if state and state.name in ("stuck", "unknown") else ()


def find_outright_conditions(ref: Ref, snap: Facts) -> tuple[Conditions, ...]:
    """Return the conditions whose reason alone is a trouble, at which the controller stopped."""
    return tuple(
        f
        for f in snap.of(Conditions, ref)
        if any(says_outright(ref.kind, c.type, c.status, c.reason) for c in f.items)
    )


def find_waiting_words(ref: Ref, snap: Facts) -> tuple[OwnWords, ...]:
    """Return its statements, with a message, about its waiting or work, of any age."""
    return tuple(t.own for t in _list_claims(ref, snap) if t.tone in ("waits", "moves") and t.own.message)


def find_deletion_words(ref: Ref, snap: Facts) -> tuple[OwnWords, ...]:
    """Return the statements, with a message, of an object with a late deletion on why it still exists, the
    worst first.

    Only statements that name a step of a deletion, or that are younger than the request: an older trouble may
    be unrelated.
    """
    begun = request_time(late[0]) if (late := is_overdue(ref, snap).hits) else None
    order: tuple[Tone, ...] = ("ill", "waits", "odd", "unheard", "nothing")
    tells = [t for t in _list_claims(ref, snap) if t.own.message and late and _is_of_deletion(t, begun)]
    found = [t.own for tone in order for t in tells if t.tone == tone]
    return tuple(w for n, w in enumerate(found) if w.message not in [o.message for o in found[:n]])


def _is_of_deletion(tell: _StatusClaim, begun: datetime | None) -> bool:
    named = is_deletion_word(tell.own.field.removeprefix("condition ")) or is_deletion_word(tell.own.reason)
    if tell.tone in ("ill", "waits", "odd"):
        return named or (begun is not None and tell.own.since is not None and tell.own.since >= begun)
    # `Deleting=True` is an action in progress; `DrainingSucceeded=False`, an unknown type, an unfinished one.
    going = is_deletion_word(tell.own.field.removeprefix("condition ")) and tell.own.value == "True"
    return going if tell.tone == "nothing" else named and tell.own.value == "False"


# --- statements --------------------------------------------------------------------------------------------


def _list_claims(ref: Ref, snap: Facts) -> Iterator[_StatusClaim]:
    by = _name_writer(ref, snap)
    for fact in snap.of(Conditions, ref):
        for c in fact.items:
            yield _StatusClaim(
                _judge_tone(ref, c),
                make_condition_words("", c, by, fact),
                c.type in SUMMARIES and c.status == "True",
            )
    for told in snap.of(Reported, ref):
        for part in told.parts:
            # An unknown part does not make the whole unknown.
            if (tone := _judge_part(ref, part, snap)) != "unheard":
                yield _StatusClaim(tone, make_condition_words(f"{part.part} ", part.condition, by, told))
        for word in told.words:
            yield _StatusClaim(_word_tone(ref, word), _make_status_words(word, by, told), whole=True)
        yield from _list_row_claims(ref, snap, told, by)
        yield from _list_doubts(ref, snap, told, by)
        for error in told.errors:
            warns = error.field.lower().endswith("warnings")
            yield _StatusClaim(
                "odd" if warns or _is_well(ref, snap) else "ill",
                OwnWords(error.field, "", "", error.value, error.since, by, told),
            )


def _list_row_claims(ref: Ref, snap: Facts, told: Reported, by: str) -> Iterator[_StatusClaim]:
    """Yield the statements of the object's parts. As with parts that have conditions, only an error or a word
    known to mean trouble counts for the whole.
    """
    if not told.rows:
        return
    # An unhealthy word for the whole is as recent as the words for its parts.
    well = _is_well(ref, snap) and not _has_failed(ref, told)
    for row in told.rows:
        if not row.value and row.field.rpartition(".")[2].startswith("last"):
            # It may be resolved by now.
            if not well:
                yield _StatusClaim("odd", _make_status_words(row, by, told))
            continue
        tone = find_word_tone(ref.kind, row.field, row.value) if row.value else "ill"
        listed = row.value and row.field.endswith("]")
        if tone == "ill" and (listed or not well):
            yield _StatusClaim("odd" if well else "ill", _make_status_words(row, by, told))
        elif tone in ("waits", "moves") and not well and not _says_itself(ref, snap):
            yield _StatusClaim(tone, _make_status_words(row, by, told))


def _list_doubts(ref: Ref, snap: Facts, told: Reported, by: str) -> Iterator[_StatusClaim]:
    """Yield what its numbers and flags say against it. A number holds even of an object that reports itself
    healthy, and so does a word for one named thing; a flag or a word for a section may be old.
    """
    made = next((f.created for f in snap.of(Presence, ref) if f.created), None)
    tone: Tone = "moves" if made and snap.now - made < _AT_WORK else "odd"
    for word in told.doubts:
        place, _, name = word.field.rpartition(".")
        # A word is about the whole by a name such as `state`, and about a part by `associationStatus`.
        if word.value[:1].isdecimal() or not name.islower() or place != "status" or not _is_well(ref, snap):
            yield _StatusClaim(tone, _make_status_words(word, by, told))


def _says_itself(ref: Ref, snap: Facts) -> bool:
    """Tell whether the status makes any statement about the object as a whole."""
    return any(f.items for f in snap.of(Conditions, ref)) or any(f.words for f in snap.of(Reported, ref))


def _judge_tone(ref: Ref, c: Condition) -> Tone:
    return find_tone(ref.kind, c.type, c.status, c.reason)


def _judge_part(ref: Ref, part: PartCondition, snap: Facts) -> Tone:
    """Return the tone of a part's condition for the object. Of one that reports itself healthy, most parts
    only give rise to doubt; what is not outright unhealthy counts after a while.
    """
    tone, since = _judge_tone(ref, part.condition), part.condition.since
    if part.part.startswith(_DECISIVE_PARTS):
        return tone
    lately = tone != "ill" and since is not None and snap.now - since < _AT_WORK
    if lately or tone not in ("ill", "waits", "odd"):
        return "unheard"
    return "odd" if tone == "odd" or _is_well(ref, snap) else tone


def _word_tone(ref: Ref, word: StatusWord) -> Tone:
    """Return the tone of a word; a word for work in progress, beside the thing it waits for, is unhealthy if
    it lasts.
    """
    tone = find_word_tone(ref.kind, word.field, word.value)
    return "waits" if tone == "moves" and names_wait(word.message) else tone


def _is_well(ref: Ref, snap: Facts) -> bool:
    """Tell whether the object reports itself healthy: an error beside that may be old."""
    conditions = (c for f in snap.of(Conditions, ref) for c in f.items)
    words = (w for f in snap.of(Reported, ref) for w in f.words)
    return any(c.type in SUMMARIES and _judge_tone(ref, c) == "well" for c in conditions) or any(
        find_word_tone(ref.kind, w.field, w.value) == "well" for w in words
    )


def _has_failed(ref: Ref, told: Reported) -> bool:
    """Tell whether the status as a whole reports a failure: a row with the failed part is as recent as
    that.
    """
    return any(find_word_tone(ref.kind, w.field, w.value) == "ill" for w in told.words)


def make_condition_words(part: str, c: Condition, by: str, fact: Fact) -> OwnWords:
    """Return a condition in its own words. part: what it is about, and a blank; "" of the whole object."""
    return OwnWords(f"{part}condition {c.type}", c.status, c.reason, c.message, c.since, by, fact)


def _make_status_words(word: StatusWord, by: str, fact: Fact) -> OwnWords:
    return OwnWords(word.field, word.value, "", word.message, word.since, by, fact)


def _name_writer(ref: Ref, snap: Facts) -> str:
    """Return the last writer of its status, "" if unknown."""
    rows = [
        (t.at is not None, t.at or snap.now, t.manager)
        for f in snap.of(Touches, ref)
        for t in f.items
        if t.manager and any(p.startswith("status.") or p == "status" for p in t.fields)
    ]
    return max(rows, default=(False, snap.now, ""))[2]


# --- how long, and in which words ---------------------------------------------------------------------------


def _since(tell: _StatusClaim, ref: Ref, snap: Facts) -> datetime | None:
    return tell.own.since or next((f.created for f in snap.of(Presence, ref) if f.created), None)


def _read_duration(tell: _StatusClaim, ref: Ref, snap: Facts) -> timedelta:
    """Return how long the status has said so; `_LONG` if its beginning is unknown."""
    since = _since(tell, ref, snap)
    return snap.now - since if since else timedelta.max


def _make_outdated_state(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Return the state of an object whose controller has not seen the newest spec yet, so its status is
    outdated.
    """
    fact = next(
        (f for f in snap.of(Reported, ref) if f.generation is not None and f.observed is not None), None
    )
    if fact is None or fact.generation is None or fact.observed is None or fact.observed >= fact.generation:
        return None
    says = say(
        "its controller has not looked at generation {generation} yet, the last one was {observed}",
        generation=fact.generation,
        observed=fact.observed,
    )
    since = find_last_change(ref, snap)
    late = since is not None and snap.now - since >= choose_threshold("workload", after)
    # Kubernetes' own controllers all write observedGeneration; other controllers may have stopped doing so.
    name: StateName = "progressing" if not late else "unknown" if "." in ref.kind else "stuck"
    return add_headline(ref, name, says, since, (fact,))


def _state_in_words(
    ref: Ref,
    name: StateName,
    tells: Sequence[_StatusClaim],
    snap: Facts,
    sentences: Sequence[_StatusClaim] = (),
) -> State:
    shown = [*dict.fromkeys(_show(t) for t in tells)]
    says = join_texts(shown[:_NAMED], zh="，")
    if len(shown) > _NAMED:
        says += say(" and {more} more", more=len(shown) - _NAMED)
    since = min((t.own.since for t in tells if t.own.since), default=None)
    if since:
        span = format_duration(snap.now - since)
        says += say(" for {span}", span=span)
    if reasons := [t.own.reason for t in (*tells[:_NAMED], *sentences[:1]) if t.own.reason]:
        told = ", ".join(dict.fromkeys(reasons))
        says += say(": {told}", told=told)
    evidence = tuple(dict.fromkeys(t.own.fact for t in (*tells, *sentences)))
    state = add_headline(ref, name, says, since, evidence)
    return replace(state, own=tuple(t.own for t in (*tells, *sentences)))


def _show(tell: _StatusClaim) -> Text:
    own = tell.own
    if own.value == NONE:
        return say("has no {field}", field=own.field)
    if not own.value:
        return say("reports {field}", field=own.field)
    between = ": " if " " in own.value else "="
    return same_in_both(f"{own.field.replace('condition ', '')}{between}{own.value}")
