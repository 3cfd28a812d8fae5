"""Tables of Events, with their header or without: below `describe`, from `kubectl get events`, or a few
rows cut out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from unstuck.collect.node.kernel import KernelLine
from unstuck.collect.objects.scheduling import parse_unschedulable
from unstuck.collect.text.cutting.continued import find_end_of_open, is_continuation
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.shown_objects import find_described_object
from unstuck.collect.text.kubectl.event_rows import HEADERS, RULE, EventRow, is_row, parse_row
from unstuck.collect.text.node.dmesg import read_kernel_lines
from unstuck.facts.aspects.objects import Event, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.match import find_failures
from unstuck.wording.names import find_pod

_SPEAKING = ("BackOff", "Killing")
_CONTAINER = regex(r"^  ([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):\s*$")
_OF_CONTAINER = ("container-", "probe-", "pre-stop", "post-start")
# These write about their own kind alone (the `Component` of their recorders in pkg/controller).
WRITTEN_ABOUT = {
    "daemonset-controller": "DaemonSet",
    "statefulset-controller": "StatefulSet",
    "deployment-controller": "Deployment",
    "replicaset-controller": "ReplicaSet",
    "job-controller": "Job",
    "cronjob-controller": "CronJob",
    "persistentvolume-controller": "PersistentVolumeClaim",
    "volume_expand": "PersistentVolumeClaim",
    "horizontal-pod-autoscaler": "HorizontalPodAutoscaler",
    "service-controller": "Service",
    "endpoint-slice-controller": "Service",
    "endpoint-controller": "Endpoints",
}
# Every Event with one of these reasons is about a claim, from any writer
# (pkg/controller/volume/events/event.go, external-provisioner and external-resizer: their own name is the
# driver's).
_OF_A_CLAIM = frozenset(
    {
        "ClaimLost",
        "ExternalExpanding",
        "ExternalProvisioning",
        "FailedBinding",
        "Provisioning",
        "ProvisioningCleanupFailed",
        "ProvisioningFailed",
        "ProvisioningSucceeded",
        "VolumeMismatch",
        "VolumeResizeFailed",
        "WaitForFirstConsumer",
        "WaitForPodScheduled",
    }
)
_CLAIM = regex(r"\bclaim \"(?P<ns>[a-z0-9-]{1,63})/(?P<name>[a-z0-9.-]{1,253})\"")
# Below a described claim, kubectl 1.9–1.17 shows its users (k8s.io/kubectl pkg/describe/describe.go).
_BEHIND = ("Mounted By:", "Used By:")
# node-problem-detector's sources (config/*.json, "source"), and the reasons of the kubelet's events about its
# own Node (pkg/kubelet/events/event.go).
_OF_DETECTOR = ("-monitor", "-health-checker", "health-checker")
_ON_NODE = ("kubelet", "kube-proxy", "k3s", "rke2", "microk8s")
_STATUS = regex(r"^Node ([a-z0-9][a-z0-9.-]{0,252}) status is now: ")
_OF_NODE = frozenset(
    {
        "ContainerGCFailed",
        "EvictionThresholdMet",
        "FreeDiskSpaceFailed",
        "ImageGCFailed",
        "InvalidDiskCapacity",
        "KubeletSetupFailed",
        "NodeAllocatableEnforced",
        "NodeHasDiskPressure",
        "NodeHasInsufficientMemory",
        "NodeHasInsufficientPID",
        "NodeHasNoDiskPressure",
        "NodeHasSufficientDisk",
        "NodeHasSufficientMemory",
        "NodeHasSufficientPID",
        "NodeNotReady",
        "NodeNotSchedulable",
        "NodeReady",
        "NodeSchedulable",
        "Rebooted",
        "Starting",
        "SystemOOM",
    }
)
# pkg/scheduler/schedule_one.go; without the Namespace before 1.12. Source: pkg/kubelet/kuberuntime (`for pod
# "NAME"`) and pkg/kubelet/dockershim/network (`pod "NAME_NAMESPACE"`).
_OF_POD = regex(r"\bpod \"(?P<name>[a-z0-9][a-z0-9.-]{0,252})(?:_(?P<namespace>[a-z0-9][a-z0-9-]{0,62}))?\"")
_ASSIGNED = regex(
    r"^Successfully assigned (?:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)/)?([a-z0-9]"
    r"(?:[a-z0-9.-]{0,251}[a-z0-9])?) "
    r"to ([a-z0-9][a-z0-9.-]{0,252})$"
)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from `Events:`, a header or a row to the last row and its
    continuation.
    """
    if not (_is_start(lines[i]) or is_row(lines[i])):
        return None
    return find_end_of_rows(lines, i)


