"""The kubelet's messages about a resource that is nearly used up: shared by the causes of a pressure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from unstuck.causes._kubelet_settings import tell_thresholds
from unstuck.causes._node_config import add_node_words
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, Text, format_duration
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.objects import Condition, Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_RECENT = timedelta(minutes=15)
# pkg/kubelet/nodestatus/setters.go
_OVER = {
    "NodeHasDiskPressure": "NodeHasNoDiskPressure",
    "NodeHasInsufficientMemory": "NodeHasSufficientMemory",
    "NodeHasInsufficientPID": "NodeHasSufficientPID",
}
_PRESSURES = {"DiskPressure": "disk", "MemoryPressure": "memory"}
_ENDS = say("the condition becomes False within five minutes")
_STARTS, _STARTING = "Starting kubelet", timedelta(seconds=10)


def make_signs(
    node: Ref,
    snap: Facts,
    type_: str,
    reason: str,
    finding: Callable[[tuple[Text, ...]], Finding],
    near: tuple[str, ...] = (),
    reclaims: tuple[str, ...] = (),
) -> Signs:
    """Return the signs of a pressure. type_: of the condition. reason: of the Event about it. finding: from
    the notes about its start.

    near: reasons of Events about the same resource that do not report pressure. reclaims: the kubelet's name
    for the resource in its eviction messages: then the condition is written already.
    """
    told = is_under_pressure(node, snap, type_)
    return Signs(
        decisive={f"the kubelet says {type_}": told},
        supporting={
            "the kubelet wrote so lately": find_kubelet_events(node, snap, reason),
            "the kubelet evicts Pods for it": _find_reclaiming(node, snap, reclaims),
            "the kubelet wrote so once": _once(node, snap, reason, *near),
        },
        finding=lambda: add_node_words(
            finding(_since(told.hits, snap)), tell_thresholds(node, _PRESSURES[type_], snap, _ENDS)
        ),
    )


def is_under_pressure(node: Ref, snap: Facts, type_: str) -> Sign[Condition]:
    """Tell whether the kubelet reports this pressure now. type_: of the condition, `DiskPressure`."""
    return some(
        snap, Conditions, node, lambda f: [c for c in f.items if c.type == type_ and c.status == "True"]
    )


def find_kubelet_events(node: Ref, snap: Facts, reason: str) -> Sign[str]:
    """Return the kubelet's messages in Events of this reason within the last minutes, or without a time.

    Skip messages that a later Event takes back, and those from its start: then it reads the kernel's buffer,
    which may be old (`/dev/kmsg` from its beginning: cadvisor utils/oomparser, pkg/kubelet/oom).
    """

    def lately(f: Events) -> list[str]:
        starts = [e.last for e in f.items if e.last and e.message.startswith(_STARTS)]
        return [
            e.message
            for e in f.items
            if e.reason == reason
            and not any(
                o.reason == _OVER.get(reason) and o.last and e.last and o.last > e.last for o in f.items
            )
            and (e.last is None or snap.now - e.last <= _RECENT)
            and not any(e.last and timedelta(0) <= e.last - start <= _STARTING for start in starts)
        ]

    return hearsay(snap, Events, node, lately)


def _find_reclaiming(node: Ref, snap: Facts, resources: tuple[str, ...]) -> Sign[str]:
    told = find_kubelet_events(node, snap, "EvictionThresholdMet")
    mine = tuple(m for m in told.hits if any(word in m for word in resources))
    return Sign(True, mine, told.seen, sure=told.sure) if mine else Sign(None)


def _once(node: Ref, snap: Facts, *reasons: str) -> Sign[str]:
    """Return the kubelet's messages in such Events, of any age; never more than unknown, since the state may
    have changed.
    """
    told = hearsay(snap, Events, node, lambda f: [e.message for e in f.items if e.reason in reasons])
    return Sign(None, told.hits, told.seen)


def _since(conditions: tuple[Condition, ...], snap: Facts) -> tuple[Text, ...]:
    """Return since when, as a note."""
    if not conditions or conditions[0].since is None:
        return ()
    span = format_duration(snap.now - conditions[0].since)
    return (say("{type} for {span}", type=conditions[0].type, span=span),)
