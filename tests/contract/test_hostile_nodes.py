"""The effect of a tenant's processes and files on the commands proposed for root on a node."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta

import pytest

from unstuck.causes.kubelet import orphaned_pod_directory
from unstuck.causes.mount import held_by_process
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.aspects.host import MountHolder, MountHolders, Proc
from unstuck.facts.aspects.leftovers import LeftDirectory, PodDirectories
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, tzinfo=UTC)
UID = "00000000-0000-4000-8000-0000000000a1"
POD, NODE = Ref("Pod", "f", "p", UID), Ref("Node", None, "n-1")
PATH = "/var/lib/docker/overlay2/0f/merged"
SRC = Source("n-1", "")


def commands(finding: Finding) -> list[Command]:
    return [one for step in finding.help for one in (step.command, step.undo) if one]


@pytest.mark.parametrize(
    "proc",
    [
        Proc(7, "sh", pod=UID),
        Proc(7, "sh", container="0" * 64, unit="docker-00.scope"),
        Proc(7, "sh", unit="ntpd.service", pod=UID),
        Proc(7, ""),
    ],
)
def test_no_program_out_of_a_container_is_run(proc: Proc) -> None:
    first = commands(held(proc))[0]
    assert first.argv == ("umount", "-N", "7", PATH)


def test_a_service_has_the_node_s_own_programs() -> None:
    assert commands(held(Proc(7, "ntpd", unit="ntpd.service")))[0].argv == (
        "nsenter",
        "-t",
        "7",
        "-m",
        "umount",
        PATH,
    )


def held(proc: Proc) -> Finding:
    facts: list[Fact] = [
        Placement(about=POD, src=SRC, node=NODE),
        Failure(about=POD, src=SRC, operation="container-remove", error="EBUSY", message="busy", path=PATH),
        MountHolders(
            about=Ref("Mount", "n-1", PATH), src=SRC, whole=True, items=(MountHolder(proc, "mnt:[1]", PATH),)
        ),
    ]
    return held_by_process.CAUSE.rule(POD, Snapshot(facts, NOW)).finding()


def test_a_file_s_name_gives_root_no_file_that_its_shell_reads() -> None:
    names = (".bashrc", ".bash_profile", ".vimrc")
    volume = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/tmp"
    left = LeftDirectory(
        UID,
        f"/var/lib/kubelet/pods/{UID}",
        files=tuple(f"{volume}/{n}" for n in names),
        changed=NOW - timedelta(1),
    )
    seen = PodDirectories(about=NODE, src=SRC, items=(left,), total=1)
    said = Failure(
        about=NODE, src=SRC, operation="pod-directory-remove", error="ENOTEMPTY", message="", key=UID
    )
    moves = commands(orphaned_pod_directory.CAUSE.rule(NODE, Snapshot([seen, said], NOW)).finding())
    targets = [word for one in moves for word in shlex.split(one.line) if word.startswith("/root")]
    assert targets and all(word.startswith(f"/root/left-by-pods/{UID}") for word in targets)
