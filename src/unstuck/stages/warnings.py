"""Warnings of Events about an object without its own rules: recent words about it, from any source."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from unstuck.diagnosis.answer import OwnWords
from unstuck.facts.aspects.objects import Event, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import CREATORS

# The Events of these are read by separate causes, or name a step of a line of stages.
_READ_ELSEWHERE = frozenset({"Pod", "Node", "Namespace", "PersistentVolume", "Text", *CREATORS} - {"CronJob"})
# A CronJob controller's warnings about the schedule (pkg/controller/cronjob/cronjob_controllerv2.go); refused
# Jobs are read elsewhere, and InvalidSchedule only repeats the schedule itself.
_OF_SCHEDULES = (
    "UnparseableSchedule",
    "UnknownTimeZone",
    "TooManyMissedTimes",
    "MissSchedule",
)
# A resizer's and the kubelet's warnings about a claim that grows; all others about claims are read elsewhere.
_OF_GROWTH = ("VolumeResizeFailed", "FileSystemResizeFailed")
_THESE_ALONE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"CronJob": _OF_SCHEDULES, "PersistentVolumeClaim": _OF_GROWTH}
)
# A controller that keeps failing repeats it within its longest back-off, which is a quarter of an hour or
# less for most.
_RECENT = timedelta(minutes=20)
_LASTING = timedelta(seconds=60)
_MOST = 2
# Two writers of one object: the loser retries at once (k8s.io/apiserver, registry/generic/registry:
# OptimisticLockErrorMsg).
_TRANSIENT = ("the object has been modified", "please apply your changes to the latest version")


def find_warnings(ref: Ref, snap: Facts, *, lasting: bool) -> tuple[OwnWords, ...]:
    """Return the newest words of recent Warning Events about an object, one of each reason, the newest first.

    lasting: only those repeated after a minute, for an object within its time.
    """
    if ref.kind in _READ_ELSEWHERE:
        return ()
    found: dict[str, OwnWords] = {}
    for fact in snap.of(Events, ref):
        for e in reversed(fact.items):
            recent = e.last is not None and snap.now - e.last <= _RECENT
            if (
                e.warning
                and e.reason in _THESE_ALONE.get(ref.kind, (e.reason,))
                and e.message
                and recent
                and (_lasts(e) or not lasting)
                and not any(w in e.message for w in _TRANSIENT)
            ):
                words = OwnWords(f"event {e.reason}", "", "", e.message, e.first, e.reporter, fact)
                found.setdefault(e.reason, words)
    return tuple(found.values())[:_MOST]


def _lasts(event: Event) -> bool:
    return (
        event.count > 1
        and event.first is not None
        and event.last is not None
        and event.last - event.first >= _LASTING
    )
