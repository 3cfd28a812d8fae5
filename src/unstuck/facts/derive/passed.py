"""Failed steps of a Pod's start, or of a claim's provisioning, that have since succeeded by a later Event."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions, Event, Events, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation

# The order of a start, and the Event for each completed step (pkg/kubelet/events/event.go,
# pkg/scheduler/schedule_one.go, attach_detach_controller; multus for AddedInterface). Nothing is pulled
# before the sandbox exists, nothing runs before it was created.
_DONE: Mapping[str, int] = MappingProxyType(
    {
        "Scheduled": 1,
        "SuccessfulAttachVolume": 2,
        "AddedInterface": 4,
        "Pulled": 5,
        "Created": 6,
        "Started": 7,
    }
)
_TRIED: Mapping[Operation, int] = MappingProxyType[Operation, int](
    {
        "volume-attach": 2,
        "volume-set-up": 3,
        "sandbox-create": 4,
        "sandbox-image-pull": 4,
        "network-set-up": 4,
        "image-pull": 5,
        "container-create": 6,
    }
)
# The kubelet's messages during the wait for an attachment, which ends with a later success
# (pkg/kubelet/volumemanager/volume_manager.go, WaitForAttachAndMount).
_WAITS_FOR_ATTACHMENT = (
    "waiting for volumes to attach",
    "Unable to attach or mount volumes",
    "unmounted volumes=[",
)
# The external provisioner acts on a claim once the controller has found its class
# (pkg/controller/volume/persistentvolume/pv_controller.go; sig-storage-lib-external-provisioner
# controller/controller.go).
_PROVISIONS = ("Provisioning", "ExternalProvisioning", "ProvisioningSucceeded")
_PROVISIONS_WITH = "failed to provision volume with StorageClass"
# From here on each container progresses independently: a running one proves nothing about another.
_OF_A_CONTAINER = 5
_FAILS: Mapping[str, int] = MappingProxyType(
    {
        "FailedScheduling": 1,
        "FailedAttachVolume": 2,
        "FailedMount": 3,
        "FailedCreatePodSandBox": 4,
        "Failed": 6,
    }
)


def drop_passed(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without overcome failures of Pods that are known only by their Events.

    For a claim, the once missing class is dropped after its provisioner has started.
    """
    seen = {
        _name(f.about)
        for f in facts
        if isinstance(f, ContainerStatuses | Phase | Conditions) and f.about.kind == "Pod"
    }
    kinds = ("Pod", "PersistentVolumeClaim")
    events: dict[Ref, list[Event]] = {}
    for f in facts:
        if isinstance(f, Events) and f.about.kind in kinds and _name(f.about) not in seen:
            events.setdefault(_name(f.about), []).extend(f.items)
    return [f for f in facts if not (told := events.get(_name(f.about))) or not _is_passed(f, told)]


def _name(ref: Ref) -> Ref:
    """Return the object's Ref with only its name: some messages include its uid as well."""
    return replace(ref, uid=None) if ref.name and ref.uid else ref


def find_passed(pod: Ref, snap: Facts) -> tuple[Event, Event] | None:
    """Return the last failed step of a Pod's start and the Event of its later success; None without a
    failure, or if one is not overcome.
    """
    items = [e for f in snap.of(Events, pod) for e in f.items]
    failed = [e for e in items if e.warning]
    pairs = [
        (e, done) for e in failed if e.reason in _FAILS and (done := _find_done(_step_of(e), e.last, items))
    ]
    return (
        max(pairs, key=lambda pair: pair[0].last.timestamp() if pair[0].last else 0.0)
        if pairs and len(pairs) == len(failed)
        else None
    )


def _is_passed(fact: Fact, events: Collection[Event]) -> bool:
    if isinstance(fact, Unschedulable):
        return _find_done(1, fact.src.at, events) is not None
    if not isinstance(fact, Failure):
        return False
    if fact.about.kind == "PersistentVolumeClaim":
        return _lacks_class(fact) and any(
            _provisions(e) and e.last and fact.src.at and e.last > fact.src.at for e in events
        )
    if fact.operation not in _TRIED:
        return False
    waits = fact.operation == "volume-set-up" and _waits_for_attachment(fact.src.quote or fact.message)
    return _find_done(_TRIED["volume-attach" if waits else fact.operation], fact.src.at, events) is not None


def _lacks_class(fact: Failure) -> bool:
    return fact.error == "not-found" and fact.object is not None and fact.object.kind == "StorageClass"


def _provisions(event: Event) -> bool:
    return event.reason in _PROVISIONS or event.message.startswith(_PROVISIONS_WITH)


def _step_of(failed: Event) -> int:
    waits = failed.reason == "FailedMount" and _waits_for_attachment(failed.message)
    return _FAILS["FailedAttachVolume" if waits else failed.reason]


def _waits_for_attachment(message: str) -> bool:
    return any(words in message for words in _WAITS_FOR_ATTACHMENT)


def _find_done(step: int, at: datetime | None, events: Collection[Event]) -> Event | None:
    """Return the first Event after this moment about a later step of the start; None without one, or without
    known times.
    """
    if at is None or (step >= _OF_A_CONTAINER and not _tells_of_one_container(events)):
        return None
    done = (e for e in events if not e.warning and _DONE.get(e.reason, 0) >= step and e.last and e.last > at)
    return min(done, key=lambda e: e.last or at, default=None)


def _tells_of_one_container(events: Collection[Event]) -> bool:
    return (
        len({name for e in events if e.reason in ("Created", "Started") for name in _names(e.message)}) <= 1
    )


def _names(message: str) -> Iterator[str]:
    """Yield the container's name, the last word of `Created container NAME` and, since 1.33, `Container
    created: NAME`.
    """
    yield from message.split()[-1:]
