"""Reasons not to call a text without findings healthy: no object in it is known to be fine, or a line
contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.masking import mask
from unstuck.diagnosis.gravity import FAILING, FATAL
from unstuck.diagnosis.text import told_apart
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.cluster import ApiService
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, Text
from unstuck.facts.vocabulary.kinds import EFFECTS

say = Messages(__name__)

_LONGEST = 300
_PODS = ("pods", "count/pods")


def find_alarming_line(lines: Sequence[str], missed: Sequence[tuple[int, int]]) -> str | None:
    """Return the line of a text that looks most like a reason: the first fatal line, else an unrecognised
    line that reports a failure. missed: (first, last) numbers of unrecognised lines, from 1.
    """
    unread = (lines[n - 1] for first, last in missed for n in range(first, min(last, len(lines)) + 1))
    found = next((line for line in lines if FATAL.search(line)), None) or next(
        (line for line in unread if FAILING.search(line)), None
    )
    return mask(found.strip())[:_LONGEST] if found else None


def find_doubt(snap: Snapshot, lines: Sequence[str], evaluator: Evaluator) -> Text | None:
    """Return the reason not to call a text without findings fine, None if there is none. lines: the lines
    that look like a reason.

    evaluator: the text's evaluator.
    """
    quoted = next(iter([*lines, *_list_alarming_quotes(snap)]), None)
    if quoted is not None:
        return say("no object in it was seen to be ill, but this looks like a reason: {line}", line=quoted)
    if not _any_looks_fine(snap, evaluator):
        return say("nothing in it tells of an object whether it is well")
    return None


def _list_alarming_quotes(snap: Snapshot) -> Iterator[str]:
    """Yield quotes of failures, and of healthy objects that block others."""
    # A failure without a time may be unresolved.
    yield from (f.src.quote or f.message for f in snap.every(Failure) if f.src.at is None and f.first is None)
    yield from (f.src.quote or told_apart(f.about) for f in snap.every(ApiService) if f.available is False)
    yield from (
        f"{told_apart(f.about)}: {what}: 0"
        for f in snap.every(Quota)
        for what, most in f.hard
        if what in _PODS and most == "0"
    )


def _any_looks_fine(snap: Snapshot, evaluator: Evaluator) -> bool:
    """Tell whether an object looks fine; one that has an effect only through others does not by itself."""
    about: dict[Ref, None] = dict.fromkeys(snap.canon(f.about) for f in snap.facts)
    states = [(ref.kind, evaluator.line_of(ref, snap, None)[1]) for ref in about]
    return any(
        state.name in ("fine", "held") and not (state.unjudged and kind in EFFECTS) for kind, state in states
    )
