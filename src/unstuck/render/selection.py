"""The printed parts of an answer, their order, and the folded rest: one selection for text, Markdown and
HTML.

The order: headline · root causes, each with its fix and the acts to avoid · next command · proof · progress
on the stage line. `group_similar` forms the blocks, `select_content` chooses the content of a block. All
words come from the answer; a format lays out a `BlockContent` and chooses nothing itself. An `Extent` sets
the amount: a terminal tries `EXTENTS` in order until it fits a screen, a page takes `PAGE`, `--all` takes
`ALL`. Omitted parts are counted in `folded`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, OpenCause, OwnWords, find_messages
from unstuck.diagnosis.next import Next
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import RISKY, DoNot, Evidence, Step, is_remedy
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kernel import HungTasks, KernelEvents
from unstuck.facts.aspects.objects import Events, Failure, Phase, Presence
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Placement
from unstuck.facts.aspects.space import DiskSpace
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record, replace
from unstuck.render.evidence import EvidenceRow, find_words, make_rows, place

_NO_LIMIT = 10_000
# The reduction of each limit for a root after the first.
LATER = 2
# The minimum length of a quote: a shorter text may be a name or a number.
_WORDS = 20
# Facts that show only the existence of an object.
_SILENT = (Containers, Presence, Placement)
# Reasons of events that report success.
_ROUTINE = (
    "Killing",
    "Scheduled",
    "Pulling",
    "Pulled",
    "Created",
    "Started",
    "SuccessfulAttachVolume",
    "SuccessfulCreate",
)


@record()
class Extent(Record):
    """Upper limits on roots with their proof and remedy; on rows of proof, notes, consequences and steps of
    each root; on quoted messages, leads, and parts of a placing. A root after the first gets fewer
    (`shorten_later_root`), but always some proof and some steps.

    next: the number of commands; an undecided answer always has at least one. stages: whether stages are
    listed by name.
    """

    roots: int
    rows: int
    notes: int
    follows: int
    steps: int
    says: int
    leads: int
    placing: int
    not_seen: int
    next: int
    stages: int


# Every screen shows a second root: fixing one of two faults does not fix the object.
EXTENTS = (
    Extent(
        roots=3, rows=4, notes=4, follows=4, steps=4, says=3, leads=5, placing=3, not_seen=4, next=2, stages=3
    ),
    Extent(
        roots=3, rows=3, notes=2, follows=3, steps=3, says=3, leads=5, placing=2, not_seen=2, next=2, stages=3
    ),
    Extent(
        roots=2, rows=3, notes=1, follows=2, steps=2, says=2, leads=5, placing=2, not_seen=2, next=1, stages=3
    ),
    Extent(
        roots=2, rows=2, notes=0, follows=1, steps=2, says=1, leads=5, placing=1, not_seen=1, next=1, stages=3
    ),
    Extent(
        roots=2, rows=1, notes=0, follows=0, steps=2, says=1, leads=5, placing=0, not_seen=1, next=1, stages=1
    ),
    Extent(
        roots=2, rows=1, notes=0, follows=0, steps=1, says=1, leads=5, placing=1, not_seen=1, next=1, stages=2
    ),
    Extent(
        roots=2, rows=1, notes=0, follows=0, steps=1, says=1, leads=2, placing=0, not_seen=0, next=1, stages=1
    ),
    Extent(
        roots=2, rows=1, notes=0, follows=0, steps=1, says=1, leads=2, placing=0, not_seen=0, next=0, stages=1
    ),
)
ALL = Extent(*[_NO_LIMIT] * 11)
# A page is read at leisure, without options to ask for more: it shows all but unlikely causes.
PAGE = replace(ALL, rows=12, leads=5, placing=6)


@record()
class QuotedWords(Record):
    """A component's message that no cause explains. by: the component, "" if unknown. source, at: the place
    of the message.
    """

    by: str
    words: str
    source: str
    at: str
    count: int = 1
    last: datetime | None = None


@record()
class RootCause(Record):
    """One root in full. follows: its consequences, each with its depth below the root. folded: the counts of
    its omitted parts.
    """

    cause: CauseMatch
    notes: tuple[Text, ...]
    steps: tuple[Step, ...]
    do_not: tuple[DoNot, ...]
    proof: tuple[EvidenceRow, ...]
    follows: tuple[tuple[int, CauseMatch], ...]
    folded: tuple[tuple[str, int], ...]


@record()
class BlockContent(Record):
    """The content of a block. of: equal answers, represented by the first.

    others: roots shown only by id. says: messages that no cause explains. leads: possible causes; less: the
    number of further ones. areas: the families of the possible causes with their counts, if no single cause
    can be named. seen: rows of evidence for the leads. folded: the counts of all omitted parts.
    """

    of: tuple[Diagnosis, ...]
    whys: tuple[RootCause, ...]
    others: tuple[CauseMatch, ...]
    says: tuple[QuotedWords, ...]
    leads: tuple[OpenCause, ...]
    less: int
    areas: tuple[tuple[str, int], ...]
    do_not: tuple[DoNot, ...]
    next: tuple[Next, ...]
    seen: tuple[EvidenceRow, ...]
    folded: tuple[tuple[str, int], ...]

    @property
    def first(self) -> Diagnosis:
        """The representative of the equal answers."""
        return self.of[0]


def select_content(alike: Sequence[Diagnosis], extent: Extent = PAGE) -> BlockContent:
    """Select the content of one block. alike: its diagnoses."""
    d = alike[0]
    roots = [i for i, t in enumerate(d.causes) if t.consequence_of is None]
    leads, less = _leads(d, extent)
    # Beside a named cause, evidence for other causes comes last.
    room = max(0, extent.rows - 2) if d.causes and extent.rows < _NO_LIMIT else extent.rows
    commands = d.next[: extent.next if d.causes else max(1, extent.next)]
    whys = tuple(
        _why(i, d.causes, shorten_later_root(extent) if n else extent, commands)
        for n, i in enumerate(roots[: extent.roots])
    )
    says = _quoted_words(d) if not d.causes and not any(o.possible for o in leads) else ()
    seen = _render_further_evidence(d, leads, says)
    return BlockContent(
        of=tuple(alike),
        whys=whys,
        others=tuple(d.causes[i] for i in roots[extent.roots :]),
        says=says[: extent.says],
        leads=leads,
        less=less,
        areas=_render_areas(d.undecided) if not d.causes and not leads else (),
        do_not=() if d.causes else unique(a for o in leads for a in o.do_not),
        next=commands,
        seen=tuple(seen[:room]),
        folded=_make_joint_step(
            *(why.folded for why in whys),
            _render_omission_counts(
                rows=len(seen) - room, says=len(says) - extent.says, next=len(d.next) - len(commands)
            ),
        ),
    )


def shorten_later_root(extent: Extent) -> Extent:
    """Return the extent of a root after the first: at full length only if there is room for both."""
    return replace(
        extent,
        rows=max(1, extent.rows - LATER),
        notes=max(0, extent.notes - LATER),
        follows=max(0, extent.follows - LATER),
        steps=max(1, extent.steps - LATER),
    )


def _leads(d: Diagnosis, extent: Extent) -> tuple[tuple[OpenCause, ...], int]:
    """Return the possible causes beside the named ones, and the number of further ones; beside a proven cause
    the others are only counted.
    """
    open_ = {o.id: o for o in d.undecided}
    possible = sum(o.possible for o in d.undecided)
    known = any(t.confidence == "proven" for t in d.causes)
    named = (
        d.leads if known or extent.leads < _NO_LIMIT else [*d.leads, *(i for i in open_ if i not in d.leads)]
    )
    leads = tuple(open_[i] for i in named[: extent.leads] if i in open_)
    fits = possible if d.causes or d.state.name in ("fine", "progressing", "held") else len(open_)
    return leads, max(0, fits - len(leads))


def _why(root: int, causes: Sequence[CauseMatch], extent: Extent, proposed: Sequence[Next]) -> RootCause:
    """Return a root in full, without looks already shown as next commands. proposed: the next commands."""
    one = causes[root]
    proof = make_rows(_drop_trivial(sorted(one.evidence, key=lambda e: e.weight != "decisive")))
    follows = tuple(_render_consequences(root, causes, 0))
    notes = tuple(n for n in one.finding.notes if not _repeats_proof(n, proof[: extent.rows]))
    help_ = [s for s in one.finding.help if not any(_proposes(n, s) for n in proposed)] or one.finding.help
    steps = _choose_steps(help_, extent.steps)
    return RootCause(
        one,
        notes[: extent.notes],
        steps,
        one.finding.do_not,
        tuple(proof[: extent.rows]),
        follows[: extent.follows],
        _render_omission_counts(
            steps=len(help_) - len(steps),
            rows=len(proof) - extent.rows,
            notes=len(notes) - extent.notes,
            follows=len(follows) - extent.follows,
        ),
    )


def _choose_steps(help_: Sequence[Step], most: int) -> tuple[Step, ...]:
    """Choose the steps to show: the first ones, with at least one remedy, and a look before a risky step,
    even if few fit.
    """
    first = tuple(help_[:most])
    remedy = next((s for s in help_ if is_remedy(s)), None)
    if remedy is None or remedy in first:
        return first
    return (*help_[: max(most - 1, int(remedy.risk in RISKY))], remedy)


def _proposes(one: Next, step: Step) -> bool:
    """Tell whether the next command is this look, on the same host and for the same reason."""
    there = "cluster" if one.at == "here" else one.at
    where = "node:NODE" if step.where == "node" else step.where
    return (
        step.risk == "none"
        and (step.command, where) == (one.command, there)
        and one.says.en.endswith(step.says.en)
    )


def _repeats_proof(note: Text, proof: Sequence[EvidenceRow]) -> bool:
    """Tell whether a note only repeats a quote of the evidence verbatim."""
    words = note.en.partition(": ")[2].rstrip(" .…")
    return len(words) > _WORDS and any(words in row.quote for row in proof)


def _drop_trivial(evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """Leave out evidence of mere existence, unless there is no other."""
    telling = [e for e in evidence if e.fact.src.quote and not _is_silent(e.fact)]
    return telling or evidence


def _is_silent(fact: Fact) -> bool:
    """Tell whether a fact shows only the existence of an object."""
    return isinstance(fact, _SILENT) or (isinstance(fact, Phase) and not fact.reason)


def _render_consequences(
    parent: int, causes: Sequence[CauseMatch], depth: int
) -> Iterable[tuple[int, CauseMatch]]:
    for i, one in enumerate(causes):
        if one.consequence_of == parent and i != parent and depth < 8:
            yield depth, one
            yield from _render_consequences(i, causes, depth + 1)


def _render_omission_counts(**left: int) -> tuple[tuple[str, int], ...]:
    return tuple((what, n) for what, n in left.items() if n > 0)


def _make_joint_step(*counts: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    summed: dict[str, int] = {}
    for what, n in (one for of in counts for one in of):
        summed[what] = summed.get(what, 0) + n
    return tuple(summed.items())


def _render_areas(open_: Sequence[OpenCause]) -> tuple[tuple[str, int], ...]:
    counted = Counter(o.id.partition(".")[0] for o in open_)
    return tuple(sorted(counted.items(), key=lambda one: (-one[1], one[0])))


def _quoted_words(d: Diagnosis) -> tuple[QuotedWords, ...]:
    if d.state.name == "progressing":
        # The object's awaited condition, in its own words.
        return tuple(_quote_own_words(o) for o in d.state.own if o.message)
    if d.state.name not in ("stuck", "unknown") or d.state.passed:
        return ()
    found: dict[tuple[str, str], QuotedWords] = {}
    own = [_quote_own_words(o) for o in d.state.own]
    for fact in (
        f for f in find_messages(d) if not any((w := find_words(f)) and w[1] and w[1] in o.words for o in own)
    ):
        if (said := find_words(fact)) and not _routine(fact):
            source, at = place(fact)
            count = fact.count if isinstance(fact, Failure) else fact.items[-1].count
            one = QuotedWords(
                said[0], said[1], source, at, count, fact.src.at if isinstance(fact, Failure) else None
            )
            if said not in found or found[said].count < count:
                found[said] = one
    return (*own, *found.values()) or tuple(_render_gravest_log_line(d))


def _render_gravest_log_line(d: Diagnosis) -> Iterator[QuotedWords]:
    """Quote the gravest line of a log without recognised messages."""
    for log in d.state.evidence:
        if isinstance(log, LogSeen) and log.worst:
            source, at = place(log)
            yield QuotedWords(log.component, log.worst, source, at, 1, log.until)


def _quote_own_words(o: OwnWords) -> QuotedWords:
    """Quote a condition or another field of the status, with its writer."""
    source, at = place(o.fact)
    by = " ".join(filter(None, (f"{o.field}={o.value}" if o.value else o.field, f"({o.by})" if o.by else "")))
    return QuotedWords(by, ": ".join(filter(None, (o.reason, o.message))), source, at, 1, o.since)


def _routine(fact: Failure | Events) -> bool:
    return isinstance(fact, Events) and bool(fact.items) and fact.items[-1].reason in _ROUTINE


def _render_further_evidence(
    d: Diagnosis, leads: Sequence[OpenCause], says: Sequence[QuotedWords]
) -> list[EvidenceRow]:
    """Return the evidence for the leads and for the current stage, without facts already quoted or without
    words.
    """
    if d.state.name == "progressing":
        return []
    facts: list[Fact] = [e.fact for o in leads if o.possible for e in o.evidence]
    if d.state.passed:
        facts += d.state.evidence
    elif not d.causes and d.state.name in ("stuck", "unknown"):
        # The kubelet's reason for ending the whole Pod is part of its phase.
        facts += [
            f
            for f in d.state.evidence
            if isinstance(f, ContainerStatuses) or (isinstance(f, Phase) and f.reason)
        ]
        own = (
            (HungTasks, KernelEvents, DiskSpace)
            if says
            else (HungTasks, KernelEvents, DiskSpace, Unschedulable)
        )
        facts += [e.fact for o in d.undecided for e in o.evidence if isinstance(e.fact, own)]
        facts += [] if says else [f for f in find_messages(d) if not _routine(f)]
    quoted = {s.words for s in says}
    told_already = {e.fact for t in d.causes for e in t.evidence}
    fresh = (f for f in unique(facts) if f.src.quote and f not in told_already)
    return make_rows(
        _drop_trivial(
            [
                Evidence("supporting", f)
                for f in fresh
                if (said := find_words(f)) is None or said[1] not in quoted
            ]
        )
    )
