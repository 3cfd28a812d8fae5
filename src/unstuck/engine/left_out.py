"""The gaps of an answer about many objects, denied or not asked: untold, the answer would pass for complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.text import Text, who
from unstuck.facts.aspects.alike import Counted, Hurried, Stopped, Unread
from unstuck.facts.core import Ref, Refused
from unstuck.facts.snapshot import Snapshot

_OPEN = ("denied", "timeout", "unreachable", "too-large")
# How many held objects are named.
_NAMED = 3
_WHAT: Mapping[str, Text] = MappingProxyType(
    {
        "PlacingInputs": Text("where Pods that wait for a Node would fit", "等待调度的 Pod 可以放到哪里"),
        "History": Text("what has changed since such Pods last got a Node", "自同类 Pod 上次得到节点以来有何变化"),
        "NodeNames": Text("the names of all Nodes", "全部节点的名称"),
        "Conditions": Text("what Nodes that are Ready report beside that", "Ready 的节点另外报告的状况"),
        "SchedulerWork": Text("whether the scheduler is at work", "调度器是否在工作"),
    }
)


def not_seen(snap: Snapshot) -> tuple[Refused, ...]:
    """Return what was asked and not answered."""
    return tuple(r for r in snap.every(Refused) if r.why in _OPEN)


def left_out(snap: Snapshot) -> tuple[Text, ...]:
    """Return what was not asked for, one sentence each."""
    return tuple(_left_out(snap))


def held(snap: Snapshot) -> tuple[Ref, ...]:
    """Return what somebody has stopped on purpose."""
    return tuple(sorted({r for f in snap.every(Stopped) for r in f.refs}, key=lambda r: r.key))


def _left_out(snap: Snapshot) -> Iterator[Text]:
    if stopped := held(snap):
        yield counted(stopped)
    if unread := sum(f.unread for f in snap.every(Counted)):
        yield Text(f"{unread} more Pods look ill and were not read one by one", f"另有 {unread} 个 Pod 看似异常，未逐一读取")
    for fact in snap.every(Unread):
        kind = fact.about.kind.removesuffix("List")
        yield Text(f"{fact.count} more of kind {kind} look ill and were not read", f"另有 {fact.count} 个 {kind} 看似异常，未读取")
    if hurried := len({f.about for f in snap.every(Hurried)}):
        yield Text(
            f"not every question was put about {hurried} of the objects: unstuck why on one does",
            f"有 {hurried} 个对象未问完全部问题：对单个对象使用 unstuck why 会问完",
        )
    heavy = sorted({r.want for r in snap.every(Refused) if r.origin == "scan" and r.want in _WHAT})
    if heavy:
        pods = max((f.pods for f in snap.every(Counted)), default=0)
        en, zh = "; ".join(_WHAT[name].en for name in heavy), "；".join(_WHAT[name].zh for name in heavy)
        yield Text(
            f"in a cluster of {pods} Pods a scan does not ask {en}: unstuck why on one object does",
            f"集群有 {pods} 个 Pod，扫描不询问：{zh}；对单个对象使用 unstuck why 会询问",
        )


def counted(refs: Sequence[Ref]) -> Text:
    """Count what somebody has stopped, and name the first few: what a scan says where it does not list them."""
    names = ", ".join(map(who, refs[:_NAMED]))
    more = len(refs) - _NAMED
    en, zh = (f"{names} and {more} more", f"{names} 等另外 {more} 个") if more > 0 else (names, names)
    return Text(
        f"{len(refs)} held on purpose (scaled to 0, suspended, cordoned; scan --held lists them): {en}",
        f"{len(refs)} 个有意停住（缩容到 0、挂起、封锁；scan --held 可逐一列出）：{zh}",
    )
