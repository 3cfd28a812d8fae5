"""Shared parts of the causes of a failed start: the component that tried gives the reason, and the Pod still
waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import READS as _CONFIG_READS
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some, symptom, unique, unless_no
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import SYMPTOMS, ErrorWord, Operation
from unstuck.facts.vocabulary.stages import StageId

say = Messages(__name__)

# `node "node-a" has no NodeID annotation`, `CSINode node-a does not contain driver x`, and a journal's host.
_NODE_TOLD = regex(
    r"(?:\b[Nn]ode \"|\bCSINode \"?|^[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} (?=\S{1,253} kubelet\[))"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?![\w.-])"
)

READS: frozenset[type[Fact]] = frozenset({Failure, Events, Placement, ContainerStatuses}) | _CONFIG_READS
SANDBOX: tuple[StageId, ...] = ("sandbox-and-network",)
VOLUMES: tuple[StageId, ...] = ("devices-and-volumes-prepared",)
CONTAINERS: tuple[StageId, ...] = ("init-done", "containers-created", "started", "ready", "stays-up")
RETRIES = say("the kubelet retries automatically within about 2 min")
# Words that follow every other failure of the same try and take nothing back.
VAGUE: tuple[ErrorWord, ...] = (
    "timeout",
    "deadline-exceeded",
    "other",
    "not-ready",
    "call-failed",
    "failed",
    "mount-refused",
)
# They name no fault: a try fails with them for any reason.
_COMMON: tuple[ErrorWord, ...] = (*VAGUE, "not-found")
# The kubelet tries again after 2 min at the latest; an event that repeats too often is written every 5 min
# only.
_LATELY = timedelta(minutes=15)
_MEANWHILE = timedelta(minutes=2)
_TWICE = 2
_TOGETHER: dict[Operation, Operation] = {
    "network-set-up": "sandbox-create",
    "container-start": "container-create",
}
# These operations are configured on the node.
_CONFIGURED: tuple[Operation, ...] = ("sandbox-create", "network-set-up")
_ACTORS = ("kubelet", "attachdetach-controller", "containerd", "dockerd", "crio")


def make_signs(
    subject: Ref,
    snap: Facts,
    mine: Callable[[Failure], bool],
    finding: Callable[[Failure], Finding],
    *,
    decides: Callable[[Failure], bool] | None = lambda _: True,
    of_node: bool = True,
) -> Signs:
    """Return the signs of a cause that the failing component names itself. mine: whether a failure is this
    one. finding: from the latest such failure.

    decides: whether such a failure, repeated, leaves no other explanation; None if none ever does, so the
    cause is likely at most and nothing is asked. of_node: as in `start_failures`.
    """
    said = start_failures(subject, snap, mine, of_node=of_node)
    repeated = is_repeated(subject, snap, said)
    if decides is not None and not any(decides(f) for f in said.hits):
        repeated = Sign(None, repeated.hits, repeated.seen, repeated.wants)
    return Signs(
        necessary={"the last attempt failed this way": said},
        decisive={"whoever tries says so again and again, up to now": repeated}
        if decides is not None
        else {},
        supporting={"a message says so": keep_telling(said)},
        finding=lambda: _make_config_finding(subject, finding, pick_latest(said.hits), snap),
    )


def _make_config_finding(
    subject: Ref, finding: Callable[[Failure], Finding], said: Failure, snap: Facts
) -> Finding:
    """Return the finding with the line of the Node's configuration for the runtime's program, plugin or
    handler that a failed sandbox names.
    """
    if said.operation not in _CONFIGURED:
        return finding(said)
    words = [word for word in (said.path, said.key, said.host) if word]
    return add_node_words(finding(said), tell_config(find_node(subject, snap), words, snap, RETRIES))


def keep_telling(said: Sign[Failure]) -> Sign[Failure]:
    """Return a yes that makes a cause likely, unless the messages are symptoms alone."""
    return (
        symptom(only_yes(said))
        if said.hits and all(f.error in SYMPTOMS for f in said.hits)
        else only_yes(said)
    )


def start_failures(
    subject: Ref, snap: Facts, mine: Callable[[Failure], bool], *, of_node: bool = True
) -> Sign[Failure]:
    """Find the failures that are `mine` and that no later try answered otherwise. No: all events were seen
    and none reports it.

    of_node: whether a failure without a Pod is the Node's; else it only raises the question there, except for
    a Node without a name, which stands for the subject of a few lines of a node's log.
    """
    all_ = snap.of(Failure, subject)
    hits = hearsay(
        snap, Failure, subject, lambda f: [f] if mine(f) and not _is_outdated(f, mine, all_, snap) else []
    )
    if subject.kind == "Node" and subject.name and not of_node:
        return Sign(None, hits.hits, hits.seen)
    if hits.value or subject.kind != "Pod":
        return hits
    events: Sign[Failure] = some(snap, Events, subject, lambda _: ())
    return Sign(events.value, seen=events.seen, wants=events.wants)


def may_name_its_fault(subject: Ref, snap: Facts) -> Sign[Failure]:
    """Tell whether any failure may name the Pod's fault; no once all its events were seen and none does. All
    causes with an error word of their own need one.
    """
    return unless_no(start_failures(subject, snap, lambda f: f.error not in _COMMON))


def _is_outdated(
    failure: Failure, mine: Callable[[Failure], bool], all_: tuple[Failure, ...], snap: Facts
) -> bool:
    """Tell whether a later try of the same operation gave another, equally specific answer."""
    at = failure.src.at
    if at is None:
        return False
    if failure.operation == "volume-attach" and _was_attached(failure, snap):
        return True
    return any(
        o.src.at is not None
        and o.src.at - at > _MEANWHILE
        and _is_same_try(o, failure)
        and o.error not in VAGUE
        and not mine(o)
        for o in all_
    )


def _was_attached(failure: Failure, snap: Facts) -> bool:
    """Tell whether the controller has reported since that it attached this volume
    (pkg/volume/util/operationexecutor).
    """
    at, volume = failure.src.at, failure.volume
    events = (
        e for f in snap.of(Events, failure.about) for e in f.items if e.reason == "SuccessfulAttachVolume"
    )
    return any(at and e.last and e.last >= at and volume and f'"{volume}"' in e.message for e in events)


def _is_same_try(a: Failure, b: Failure) -> bool:
    same = _TOGETHER.get(a.operation, a.operation) == _TOGETHER.get(b.operation, b.operation)
    return same and a.container == b.container and a.volume == b.volume


def is_repeated(subject: Ref, snap: Facts, said: Sign[Failure]) -> Sign[Failure]:
    """Tell whether the trying component reports it about its own tries, twice or more and lately, or in the
    container's present status.
    """
    own = tuple(f for f in said.hits if f.reporter.startswith(_ACTORS) and _is_recent(f, snap))
    statuses = snap.of(ContainerStatuses, subject)
    shown = {(s.src.where, s.src.at) for s in statuses}
    now = tuple(f for f in own if (f.src.where, f.src.at) in shown)
    if now or sum(f.count for f in own) >= _TWICE:
        return Sign(True, own, unique((*own, *(statuses if now else ()))), sure=said.sure)
    wants = (Want(Events, subject), Want(ContainerStatuses, subject)) if subject.kind == "Pod" else ()
    return Sign(None, said.hits, said.seen, wants)


def _is_recent(failure: Failure, snap: Facts) -> bool:
    return failure.src.at is None or snap.now - failure.src.at <= _LATELY


def pick_latest(failures: tuple[Failure, ...]) -> Failure:
    """Return the newest failure; one without a time counts as current. Of two at the same time, return the
    more specific one.

    A failure without a container is passed over if another one reports the same error for a container: it
    adds nothing.
    """
    named = {f.error for f in failures if f.container}
    speaking = [f for f in failures if f.container or f.error not in named]
    return max(
        speaking,
        key=lambda f: (
            f.src.at is None,
            f.src.at.timestamp() if f.src.at else 0.0,
            _rate_specificity(f),
            repr(f),
        ),
    )


def _rate_specificity(f: Failure) -> int:
    return sum(v is not None for v in (f.path, f.object, f.key, f.host, f.container, f.volume))


def say_on_node(subject: Ref, snap: Facts) -> Text:
    """Return ` on Node n`, or an empty text."""
    node = find_node(subject, snap)
    return say(" on Node {node}", node=node.name) if node and node.name else NO_TEXT


def place_step(subject: Ref, snap: Facts) -> str:
    """Return the place of a step that is taken on that Node."""
    return place_on_node(find_node_name(subject, snap))


def find_node_name(subject: Ref, snap: Facts) -> str | None:
    """Return the name of that Node, if it is known; else the only one that the messages about the failure
    name.
    """
    node = find_node(subject, snap)
    if node:
        return node.name
    told = {m["name"] for f in snap.of(Failure, subject) for m in _NODE_TOLD.finditer(f.src.quote)}
    return told.pop() if len(told) == 1 else None


def list_blocked_objects(subject: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the blocked objects: the Pod, or the Node's pending one."""
    return unique((snap.canon(subject),))


def say_volume(failure: Failure) -> Text:
    """Return `volume v`, or `a volume` where the message names none."""
    return say("volume {volume}", volume=failure.volume) if failure.volume else say("a volume")


def make_volume_ref(pod: Ref, failure: Failure) -> Ref:
    """Return a reference to the failure's volume; the Pod if the failure names none."""
    return (
        Ref("Volume", f"{pod.within}/{pod.name}" if pod.within and pod.name else pod.name, failure.volume)
        if failure.volume
        else pod
    )


def quote(failure: Failure) -> tuple[Text, ...]:
    """Return the failure's message, as a note."""
    return (say("the message: {message}", message=failure.message),) if failure.message else ()


def wants_search_path(f: Failure) -> bool:
    """Tell whether a command was looked for in $PATH: an option in its place is in none."""
    command = f.key or ""
    return bool(command) and not command.startswith("-") and "/" not in command
