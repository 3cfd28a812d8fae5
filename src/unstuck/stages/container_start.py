"""The stages of containers in an initialized Pod: image, creation, start, readiness."""

from __future__ import annotations

from collections.abc import Callable

from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import is_looping, list_statuses
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.stages.line import StageStep
from unstuck.stages.pod_signs import (
    AFTER_CREATE,
    BACK_OFF,
    CREATE_REASONS,
    PULL_REASONS,
    Signed,
    find_status,
    has_run,
    invert,
    is_done_with,
    require_node,
)

say = Messages(__name__)


def make_container_steps(pod: Ref, snap: Facts, ready: Signed, name: str | None = None) -> list[StageStep]:
    """Return the stages of containers in an initialized Pod. name: the container; None: all containers
    together.
    """
    started = _find_started(pod, snap, name)
    stages = [
        StageStep("images-pulled", say("pull images"), _find_pulled(pod, snap, name), implies=True),
        StageStep(
            "containers-created", say("create containers"), _find_created(pod, snap, name), implies=True
        ),
        StageStep("started", say("start containers"), started, implies=True),
        StageStep("ready", say("become ready"), ready, implies=True),
        StageStep("stays-up", say("stay up"), _find_staying_up(pod, snap, started, name)),
    ]
    finished = is_done_with(pod, snap)
    return [replace(s, done=finished) for s in stages] if finished.value else stages


def _is_created(status: ContainerStatus) -> bool:
    """Tell whether the runtime has made the container, so its image is there too: it has an id, has run, or
    was to be started.
    """
    ends = [e for e in (status.ended, status.last) if e]
    return (
        bool(status.container_id or ends)
        or status.state in ("running", "terminated")
        or status.reason in AFTER_CREATE
    )


def _find_pulled(pod: Ref, snap: Facts, name: str | None) -> Signed:
    pulling = find_status(pod, snap, lambda s: s.reason in PULL_REASONS, name)
    return _require_each(pod, snap, pulling, lambda s: _is_created(s) or s.reason in CREATE_REASONS, name)


def _find_created(pod: Ref, snap: Facts, name: str | None) -> Signed:
    return _require_each(
        pod, snap, find_status(pod, snap, lambda s: s.reason in CREATE_REASONS, name), _is_created, name
    )


def _require_each(
    pod: Ref, snap: Facts, fails: Signed, got: Callable[[ContainerStatus], bool], name: str | None
) -> Signed:
    """Return no if the condition fails; yes if every container, or this one, meets it."""
    if fails.value:
        return Sign(False, seen=fails.seen)
    all_have = _holds_for_each(pod, snap, got, name)
    return all_have if all_have.value else require_node(pod, snap)


def _holds_for_each(
    pod: Ref, snap: Facts, is_so: Callable[[ContainerStatus], bool], name: str | None
) -> Signed:
    """Tell whether the status of every container, or of this one, meets the test; unknown for a Pod without
    any status.
    """
    if name is not None and (mine := find_status(pod, snap, is_so, name)).value:
        return mine
    otherwise = find_status(pod, snap, lambda s: s.kind != "ephemeral" and not is_so(s), name)
    shown = tuple(f for f in snap.of(ContainerStatuses, pod) if _shows_all(f))
    if otherwise.value is None and shown:
        return Sign(True, seen=shown)
    return (
        invert(otherwise)
        if list_statuses(pod, snap)
        else Sign(None, seen=otherwise.seen, wants=otherwise.wants)
    )


def _shows_all(fact: ContainerStatuses) -> bool:
    """Tell whether there is a status of each main container, by their number."""
    return fact.regular is not None and len([s for s in fact.items if s.kind == "main"]) == fact.regular


def _find_started(pod: Ref, snap: Facts, name: str | None) -> Signed:
    """Tell whether every container's process was started, or this one's; a container in back-off may never
    have started, if no end was seen.
    """
    started = _holds_for_each(pod, snap, has_run, name)
    if started.value is not False:
        return started
    never = find_status(
        pod,
        snap,
        lambda s: s.kind != "ephemeral" and not has_run(s) and (s.reason != BACK_OFF or s.last is not None),
        name,
    )
    return started if never.value else Sign(None, seen=started.seen)


def find_ready(pod: Ref, snap: Facts, name: str) -> Signed:
    """Tell whether this container is ready, or has done its work; only a yes counts from a partial status."""
    spec = snap.one(Containers, pod)
    once = spec is None or spec.restart != "Always"
    ready = find_status(
        pod, snap, lambda s: s.ready or (once and s.ended is not None and s.ended.code == 0), name
    )
    return (
        ready
        if ready.value or any(f.whole for f in snap.of(ContainerStatuses, pod))
        else Sign(None, seen=ready.seen)
    )


def _find_staying_up(pod: Ref, snap: Facts, started: Signed, name: str | None) -> Signed:
    """Return not done while a container that should run is in back-off, or has run no longer than the last
    time.

    A container that ended well and is not restarted stays done.

    A container that has not started yet has not shown that it stays up.
    """
    if not started.value:
        return Sign(None, seen=started.seen, wants=started.wants)
    spec = snap.one(Containers, pod)
    again = (spec.restart if spec else "Always") == "Always"
    down = find_status(
        pod,
        snap,
        lambda s: (
            s.reason == BACK_OFF
            or is_looping(s, snap.now)
            or (s.kind == "main" and s.ended is not None and (again or s.ended.code != 0))
            or (s.kind == "init" and s.ended is not None and s.ended.code != 0)
        ),
        name,
    )
    return invert(down)