def find_end_of_rows(lines: Sequence[str], i: int) -> int:
    """Return the index after the last row at or below i, its continued message included."""
    end, open_ = i + 1, 0
    for n in range(i, len(lines)):
        line = lines[n]
        if n < end - 1:
            continue
        if _is_part(line):
            end, open_ = n + 1, _count_open_brackets(line)
        elif not (is_continuation(line) or open_ > 0) or n > end + 8:
            if n != end or line.startswith(_BEHIND) or (more := find_end_of_open(lines, n, _is_part)) == n:
                break
            end = more
        elif line.strip():
            end, open_ = n + 1, open_ + _count_open_brackets(line)
    return end


def _is_part(line: str) -> bool:
    """Tell whether a line belongs to the table itself: its title, header, rule or a row."""
    return _is_start(line) or RULE.match(line) is not None or is_row(line)


def _count_open_brackets(line: str) -> int:
    """Count the brackets that a line opens and does not close: `… output:(mke2fs 1.47.0` continues in the
    next one.
    """
    return line.count("(") - line.count(")")


def _find_placements(about: Ref, rows: Sequence[_IndexedRow], src: Source) -> Iterator[Placement]:
    """Yield a Pod's Node if there is only one: its kubelet reports (`From` reads `kubelet, NODE`), or the
    scheduler bound the Pod to it.
    """
    reporters = [one.row.event.reporter.partition(",") for one in rows]
    nodes = {name.strip() for who, _, name in reporters if who == "kubelet" and name.strip()}
    if about.kind == "Pod" and not nodes and (bound := _find_binding(rows)):
        nodes = {bound[1].name or ""}
    if about.kind == "Pod" and len(nodes) == 1:
        yield Placement(about=about, src=src, node=Ref("Node", None, nodes.pop()), whole=False)


def _infer_kind(event: Event) -> str:
    """Return the kind for a row without an object, by its reporter or its reason; else Pod."""
    by = event.reporter.partition(",")[0].strip()
    if by.endswith(_OF_DETECTOR) or (by in _ON_NODE and event.reason in _OF_NODE):
        return "Node"
    return "PersistentVolumeClaim" if event.reason in _OF_A_CLAIM else WRITTEN_ABOUT.get(by, "Pod")


def find_node(piece: Piece, start: int) -> Ref | None:
    """Return the Node that the rows from line `start` of a piece are about, if they name one."""
    return _find_node(list(_parse_rows(piece, start, len(piece.lines))))


def _find_node(rows: Sequence[_IndexedRow]) -> Ref | None:
    """Return the one Node of these rows: as its kubelet reports of it, and as the kubelet names itself
    (`kubelet, NODE`).
    """
    of_node = [one.row.event for one in rows if _infer_kind(one.row.event) == "Node"]
    names = {m[1] for e in of_node if (m := _STATUS.match(e.message))}
    names = names or {
        name.strip() for e in of_node for _, _, name in [e.reporter.partition(",")] if name.strip()
    }
    return Ref("Node", None, names.pop()) if len(names) == 1 else None


def _find_binding(rows: Sequence[_IndexedRow]) -> tuple[Ref, Ref] | None:
    """Return (Pod, Node) of the scheduler's row, where these rows hold the binding of one Pod only."""
    found = {
        m.groups()
        for one in rows
        if one.row.event.reason == "Scheduled" and (m := _ASSIGNED.match(one.row.event.message.strip()))
    }
    if len(found) != 1:
        return None
    namespace, name, node = found.pop()
    return Ref("Pod", namespace, name), Ref("Node", None, node)


def _is_start(line: str) -> bool:
    return line.strip() in ("Events:", "Events:  <none>") or any(h.match(line) for h in HEADERS)


def read(piece: Piece) -> Reading:
    """Return Events and Failures about the objects that the rows name, else the one described, or about an
    unnamed Pod.
    """
    return Reading(list(read_rows(piece, 0, len(piece.lines), find_described_object(piece))))


def read_rows(piece: Piece, start: int, end: int, about: Ref | None) -> Iterator[Fact]:
    """Yield facts of the rows in lines [start, end) of a piece.

    about: the object of rows that name none; without it the Pod that the message names, else an unnamed one.
    """
    indexed = list(_parse_rows(piece, start, end))
    alone = _find_only_container(piece.lines[:start]) if about and about.kind == "Pod" else None
    by: dict[Ref, list[_IndexedRow]] = {}
    for one in indexed:
        by.setdefault(
            one.row.about
            or about
            or find_pod(one.row.event.message)
            or _infer_object(piece, one.row.event, indexed),
            [],
        ).append(one)
    for ref, rows in by.items():
        newest = max(
            rows, key=lambda s: (s.row.event.last is not None, s.row.event.last or piece.context.now)
        )
        src = piece.src(
            newest.index, f"{newest.row.event.reason}: {newest.row.event.message}", newest.row.event.last
        )
        yield Events(about=ref, src=src, items=tuple(s.row.event for s in rows), whole=False)
        yield from _find_placements(ref, rows, src)
        if ref.kind == "Node":
            yield from read_kernel_lines(
                [(s.index, KernelLine(s.row.event.message, s.row.event.last)) for s in rows], piece, ref
            )
        for one in rows:
            src = piece.src(one.index, _quote(one.row.event), one.row.event.last)
            for fact in read_failures(one.row, ref, src):
                its = (
                    alone
                    and ref == about
                    and isinstance(fact, Failure)
                    and fact.operation.startswith(_OF_CONTAINER)
                )
                yield (
                    replace(fact, container=alone)
                    if its and isinstance(fact, Failure) and not fact.container
                    else fact
                )


