"""Small hand-made reports for the renderers: tiny causes, tiny Snapshots, none of the product's own
causes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from unstuck.diagnosis import given
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import hearsay, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.engine import diagnose, group_incidents
from unstuck.facts.aspects.host import FlaggedFile, FlaggedFiles, PodMounts
from unstuck.facts.aspects.objects import Deletion, Events, Failure, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Placement
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 0, 7, 30, tzinfo=UTC)
POD = Ref("Pod", "default", "ed-immut", "41300886-c8c1-4a0e-9f4e-0a1b2c3d4e5f")
NODE = Ref("Node", None, "lab-1")
PATH = "/var/lib/kubelet/pods/41300886-c8c1-4a0e-9f4e-0a1b2c3d4e5f/volumes/kubernetes.io~empty-dir/d/x"


def make_flagged_cause(pod: Ref, snap: Snapshot) -> Signs:
    hit = some(snap, FlaggedFiles, pod, lambda f: f.files)
    said = hearsay(snap, Failure, pod, lambda f: [f] if f.error == "EPERM" else [])

    def finding() -> Finding:
        path = hit.hits[0].path if hit.hits else "?"
        return Finding(
            Text(
                'The kubelet cannot empty volume "d": a file carries the immutable flag',
                "kubelet 无法清空卷 d：有文件带不可变属性",
            ),
            Ref("File", "lab-1", path),
            (pod,),
            notes=(Text("No Event is written for it.", "API 中不会出现相关事件。"),),
            help=(
                Step(
                    Text("take the flag off this file", "仅清除该文件的属性"),
                    "node:lab-1",
                    command("chattr -i {path}", path=given.path(path)),
                    "reversible",
                    command("chattr +i {path}", path=given.path(path)),
                    Text("the kubelet retries automatically within 2 min", "kubelet 会在 2 分钟内自动重试"),
                ),
            ),
            do_not=(
                DoNot(
                    Text("force delete", "强制删除"),
                    Text(
                        "the directory stays on lab-1 and is never retried", "目录会留在 lab-1 上且不再重试"
                    ),
                ),
            ),
        )

    return Signs(finding, {"a file carries i": hit}, supporting={"removal refused": said})


def make_silent_cause(pod: Ref, snap: Snapshot) -> Signs:
    def finding() -> Finding:
        return Finding(
            Text("The Pod's status does not reach the API", "Pod 状态无法上报"),
            pod,
            (Ref("Service", "default", "web"),),
        )

    return Signs(
        finding, {"its phase is Failed": some(snap, Phase, pod, lambda f: [f] if f.phase == "Failed" else [])}
    )


def make_busy_cause(pod: Ref, snap: Snapshot) -> Signs:
    def finding() -> Finding:
        return Finding(Text("A mount is busy", "挂载点被占用"), Ref("Mount", "lab-1", "/m"), (pod,))

    return Signs(finding, {"a mount below it is extra": some(snap, PodMounts, pod, lambda f: f.extra)})


CAUSES = (
    Cause(
        "test.flagged",
        Text("a file is immutable", "文件不可变"),
        ("Pod",),
        frozenset({FlaggedFiles}),
        make_flagged_cause,
        ("volumes-unmounted",),
    ),
    Cause(
        "test.mount-busy",
        Text("a mount is busy", "挂载点被占用"),
        ("Pod",),
        frozenset({PodMounts}),
        make_busy_cause,
        ("volumes-unmounted",),
    ),
    Cause(
        "test.silent",
        Text("status is refused", "状态上报被拒"),
        ("Pod",),
        frozenset({Phase}),
        make_silent_cause,
    ),
)


def make_source(where: str, quote: str = "", seconds_ago: float | None = None) -> Source:
    return Source(where, quote, None if seconds_ago is None else NOW - timedelta(seconds=seconds_ago))


def make_api_source(quote: str) -> Source:
    return make_source("/api/v1/namespaces/default/pods/ed-immut", quote, 0)


def make_deleted_pod(pod: Ref = POD) -> list[Fact]:
    """Return a Pod deleted 12 minutes ago with stopped containers, on an unexamined node."""
    ended = ContainerStatus("main", "main", "terminated", "Error")
    return [
        Presence(about=pod, src=make_api_source(""), exists=True, created=NOW - timedelta(hours=1)),
        Deletion(
            about=pod,
            src=make_api_source("deletionTimestamp 2026-11-20T23:55:32Z"),
            requested=True,
            due=NOW - timedelta(seconds=718),
            grace=2,
        ),
        Placement(about=pod, src=make_api_source("nodeName lab-1"), node=NODE),
        Phase(about=pod, src=make_api_source("phase Failed"), phase="Failed"),
        ContainerStatuses(about=pod, src=make_api_source("main terminated Error"), items=(ended,)),
    ]


def make_node_facts(pod: Ref = POD, path: str = PATH) -> list[Fact]:
    """Return the node's facts: the flag, and the kubelet's own message."""
    words = f"unlinkat {path}: operation not permitted"
    return [
        FlaggedFiles(
            about=pod,
            src=make_source(f"lab-1 {path}", "flags ----i---"),
            files=(FlaggedFile(path, "----i---"),),
        ),
        Failure(
            about=pod,
            src=make_source("lab-1 kubelet.log:5120", words, 14),
            whole=False,
            operation="volume-tear-down",
            error="EPERM",
            path=path,
            count=9,
        ),
        PodMounts(about=pod, src=make_source("lab-1 /proc/1/mountinfo", "no mount below the Pod"), items=()),
    ]


def make_denied(pod: Ref = POD) -> Refused:
    src = make_source("/api/v1/namespaces/default/events")
    return Refused(
        about=pod, src=src, want=Events.__name__, why="denied", detail='User "eve" cannot list events'
    )


def make_snapshot(*facts: Fact) -> Snapshot:
    return Snapshot(facts, NOW, ("live:lab", "node:lab-1"))


def diagnose_flagged(snap: Snapshot, subject: Ref = POD) -> Diagnosis:
    return diagnose(subject, snap, CAUSES)


def report(snap: Snapshot, *subjects: Ref) -> Answer:
    found = tuple(diagnose_flagged(snap, s) for s in subjects or (POD,))
    return Answer(snap.now, snap.sources, found, group_incidents(found), "0.1.0")
