"""The gaps in an answer about many objects, denied or not asked: unmentioned, they would make it look
complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.text import Messages, Text, join_texts, who
from unstuck.facts.aspects.alike import Counted, Hurried, Stopped, Unread
from unstuck.facts.core import Ref, Refused
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)
_OPEN = ("denied", "timeout", "unreachable", "too-large")
# The limit of named held objects.
_NAMED = 3
_WHAT: Mapping[str, Text] = MappingProxyType(
    {
        "PlacingInputs": say("where Pods that wait for a Node would fit"),
        "History": say("what has changed since such Pods last got a Node"),
        "NodeNames": say("the names of all Nodes"),
        "Conditions": say("what Nodes that are Ready report beside that"),
        "SchedulerWork": say("whether the scheduler is at work"),
    }
)


def find_unanswered(snap: Snapshot) -> tuple[Refused, ...]:
    """Return the questions that were asked and not answered."""
    return tuple(r for r in snap.every(Refused) if r.why in _OPEN)


def describe_omissions(snap: Snapshot) -> tuple[Text, ...]:
    """Return a sentence for each kind of fact that was not asked for."""
    return tuple(_list_omission_texts(snap))


def find_held_objects(snap: Snapshot) -> tuple[Ref, ...]:
    """Return the objects that are held on purpose."""
    return tuple(sorted({r for f in snap.every(Stopped) for r in f.refs}, key=lambda r: r.key))


def _list_omission_texts(snap: Snapshot) -> Iterator[Text]:
    if stopped := find_held_objects(snap):
        yield count_held(stopped)
    if unread := sum(f.unread for f in snap.every(Counted)):
        yield say("{unread} more Pods look ill and were not read one by one", unread=unread)
    for fact in snap.every(Unread):
        kind = fact.about.kind.removesuffix("List")
        yield say("{count} more of kind {kind} look ill and were not read", count=fact.count, kind=kind)
    if hurried := len({f.about for f in snap.every(Hurried)}):
        yield say(
            "not every question was put about {hurried} of the objects: unstuck why on one does",
            hurried=hurried,
        )
    heavy = sorted({r.want for r in snap.every(Refused) if r.origin == "scan" and r.want in _WHAT})
    if heavy:
        pods = max((f.pods for f in snap.every(Counted)), default=0)
        what = join_texts((_WHAT[name] for name in heavy), "; ", "；")
        yield say(
            "in a cluster of {pods} Pods a scan does not ask {what}: unstuck why on one object does",
            pods=pods,
            what=what,
        )


def count_held(refs: Sequence[Ref]) -> Text:
    """Count the held objects and name the first few, for a scan that does not list them."""
    names = ", ".join(map(who, refs[:_NAMED]))
    more = len(refs) - _NAMED
    return say(
        "{count} held on purpose (scaled to 0, suspended, cordoned; scan --held lists them): {which}",
        count=len(refs),
        which=say("{names} and {more} more", names=names, more=more) if more > 0 else names,
    )