def _infer_object(piece: Piece, event: Event, rows: Sequence[_IndexedRow]) -> Ref:
    """Return the object of a row that names none: of the kind that its reporter or its reason implies, else a
    Pod.

    A claim is named where the provisioner names one claim in all these rows, a Pod where the scheduler binds
    one in them or the kubelet's words name one, a Node where its kubelet names itself.
    """
    kind = _infer_kind(event)
    if kind == "Node":
        return _find_node(rows) or piece.node or piece.block(kind)
    if kind == "Pod" and (bound := _find_binding(rows)):
        return bound[0]
    if kind == "Pod" and (named := _find_named_pod(rows)):
        return named
    claims = {
        m.groups()
        for s in rows
        if s.row.event.reason in _OF_A_CLAIM and (m := _CLAIM.search(s.row.event.message))
    }
    if kind == "PersistentVolumeClaim" and len(claims) == 1:
        return Ref(kind, *claims.pop())
    return piece.block(kind)


def _find_named_pod(rows: Sequence[_IndexedRow]) -> Ref | None:
    """Return the one Pod that the kubelet's messages of these rows are about; None if they name none, or
    several.
    """
    found = [
        m
        for s in rows
        if s.row.event.reporter.startswith("kubelet")
        for m in _OF_POD.finditer(s.row.event.message)
    ]
    names, spaces = {m["name"] for m in found}, {m["namespace"] for m in found if m["namespace"]}
    return (
        Ref("Pod", spaces.pop() if len(spaces) == 1 else None, names.pop())
        if len(names) == 1 and len(spaces) <= 1
        else None
    )


def _find_only_container(lines: Sequence[str]) -> str | None:
    """Return the one container of a Pod that is described above its events, whose rows name none; None if it
    has others, or may have.
    """
    if any(line.startswith(("Init Containers:", "Ephemeral Containers:")) for line in lines):
        return None
    start = next((n for n, line in enumerate(lines) if line.rstrip() == "Containers:"), None)
    end = next(
        (n for n, line in enumerate(lines) if start is not None and n > start and line[:1].strip()), None
    )
    names = (
        [found[1] for line in lines[start:end] if (found := _CONTAINER.match(line))]
        if end is not None
        else []
    )
    return names[0] if len(names) == 1 else None


@dataclass(frozen=True, slots=True)
class _IndexedRow:
    row: EventRow
    index: int


def _parse_rows(piece: Piece, start: int, end: int) -> Iterator[_IndexedRow]:
    """Yield rows with the lines that continue their messages."""
    open_: _IndexedRow | None = None
    for n in range(start, end):
        line = piece.lines[n]
        row = parse_row(line, piece.context.now, piece.namespace)
        if row is not None:
            if open_:
                yield open_
            open_ = _IndexedRow(row, n)
        elif line.startswith(_BEHIND):
            break
        elif (
            open_
            and line.strip()
            and not _is_start(line)
            and not RULE.match(line)
            and len(open_.row.event.message) < 16384
        ):
            event = replace(open_.row.event, message=f"{open_.row.event.message}\n{line.strip()}")
            open_ = _IndexedRow(replace(open_.row, event=event), open_.index)
    if open_:
        yield open_


def read_failures(row: EventRow, about: Ref, src: Source) -> Iterator[Fact]:
    """Yield the failures that one event reports; the scheduler's sentence taken apart."""
    e = row.event
    if e.reason == "FailedScheduling":
        found = parse_unschedulable(e.message, about=about, src=src, whole=False)
        if found:
            yield found
    if e.warning or e.reason in _SPEAKING:
        for f in find_failures(
            e.message,
            about=about,
            src=src,
            reporter=e.reporter or "event",
            count=e.count,
            first=e.first,
            reason=e.reason,
        ):
            yield replace(f, container=row.container) if row.container and not f.container else f


def _quote(event: Event) -> str:
    times = f" ×{event.count}" if event.count > 1 else ""
    return f"{event.reason}{times}: {event.message}"
