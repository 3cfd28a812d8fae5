"""A Pod's own object: its place, its containers' state, its times. The modules beside this one read the
parts of its spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from unstuck.collect.masking import mask, mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.containers import read_containers
from unstuck.collect.objects.demands import read_demands
from unstuck.collect.objects.generic import SeenObject, message_failures, status_facts
from unstuck.collect.objects.needs import read_needs
from unstuck.collect.objects.scheduling import parse_unschedulable
from unstuck.collect.objects.settings import read_settings
from unstuck.facts.aspects.pod import (
    Complaint,
    ContainerKind,
    Containers,
    ContainerStatus,
    ContainerStatuses,
    Life,
    Placement,
    PodVolume,
    Termination,
    Volumes,
)
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import replace

_STATUS_LISTS: tuple[tuple[str, ContainerKind], ...] = (
    ("initContainerStatuses", "init"),
    ("containerStatuses", "main"),
    ("ephemeralContainerStatuses", "ephemeral"),
)


# The process was never started: containerd's and docker's reasons, and the code of both.
_RUNTIMES_WORDS = ("StartError", "ContainerCannotRun")
_NOT_STARTED = 128


def pod_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield all aspects of a Pod; a missing spec or status gives none of its aspects."""
    spec, status = doc.section(seen.obj, "spec"), doc.section(seen.obj, "status")
    asked: Containers | None = None
    if spec:
        yield _read_placement(seen, spec)
        asked = read_containers(seen, spec)
        yield asked
        yield read_needs(seen, spec)
        yield _read_volumes(seen, spec)
        yield read_demands(seen, spec)
        yield read_settings(seen, spec)
    yield _read_life(seen, status)
    if status:
        yield from _read_statuses(seen, status, asked)
    yield from status_facts(seen)
    yield from _read_scheduling(seen, status)


def _read_placement(seen: SeenObject, spec: doc.Doc) -> Placement:
    name = doc.text(spec, "nodeName")
    gates = tuple(doc.text(g, "name") for g in doc.rows(spec, "schedulingGates"))
    return Placement(
        about=seen.ref,
        src=seen.src(f"nodeName {name}" if name else "no nodeName"),
        node=Ref("Node", None, name) if name else None,
        scheduler=doc.text(spec, "schedulerName") or "default-scheduler",
        gates=gates,
        whole=seen.observed,
    )


def _read_life(seen: SeenObject, status: doc.Doc) -> Life:
    meta = doc.section(seen.obj, "metadata")
    mirror = "kubernetes.io/config.mirror" in doc.section(meta, "annotations")
    quote = f"generation {meta.get('generation')}, observedGeneration {status.get('observedGeneration')}"
    if mirror:
        quote = (
            f"kubernetes.io/config.mirror, creationTimestamp {meta.get('creationTimestamp')}, startTime "
            f"{status.get('startTime')}"
        )
    return Life(
        about=seen.ref,
        src=seen.src(quote if status else ""),
        created=doc.time(meta, "creationTimestamp"),
        started=doc.time(status, "startTime"),
        generation=doc.whole_number(meta, "generation"),
        observed=doc.whole_number(status, "observedGeneration"),
        mirror=mirror,
        whole=seen.observed,
    )


def _read_scheduling(seen: SeenObject, status: doc.Doc) -> Iterator[Fact]:
    for row in doc.rows(status, "conditions"):
        if doc.text(row, "type") == "PodScheduled" and doc.text(row, "status") == "False":
            message = mask_message(doc.text(row, "message"))
            found = parse_unschedulable(
                message,
                about=seen.ref,
                src=seen.src(f"PodScheduled=False {doc.text(row, 'reason')}: {message}"),
            )
            if found:
                yield found


# --- volumes ------------------------------------------------------------------------------------------------


def _read_volumes(seen: SeenObject, spec: doc.Doc) -> Volumes:
    items = tuple(_read_volume(row) for row in doc.rows(spec, "volumes"))
    mounts = [
        m
        for field in ("initContainers", "containers")
        for c in doc.rows(spec, field)
        for m in doc.rows(c, "volumeMounts")
    ]
    by_path = {doc.text(m, "name") for m in mounts if doc.text(m, "subPath") or doc.text(m, "subPathExpr")}
    src = seen.src(f"volumes {', '.join(v.name for v in items) or 'none'}")
    return Volumes(
        about=seen.ref, src=src, items=items, sub_paths=tuple(v.name for v in items if v.name in by_path)
    )


def _read_volume(row: doc.Doc) -> PodVolume:
    type_ = next(
        (k for k, v in row.items() if k != "name" and isinstance(k, str) and isinstance(v, Mapping)), ""
    )
    source = doc.section(row, type_)
    what = {
        "nfs": f"{doc.text(source, 'server')}:{doc.text(source, 'path')}",
        "glusterfs": f"{doc.text(source, 'endpoints')}:{doc.text(source, 'path')}",
        "cephfs": ",".join(doc.strings(source, "monitors")),
        "csi": doc.text(source, "driver"),
        "flexVolume": doc.text(source, "driver"),
        "hostPath": doc.text(source, "path"),
        "persistentVolumeClaim": doc.text(source, "claimName"),
        "configMap": doc.text(source, "name"),
        "secret": doc.text(source, "secretName"),
        "emptyDir": doc.text(source, "medium"),
    }.get(type_, "")
    return PodVolume(
        doc.text(row, "name"), type_, what, doc.scalar(source, "sizeLimit") if type_ == "emptyDir" else ""
    )


