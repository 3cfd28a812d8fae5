"""Judges causes and memoises the judgements: a rule is re-run only if a fact that it looked up has changed.

A rule is a function of its subject and of its look-ups (`reads`). Each judgement is stored with its look-ups;
in a Snapshot that grew from the judged one all look-ups are repeated, in a small part of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from unstuck.diagnosis.answer import Evaluation, Stage, State
from unstuck.diagnosis.cause import AskableCause, Need
from unstuck.diagnosis.sign import YES, Sign
from unstuck.engine.parts import OF_CONTAINERS, OfContainer
from unstuck.engine.reads import LookupLog, Reads, Untouched
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.lines import gate_any, list_stages
from unstuck.stages.named import NamedObject, find_named_objects
from unstuck.stages.state import judge_state

T = TypeVar("T")
# A cause, its gate, and the judgement behind it.
Judged = tuple[AskableCause, Sign[Any], Evaluation]
# The causes with the same blocked stages and the same need, each with its position among all causes.
_Group = tuple[tuple[tuple[StageId, ...], Need | None], Sequence[tuple[int, AskableCause]]]


class Evaluator:
    """The judgements of one session: of a scan, of a question and its further rounds, of a saved Snapshot.

    Any Snapshot may be judged with it; the more facts they share, the quicker it is.
    """

    def __init__(self) -> None:
        self._judgements: dict[tuple[Ref, str, str], _Judgement] = {}
        self._lines: dict[tuple[Ref, float | None], _Line] = {}
        self._gates: dict[Ref, _Gates] = {}
        self._needs: dict[tuple[Ref, Need], _Needed] = {}
        self._open: dict[Ref, _OpenCauses] = {}
        self._named: dict[Ref, _Named] = {}
        self._cache: dict[object, tuple[object, object]] = {}

    def judge(self, cause: AskableCause, subject: Ref, gate: Sign[Any], facts: Snapshot) -> Evaluation:
        """Judge one cause for one subject behind this gate, or return an earlier judgement that still
        holds.
        """
        need = self._find_need(cause.needs, subject, facts) if gate.value is not False else YES
        if gate.value is False or not need.value:
            # Its signs are read for `--explain` alone.
            return Evaluation(cause.id, subject, gate, lambda: cause.rule(subject, facts), need=need)
        key = (subject, cause.id, "")
        if kept := self._recall_judgement(key, cause, gate, facts):
            return kept
        noted = LookupLog(facts)
        signs = cause.rule(subject, Reads(facts, noted))
        explained = Evaluation(cause.id, subject, gate, lambda: signs)
        self._judgements[key] = _Judgement(cause, gate, explained, noted)
        return explained

    def _recall_judgement(
        self, key: tuple[Ref, str, str], cause: AskableCause, gate: Sign[Any], facts: Snapshot
    ) -> Evaluation | None:
        """Return the earlier judgement if none of its look-ups has changed."""
        found = self._judgements.get(key)
        if found and found.cause is cause and _is_same(found.gate, gate) and found.lookups.holds(facts):
            return found.explained
        return None

    def _find_need(self, need: Need | None, subject: Ref, facts: Snapshot) -> Sign[Any]:
        """Return the need's sign for the subject, computed once for all causes with this need."""
        if need is None:
            return YES
        found = self._needs.get((subject, need))
        if found is None or not found.lookups.holds(facts):
            noted = LookupLog(facts)
            found = self._needs[subject, need] = _Needed(need(subject, Reads(facts, noted)), noted)
        return found.sign

    def judge_part(
        self, cause: AskableCause, subject: Ref, gate: Sign[Any], facts: Snapshot, container: str
    ) -> Evaluation | None:
        """Judge one cause for one container of a Pod, as if it had no other; None if its rule looked at no
        container.

        The cause was judged for the Pod before.
        """
        lookups = self._find_open_lookups(cause, subject)
        if lookups is None or not lookups.kinds & OF_CONTAINERS:
            return None
        key = (subject, cause.id, container)
        if kept := self._recall_judgement(key, cause, gate, facts):
            return kept
        noted = LookupLog(facts)
        view = OfContainer(Reads(facts, noted), subject, container)
        signs = cause.rule(subject, view)
        explained = Evaluation(cause.id, subject, gate, lambda: signs, view.originals)
        self._judgements[key] = _Judgement(cause, gate, explained, noted)
        return explained

    def _find_open_lookups(self, cause: AskableCause, subject: Ref) -> LookupLog | None:
        """Return the look-ups of the cause's rule, or of its need while that is open; None for a ruled-out
        cause.
        """
        whole = self._judgements.get((subject, cause.id, ""))
        if whole:
            return None if whole.explained.out else whole.lookups
        return self._needs[subject, cause.needs].lookups if cause.needs else None

    def line_of(self, subject: Ref, facts: Snapshot, after: float | None) -> tuple[tuple[Stage, ...], State]:
        """Return the subject's stages and its state. after: `--after`."""
        found = self._lines.get((subject, after))
        if found and found.lookups.holds(facts):
            return found.stages, found.state
        noted = LookupLog(facts)
        reads = Reads(facts, noted)
        stages = list_stages(subject, reads)
        state = judge_state(subject, reads, stages, after)
        self._lines[subject, after] = _Line(stages, state, noted)
        return stages, state

    def named_by(self, subject: Ref, facts: Snapshot) -> tuple[NamedObject, ...]:
        """Return the objects that messages about the subject name."""
        found = self._named.get(subject)
        if found is None or not found.lookups.holds(facts):
            noted = LookupLog(facts)
            found = self._named[subject] = _Named(find_named_objects(subject, Reads(facts, noted)), noted)
        return found.objects

    def gate_of(
        self, subject: Ref, held: tuple[StageId, ...], stages: tuple[Stage, ...], facts: Facts
    ) -> Sign[Any]:
        """Return the result of `gate_any`, computed once per line. stages: the value of `line_of`."""
        if not stages:
            return gate_any(subject, held, stages, facts)
        return self._cached(stages, ("gate", subject, held), lambda: gate_any(subject, held, stages, facts))

    def causes_about(self, subject: Ref, causes: Sequence[AskableCause]) -> Sequence[AskableCause]:
        """Return the causes that are asked about this kind of subject."""
        return self._cached(
            causes, ("asked", subject.kind), lambda: tuple(c for c in causes if is_asked_about(c, subject))
        )

    def recall(
        self, subject: Ref, causes: Sequence[AskableCause], stages: tuple[Stage, ...], facts: Snapshot
    ) -> Sequence[Judged] | None:
        """Return the judgements stored by `keep`; None if a fact that the causes looked up may have changed.

        Saves going through the causes one by one while no such fact is added. stages: the value of
        `line_of`.
        """
        found = self._open.get(subject)
        if (
            found
            and stages
            and found.causes is causes
            and found.stages is stages
            and found.lookups.holds(facts)
        ):
            return found.judged
        return None

    def keep(
        self,
        subject: Ref,
        causes: Sequence[AskableCause],
        stages: tuple[Stage, ...],
        judged: Sequence[Judged],
        facts: Snapshot,
    ) -> None:
        """Keep the causes with an open gate, as `judge` has just judged them by these facts."""
        lookups = Untouched(facts)
        for need in {group.need for group in self._open_groups(subject, causes, stages, facts)}:
            if need is not None:
                lookups.add(self._needs[subject, need].lookups)
        for cause, _, evaluation in judged:
            own = self._judgements.get((subject, cause.id, ""))
            # Otherwise its need is unknown, and its rule was not run.
            if own and own.explained is evaluation:
                lookups.add(own.lookups)
        self._open[subject] = _OpenCauses(causes, stages, judged, lookups)

    def find_open(
        self, subject: Ref, causes: Sequence[AskableCause], stages: tuple[Stage, ...], facts: Snapshot
    ) -> Sequence[tuple[AskableCause, Sign[Any]]]:
        """Return the causes about this kind of subject with an open gate and a need that is not denied, each
        with its gate. stages: the value of `line_of`.
        """
        placed = [
            (place, cause, group.gate)
            for group in self._open_groups(subject, causes, stages, facts)
            if self._find_need(group.need, subject, facts).value is not False
            for place, cause in group.causes
        ]
        return [(cause, gate) for _, cause, gate in sorted(placed, key=itemgetter(0))]

    def _open_groups(
        self, subject: Ref, causes: Sequence[AskableCause], stages: tuple[Stage, ...], facts: Snapshot
    ) -> Sequence[_OpenGroup]:
        found = self._gates.get(subject)
        if found and stages and found.causes is causes and found.stages is stages:
            return found.open
        open_ = [
            _OpenGroup(gate, need, some)
            for (held, need), some in self._group_causes(subject, causes)
            if (gate := self.gate_of(subject, held, stages, facts)).value is not False
        ]
        self._gates[subject] = _Gates(causes, stages, open_)
        return open_

    def _group_causes(self, subject: Ref, causes: Sequence[AskableCause]) -> Sequence[_Group]:
        """Return the causes about this kind, grouped by blocked stages and need, each with its position: many
        causes share both.
        """

        def group() -> Sequence[_Group]:
            found: dict[tuple[tuple[StageId, ...], Need | None], list[tuple[int, AskableCause]]] = {}
            for place, cause in enumerate(self.causes_about(subject, causes)):
                found.setdefault((cause.stages, cause.needs), []).append((place, cause))
            return tuple(found.items())

        return self._cached(causes, ("groups", subject.kind), group)

    def causes_by_id(self, causes: Sequence[AskableCause]) -> Mapping[str, AskableCause]:
        """Return the causes by their ids."""
        return self._cached(causes, "by id", lambda: {c.id: c for c in causes})

    def _cached(self, source: object, key: object, make: Callable[[], T]) -> T:
        """Return the value cached for this source object and key; compute it if there is none."""
        found = self._cache.get(key)
        if found and found[0] is source:
            return cast("T", found[1])
        made = make()
        self._cache[key] = (source, made)
        return made


def is_asked_about(cause: AskableCause, subject: Ref) -> bool:
    """Tell whether this kind may be asked about the cause. `*` stands for every kind."""
    return subject.kind in cause.subjects or "*" in cause.subjects


def _is_same(one: Sign[Any], other: Sign[Any]) -> bool:
    return one is other or one == other


class _Judgement(NamedTuple):
    cause: AskableCause
    gate: Sign[Any]
    explained: Evaluation
    lookups: LookupLog


class _OpenGroup(NamedTuple):
    gate: Sign[Any]
    need: Need | None
    causes: Sequence[tuple[int, AskableCause]]


class _Gates(NamedTuple):
    causes: Sequence[AskableCause]
    stages: tuple[Stage, ...]
    open: Sequence[_OpenGroup]


class _Needed(NamedTuple):
    sign: Sign[Any]
    lookups: LookupLog


class _Named(NamedTuple):
    objects: tuple[NamedObject, ...]
    lookups: LookupLog


class _OpenCauses(NamedTuple):
    causes: Sequence[AskableCause]
    stages: tuple[Stage, ...]
    judged: Sequence[Judged]
    lookups: Untouched


class _Line(NamedTuple):
    stages: tuple[Stage, ...]
    state: State
    lookups: LookupLog
