"""Judges whether a Pod that is not being deleted is fine, progressing or stuck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from unstuck.diagnosis.answer import Stage, State
from unstuck.diagnosis.text import Messages, Text, format_duration, list_names, same_in_both
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Condition, Conditions, Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatus, ContainerStatuses, Life
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.passed import find_passed
from unstuck.facts.derive.pods import SHUT_DOWN, ended_well, is_looping, list_statuses
from unstuck.facts.lookup import Facts
from unstuck.stages.done_containers import find_done_containers
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.pod_signs import CREATE_REASONS, PULL_REASONS, START_REASONS
from unstuck.stages.reported_state import make_condition_words
from unstuck.stages.state_wording import add_headline, choose_threshold
from unstuck.stages.status import find_status_word

say = Messages(__name__)
AT_ONCE = (*PULL_REASONS, *CREATE_REASONS, *START_REASONS, "CrashLoopBackOff")
_ERRING = ("devices-and-volumes-prepared", "sandbox-and-network", "images-pulled", "containers-created")
_RUNNING = ("ready", "stays-up")
_READY = say("Running and ready")


def judge_starting_pod(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None) -> State:
    """Return its state by the first unfinished stage, and by the waiting reasons of its containers."""
    # The known stage of one container says more than an earlier stage that is unknown.
    current = next((s for state in ("not-done", "unknown") for s in stages if s.state == state), None)
    seen: tuple[Fact, ...] = (*snap.of(Phase, ref), *snap.of(ContainerStatuses, ref))
    # A table's row also says Completed for a Pod that went down with its Node.
    phase = next((f for f in snap.of(Phase, ref) if f.reason in SHUT_DOWN), snap.one(Phase, ref))
    if (
        phase
        and phase.phase == "Succeeded"
        and is_being_deleted(ref, snap) is None
        and any(f.whole for f in snap.of(ContainerStatuses, ref))
    ):
        # A description does not show it; for a row in a table it is not worth mentioning.
        says = say("Completed; whether it is being deleted was not seen")
        return add_headline(ref, "unknown", says, evidence=seen, word="Completed")
    if phase and phase.phase == "Succeeded":
        return _make_completed_state(ref, seen)
    if current is None:
        return _make_finished_state(ref, snap, seen)
    life = snap.one(Life, ref)
    begun = _start_time(ref, snap, current, life)
    if not seen and life is None and (passed := find_passed(ref, snap)) and not _fails_otherwise(ref, snap):
        failed, done = passed
        says = say(
            (
                "{failed} was overcome: {done} came after it; nothing is reported broken, and its present "
                "state was not seen"
            ),
            failed=failed.reason,
            done=done.reason,
        )
        return replace(add_headline(ref, "unknown", says, begun, tuple(snap.of(Events, ref))), passed=True)
    if not seen and life is None:
        says = say("seen only in messages, status unknown")
        return add_headline(ref, "unknown", says, begun)
    if ended := _ended_well(ref, snap):
        says = say(
            (
                "container {name} ended with exit code 0, and nothing shown of it is broken; the rest was "
                "not seen"
            ),
            name=ended.name,
        )
        if not ended.name:
            says = say(
                "the container ended with exit code 0, and nothing shown of it is "
                "broken; the rest was not seen"
            )
        return replace(add_headline(ref, "unknown", says, evidence=seen), passed=True)
    bad = [
        s
        for s in list_statuses(ref, snap)
        if s.reason in AT_ONCE or (s.ended is not None and s.kind == "main") or is_looping(s, snap.now)
    ]
    # The kubelet's own reason for ending or refusing the whole Pod is more specific than its containers'
    # exits.
    own = phase.reason if phase and (phase.phase == "Failed" or phase.reason in SHUT_DOWN) else ""
    word = own or find_status_word(ref, snap)
    where = _state_text(word, current, format_duration(snap.now - begun) if begun else None, bad)
    if bad or (phase and phase.phase == "Failed"):
        return add_headline(ref, "stuck", where, begun, seen, word=word)
    if current.state == "unknown" and (told := _find_ready_conditions(ref, snap)):
        # A row of a table shows no earlier stage; a ready Pod is held up by nothing.
        return add_headline(ref, "fine", _READY, evidence=(*seen, told), word="Running")
    if current.state == "unknown" and _looks_ready(ref, snap):
        says = say("the containers shown are running and ready; the rest was not seen")
        return add_headline(ref, "unknown", says, evidence=seen, word=word)
    kind = (
        "unscheduled"
        if current.id == "scheduled"
        else "not-ready"
        if current.id in ("ready", "stays-up")
        else "creating"
    )
    erring = current.state == "not-done" and current.id in _ERRING
    given = find_probe_allowance(ref, snap) if kind == "not-ready" and after is None else timedelta(0)
    if begun is None or erring or snap.now - begun >= choose_threshold(kind, after) + given:
        return add_headline(ref, "stuck", where, begun, seen, word=word)
    found = add_headline(ref, "progressing", where, begun, seen, word=word)
    # Its probes allow it this time; before the first probe it cannot be ready.
    return replace(
        found, granted=kind == "not-ready" and (snap.now - begun < given or _is_before_first_probe(ref, snap))
    )


def _ended_well(ref: Ref, snap: Facts) -> ContainerStatus | None:
    """Return the only container that a part of a description shows, if it exited with 0: the other parts show
    whether it should have kept running.
    """
    shown = list_statuses(ref, snap)
    more: tuple[type[Fact], ...] = (Phase, Life, Events, Failure)
    if len(shown) != 1 or any(snap.of(kind, ref) for kind in more):
        return None
    return shown[0] if ended_well(shown[0]) else None


def _fails_otherwise(ref: Ref, snap: Facts) -> bool:
    """Tell whether a call failed without any sign of a later success."""
    return bool(snap.of(Failure, ref) or snap.of(Unschedulable, ref))


def _state_text(word: str, current: Stage, span: Text | None, bad: Sequence[ContainerStatus]) -> Text:
    """Return `CrashLoopBackOff for 2 d, exit 1, 41 restarts`; for a running container, that it is not
    ready.
    """
    says = same_in_both(word or "not up") if word else say("not up")
    if word == "Running" and not bad:
        says = say("Running, but not ready")
    if span:
        says += say(" for {span}", span=span)
    # A stage without any evidence would be a guess.
    if current.state == "not-done" and (not word or (word == "Running" and current.id not in _RUNNING)):
        says += say("; waiting at: {says}", says=current.says)
    ended = next((e for s in bad if (e := s.ended or s.last)), None)
    if ended and ended.code:
        why = f" ({ended.reason})" if ended.reason not in ("", "Error", word) else ""
        says += say(", exit {code}{why}", code=ended.code, why=why)
    if restarts := max((s.restarts for s in bad), default=0):
        says += say(", {restarts} {restarts:restart|restarts}", restarts=restarts)
    return says


def _make_finished_state(ref: Ref, snap: Facts, seen: tuple[Fact, ...]) -> State:
    """Judge a Pod with all stages done; between two observations it may have completed."""
    if any(f.phase == "Succeeded" for f in snap.of(Phase, ref)):
        return _make_completed_state(ref, seen)
    mirror = any(f.mirror for f in snap.of(Life, ref))
    says = _READY + say("; it is the mirror of a static Pod") if mirror else _READY
    if done := find_done_containers(ref, snap):
        names, restart = list_names(s.name for s in done), next(f.restart for f in snap.of(Containers, ref))
        says = say(
            "Running; container {names} ended with exit code 0 and is not started again by restartPolicy "
            "{restart}, so that the Pod counts as not ready, and no Service sends to it",
            names=names,
            restart=restart,
        )
    if told := _find_pending_resize(ref, snap):
        fact, resize = told
        says += say(
            "; its resize waits: {reason}", reason=": ".join(filter(None, (resize.reason, resize.message)))
        )
        late = snap.now - resize.since >= choose_threshold("not-ready", None) if resize.since else True
        state = add_headline(
            ref, "unknown" if late else "progressing", says, resize.since, (fact, *seen), word="Running"
        )
        return replace(state, own=(make_condition_words("", resize, "", fact),))
    return add_headline(ref, "fine", says, evidence=seen, word="Running")


def _find_pending_resize(ref: Ref, snap: Facts) -> tuple[Conditions, Condition] | None:
    """Return the condition of a Pod whose new resources its Node cannot give (core/v1 PodResizePending)."""
    return next(
        ((f, c) for f in snap.of(Conditions, ref) if (c := f.get("PodResizePending")) and c.status == "True"),
        None,
    )


def _make_completed_state(ref: Ref, seen: tuple[Fact, ...]) -> State:
    return add_headline(ref, "fine", same_in_both("Completed"), evidence=seen, word="Completed")


def find_probe_allowance(ref: Ref, snap: Facts) -> timedelta:
    """Return the longest time that the probes of a running container that is not ready allow it to become
    ready.
    """
    spec = snap.one(Containers, ref)
    waiting = {s.name for s in list_statuses(ref, snap) if s.state == "running" and not s.ready}
    given = [_count_allowance(c) for c in spec.items if c.name in waiting] if spec else []
    return timedelta(seconds=max(given, default=0))


def _is_before_first_probe(ref: Ref, snap: Facts) -> bool:
    """Tell whether no probe has looked yet at any running container that is not ready, so that none can be
    ready.
    """
    spec = snap.one(Containers, ref)
    delays = (
        {c.name: max((p.delay for p in (c.startup, c.readiness) if p), default=0) for c in spec.items}
        if spec
        else {}
    )
    waiting = [s for s in list_statuses(ref, snap) if s.state == "running" and not s.ready]
    return bool(waiting) and all(
        s.since and snap.now - s.since < timedelta(seconds=delays.get(s.name, 0)) for s in waiting
    )


def _count_allowance(c: ContainerSpec) -> int:
    """Return the seconds that the startup probe allows to the last failure, then the readiness probe's
    first look.
    """
    start = c.startup.delay + c.startup.period * c.startup.failures if c.startup else 0
    return start + (c.readiness.delay + c.readiness.period if c.readiness else 0)


def _find_ready_conditions(ref: Ref, snap: Facts) -> Conditions | None:
    return next(
        (
            f
            for f in snap.of(Conditions, ref)
            if any(c.type == "Ready" and c.status == "True" for c in f.items)
        ),
        None,
    )


def _looks_ready(ref: Ref, snap: Facts) -> bool:
    """Tell whether all containers of an excerpt run and are ready, and nothing else contradicts that."""
    shown = [s for s in list_statuses(ref, snap) if s.kind in ("main", "sidecar")]
    denied = any(c.type == "Ready" and c.status != "True" for f in snap.of(Conditions, ref) for c in f.items)
    return bool(shown) and not denied and all(s.state == "running" and s.ready for s in shown)


def _start_time(ref: Ref, snap: Facts, current: Stage, life: Life | None) -> datetime | None:
    if current.id in ("ready", "stays-up"):
        starts = [s.since for s in list_statuses(ref, snap) if s.state == "running" and s.since]
        if starts:
            return max(starts)
    conditions = snap.one(Conditions, ref)
    scheduled = conditions.get("PodScheduled") if conditions else None
    if current.id == "scheduled" and life and life.created:
        return life.created
    if scheduled and scheduled.status == "True" and scheduled.since:
        return scheduled.since
    return life.created if life else None