# --- container statuses -------------------------------------------------------------------------------------


def _read_statuses(seen: SeenObject, status: doc.Doc, asked: Containers | None) -> Iterator[Fact]:
    kinds = {c.name: c.kind for c in asked.items} if asked else {}
    reported: dict[str, ContainerStatus] = {}
    for field, kind in _STATUS_LISTS:
        for row in doc.rows(status, field):
            name = doc.text(row, "name")
            reported.setdefault(name, _read_status(row, kinds.get(name, kind)))
    spec_order = {
        c.name: reported.get(c.name) or ContainerStatus(c.name, c.kind, "none")
        for c in (asked.items if asked else ())
    }
    items = tuple({**spec_order, **reported}.values())
    quote = "; ".join(_summarize_status(s) for s in items)
    yield ContainerStatuses(about=seen.ref, src=seen.src(quote or "no container statuses"), items=items)
    for s in reported.values():
        yield from _read_messages(seen, s)


def _summarize_status(s: ContainerStatus) -> str:
    """Summarize a status: `c waiting CrashLoopBackOff, last run: exit code 137 OOMKilled`."""
    ends = (("", s.ended), (", last run:", s.last if s.ended is None else None))
    told = "".join(
        f"{word} exit code {e.code}" + (f" {e.reason}" if word and e.reason else "") for word, e in ends if e
    )
    return f"{s.name} {s.state}" + (f" {s.reason}" if s.reason else "") + told


def _read_messages(seen: SeenObject, s: ContainerStatus) -> Iterator[Fact]:
    """Yield the Failures in the kubelet's message beside the state; for an ended run, only the runtime's
    failures.

    Any other message is the program's own (terminationMessagePath), and is not about this Pod's start.
    """
    ended = (
        (t.reason, t.message)
        for t in (s.ended, s.last)
        if t and (t.reason in _RUNTIMES_WORDS or t.code == _NOT_STARTED)
    )
    for reason, message in ((s.reason if s.state == "waiting" else "", s.message), *ended):
        for failure in message_failures(
            seen,
            message,
            quote=f"{s.name}: {reason}: {message}",
            reporter="kubelet",
            reason=reason,
            first=s.since,
        ):
            yield replace(failure, container=failure.container or s.name)


def _read_status(row: doc.Doc, kind: ContainerKind) -> ContainerStatus:
    state = doc.section(row, "state")
    name: Literal["waiting", "running", "terminated", "none"] = "none"
    if isinstance(state.get("terminated"), Mapping):
        name = "terminated"
    elif isinstance(state.get("running"), Mapping):
        name = "running"
    elif isinstance(state.get("waiting"), Mapping):
        name = "waiting"
    inner = doc.section(state, name)
    ended = _read_termination(inner) if name == "terminated" else None
    return ContainerStatus(
        name=doc.text(row, "name"),
        kind=kind,
        state=name,
        reason=doc.text(inner, "reason"),
        message="" if ended else mask_message(doc.text(inner, "message")),
        since=doc.time(inner, "startedAt") if name == "running" else ended.finished if ended else None,
        ended=ended,
        last=_read_termination(last) if (last := doc.section(row, "lastState", "terminated")) else None,
        ready=doc.flag(row, "ready"),
        started=doc.maybe_flag(row, "started"),
        restarts=max(0, doc.whole_number(row, "restartCount") or 0),
        image=doc.text(row, "image"),
        container_id=doc.text(row, "containerID"),
    )


def _read_termination(row: doc.Doc) -> Termination | None:
    code = doc.whole_number(row, "exitCode")
    if code is None:
        return None
    return Termination(
        code=code,
        reason=doc.text(row, "reason"),
        # A program's last message, from the file of terminationMessagePath.
        message="\n".join(mask(line) for line in doc.text(row, "message").split("\n")),
        signal=doc.whole_number(row, "signal") or None,
        started=doc.time(row, "startedAt"),
        finished=doc.time(row, "finishedAt"),
        container_id=doc.text(row, "containerID"),
        complaint=_read_complaint(code, doc.text(row, "reason"), doc.text(row, "message")),
    )


def _read_complaint(code: int, reason: str, message: str) -> Complaint | None:
    """Return the complaint in the program's last message; after a failed start, the message is the
    runtime's.
    """
    if not message or code == 0 or reason != "Error":
        return None
    # Few Pods have any, and each command would pay for reading the patterns.
    from unstuck.wording.program.read import find_complaint

    return find_complaint([mask(line) for line in message.split("\n")])
