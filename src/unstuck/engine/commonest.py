"""Concludes from words with few possible causes, if one of the causes was by far the commonest in public
reports with the same words.

docs/why/commonness.md has the conditions and the counts. Applies to texts only: a live cluster is asked for
the missing facts instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unstuck.diagnosis.answer import Evaluation
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, join_texts
from unstuck.diagnosis.verdict import Match, Undecided
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.same_words import SameWords, find_same_words

say = Messages(__name__)

# The limit of open causes, including the commonest one.
_MOST = 3
# "By far the commonest": at least so many reports, nine in ten of the reports with one of the open causes,
# four in five of all reports.
_ENOUGH = 10
_OF_OPEN = 0.9
_OF_ALL = 0.8
# Objects on a node that only a look at the node shows.
_SEEN_ON_NODE = ("File", "Mount", "Process")


def conclude_commonest(
    judged: Sequence[Evaluation], title: Callable[[str], Text], snap: Snapshot
) -> tuple[Evaluation, ...]:
    """Return the evaluations of one subject; an open cause that is by far the commonest for the words becomes
    likely.

    judged: as the causes' own rules judged them. title: returns a cause's title by its id.
    """
    found = {e.id: c for e in judged if (c := _conclude(e, judged, title))}
    if found and any(f.cost != "api" and f.about.kind in _SEEN_ON_NODE for f in snap.facts):
        # The node was read and the question is still open: commonness adds nothing to that.
        return tuple(judged)
    return tuple(found.get(e.id, e) for e in judged)


def _conclude(
    one: Evaluation, judged: Sequence[Evaluation], title: Callable[[str], Text]
) -> Evaluation | None:
    """Return this cause as likely; None if it is not the commonest, or if there is evidence for another cause
    alone.
    """
    verdict = _open(one)
    counted = _find_counted(verdict) if verdict else None
    if verdict is None or counted is None:
        return None
    words = frozenset(f for f in _list_shown(one) if isinstance(f, Failure))
    others = [e for e in judged if e is not one and words & _list_shown(e)]
    if len(others) >= _MOST or any(
        _open(e) is None or not _list_shown(e) <= _list_shown(one) for e in others
    ):
        return None
    if not is_commonest(one.id, [e.id for e in others], counted):
        return None
    finding = one.signs.finding()
    count = counted.count()
    among = say(
        "{mine} of {all} public reports with these words had this cause",
        mine=count[one.id],
        all=sum(count.values()),
    )
    if others:
        among += say(": it is this, unless {others}", others=join_texts([title(e.id) for e in others]))
    # Ask for the facts that separate the causes: every fact that one of them lacks.
    wants = unique((*verdict.wants, *(w for e in others if (v := _open(e)) for w in v.wants)))
    return one.concluded(
        Match("likely", replace(finding, notes=(*finding.notes, among)), verdict.evidence, wants)
    )


def is_commonest(cause: str, others: Sequence[str], counted: SameWords) -> bool:
    """Tell whether one cause is by far the commonest for these words. others: the other open causes."""
    count = counted.count()
    mine = count.get(cause, 0)
    among_open = mine + sum(count.get(other, 0) for other in others)
    return mine >= _ENOUGH and mine >= _OF_OPEN * among_open and mine >= _OF_ALL * sum(count.values())


def _open(one: Evaluation) -> Undecided | None:
    """Return the verdict of an open cause with evidence."""
    verdict = None if one.shut else one.verdict
    return verdict if isinstance(verdict, Undecided) and verdict.possible else None


def _list_shown(one: Evaluation) -> frozenset[Fact]:
    """Return the evidence for a cause; none for a cause that is ruled out."""
    return frozenset() if one.out else frozenset(e.fact for e in one.verdict.evidence)


def _find_counted(verdict: Undecided) -> SameWords | None:
    """Return the counts of the words that are evidence for a cause; None if there are none, or words of
    several kinds.
    """
    failures = [e.fact for e in verdict.evidence if isinstance(e.fact, Failure)]
    counted = unique(find_same_words(f.operation, f.error) for f in failures)
    return counted[0] if len(counted) == 1 else None
