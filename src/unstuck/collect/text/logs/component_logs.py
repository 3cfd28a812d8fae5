"""Logs of the control plane's own components about an object: the Events that they write, and the scheduler's
and provisioners' words.

- client-go tools/record/event.go: `Event(v1.ObjectReference{…}): type: 'Warning' reason: 'X' …` (≤ 1.18),
  `"Event occurred" object="…"`
- the scheduler: `Unable to schedule NS/NAME: no fit: …; waiting` (≤ 1.18; until 1.12 a blank for the slash)
  and `"Unable to schedule pod; no fit; waiting" pod="NS/NAME" err="…"` (pkg/scheduler/scheduler.go,
  factory.go, schedule_one.go)
- provisioners built on sig-storage-lib-external-provisioner (controller.go): `provision "NS/CLAIM" class "C":
  …`, `error syncing claim "UID": failed to provision volume with StorageClass "C": …`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.objects.scheduling import parse_unschedulable
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.kubectl.event_rows import EventRow
from unstuck.collect.text.kubectl.events import read_failures
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Event, Events, Failure
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.klog import KlogRecord

_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_NS = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_WRITTEN = (
    regex(
        rf"^Event\((?:v1|api)\.ObjectReference\{{Kind:\"(?P<kind>\w{{1,63}})\", "
        rf"Namespace:\"(?P<ns>{_NS})?\", Name:\"(?P<name>{_NAME})\""
        r".{0,400}?\}\): (?:type: '(?P<type>Normal|Warning)' )?reason: '(?P<reason>\w{1,127})' "
        r"(?P<message>\S.{0,16000})",
    ),
    regex(
        rf"^\"Event occurred\" .{{0,200}}?\bobject=\"(?:(?P<ns>{_NS})/)?(?P<name>{_NAME})\" "
        r".{0,200}?\bkind=\"(?P<kind>\w{1,63})\""
        r" .{0,200}?\btype=\"(?P<type>Normal|Warning)\" reason=\"(?P<reason>\w{1,127})\" message=\""
        r"(?P<message>(?:[^\"\\]|\\.){1,16000})\"",
    ),
)
_NO_FIT = (
    regex(
        rf"^\"Unable to schedule pod; no fit; waiting\" pod=\"(?P<ns>{_NS})/(?P<name>{_NAME})\" err=\""
        r"(?P<why>(?:[^\"\\]|\\.){1,16000})\""
    ),
    regex(
        rf"^Unable to schedule (?P<ns>{_NS})[ /](?P<name>{_NAME}): no fit: (?P<why>\S.{{0,16000}}?); waiting"
    ),
)
_PROVISION = regex(
    rf"^provision \"(?P<ns>{_NS})/(?P<name>{_NAME})\" class \"[^\"]{{0,253}}\": (?P<why>\S.{{0,4000}})"
)
# The same in the provisioners' library from 5.0 on, which names the claim by its uid.
_SYNC = regex(
    r"^(?:error syncing claim \"[^\"]{1,80}\": |\"Retrying syncing claim\" .{0,200}?\berr=\")"
    r"(?P<why>failed to provision volume with StorageClass \S.{0,4000})"
)
_MOST = 2000


class ComponentWords:
    """Collects such records of a log, each reported once with its count."""

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        self._events: dict[tuple[Ref, str, str], tuple[Event, Source]] = {}
        self._last: dict[tuple[type[Fact], Ref, str], Fact] = {}

    def take(self, record: KlogRecord) -> bool:
        """Take a record if it is of this kind, and tell whether it was."""
        text = record.message
        # Some components log them through their own recorder.
        if text.startswith(("Event(", '"Event occurred"')):
            return self._take_event(record)
        if text.startswith(("Unable to schedule ", '"Unable to schedule pod')):
            return self._take_no_fit(record)
        return (
            record.severity in "EW"
            and text.startswith(("provision ", "error syncing claim ", '"Retrying syncing claim"'))
            and self._take_provision(record)
        )

    def facts(self) -> Iterator[Fact]:
        """Yield Events by their object, and the last of each other message."""
        by: dict[Ref, list[tuple[Event, Source]]] = {}
        for (about, _, _), one in self._events.items():
            by.setdefault(about, []).append(one)
        for about, said in by.items():
            yield Events(about=about, src=said[-1][1], items=tuple(e for e, _ in said), whole=False)
            for event, src in said:
                yield from read_failures(EventRow(event, about), about, src)
        yield from self._last.values()

    def _take_event(self, record: KlogRecord) -> bool:
        found = next((m for form in _WRITTEN if (m := form.match(record.message))), None)
        # The kubelet's messages about a Pod's containers are read by other code as well; in a container no
        # kubelet runs.
        if found is None or (
            found["kind"] == "Pod"
            and record.pid != 1
            and found["reason"] not in ("FailedScheduling", "NotTriggerScaleUp")
        ):
            return False
        own = find_kind(found["kind"])
        space = found["ns"] if own is None or own.namespaced else None
        about = Ref(own.ref_kind if own else found["kind"], space, found["name"])
        message = mask(found["message"].strip().replace('\\"', '"'))
        event = Event(
            found["reason"], message, found["type"] != "Normal", 1, record.at, record.at, record.program
        )
        key = (about, event.reason, event.message)
        before = self._events.get(key)
        if before is not None:
            event = replace(event, count=before[0].count + 1, first=before[0].first)
        if before is not None or len(self._events) < _MOST:
            self._events[key] = event, self._src(record, f"{event.reason}: {event.message}")
        return True

    def _take_no_fit(self, record: KlogRecord) -> bool:
        found = next((m for form in _NO_FIT if (m := form.match(record.message))), None)
        if found is None:
            return False
        about, why = Ref("Pod", found["ns"], found["name"]), found["why"].replace('\\"', '"')
        told = parse_unschedulable(why, about=about, src=self._src(record, why), whole=False)
        return told is not None and self._keep((Unschedulable, about, ""), told)

    def _take_provision(self, record: KlogRecord) -> bool:
        if named := _PROVISION.match(record.message):
            about = Ref("PersistentVolumeClaim", named["ns"], named["name"])
        else:
            about = self._piece.block("PersistentVolumeClaim")
        found = named or _SYNC.match(record.message)
        if found is None:
            return False
        why = mask(found["why"].strip())
        src = self._src(record, record.message.strip())
        failed = Failure(
            about=about,
            src=src,
            operation="volume-provision",
            error="other",
            message=why,
            reporter="the provisioner",
            first=record.at,
        )
        return self._keep((Failure, about, why), failed)

    def _keep(self, key: tuple[type[Fact], Ref, str], fact: Fact) -> bool:
        if key in self._last or len(self._last) < _MOST:
            self._last[key] = fact
        return True

    def _src(self, record: KlogRecord, quote: str) -> Source:
        return self._piece.src(record.index, quote, record.at)
