"""A usual place that a Node lacks, and where it keeps the same; expired certificates that are mounted."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.causes._moved_places import tell_moved
from unstuck.causes._node_certificates import tell_expiry
from unstuck.diagnosis.text import same_in_both
from unstuck.facts.aspects.node_paths import NodePath, PathCertificate, PathPart
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Placement, PodVolume, Volumes
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
POD, NODE, SRC = Ref("Pod", "f", "web", "u"), Ref("Node", None, "east"), Source("x")
GONE = "no such file or directory"


def pod(host_path: str) -> list[Fact]:
    volume = PodVolume(name="v", type="hostPath", what=host_path)
    spec = ContainerSpec("c", "main", "lab.local/app:1", mounts=((host_path, "v"),))
    return [
        Placement(about=POD, src=SRC, node=NODE),
        Containers(about=POD, src=SRC, items=(spec,), whole=True),
        Volumes(about=POD, src=SRC, items=(volume,), sub_paths=(), whole=True),
    ]


def at(path: str, *, missing: str = "", empty: bool = False, **more: tuple[PathCertificate, ...]) -> NodePath:
    part = PathPart(path, 0, 0, 0o755, directory=True, kind="directory", empty=empty)
    about = Ref("File", "east", f"{path}/{missing}" if missing else path)
    return NodePath(about=about, src=SRC, parts=(part,), missing=missing, whole=True, **more)


def moved(line: str, *facts: Fact) -> str:
    return tell_moved(POD, "c", line, Snapshot(facts, NOW), same_in_both("it starts")).says.en


def test_an_empty_journal_on_disk_and_one_in_memory() -> None:
    line = "no journal files found in /var/log/journal"
    told = moved(line, *pod("/var/log/journal"), at("/var/log/journal", empty=True), at("/run/log/journal"))
    assert "/var/log/journal is empty, and /run/log/journal is not" in told


def test_the_version_of_control_groups_is_told() -> None:
    line = f"open /sys/fs/cgroup/cgroup.controllers: {GONE}"
    told = moved(
        line,
        *pod("/srv"),
        at("/sys/fs/cgroup", missing="cgroup.controllers"),
        at("/sys/fs/cgroup/memory"),
    )
    assert told.endswith("it runs version 1 of control groups")


def test_a_place_that_is_there_or_is_not_the_nodes_explains_nothing() -> None:
    line = f"open /var/log/syslog: {GONE}"
    assert moved(line, *pod("/var/log"), at("/var/log/syslog"), at("/var/log/messages")) == ""
    other = at("/var/log", missing="syslog")
    assert moved(line, *pod("/srv"), other, at("/var/log/messages")) == ""


def test_an_expired_certificate_is_told_with_its_file_and_end() -> None:
    over = PathCertificate("east.corp", datetime(2026, 9, 1, tzinfo=UTC), "agent.pem")
    good = PathCertificate("ca.corp", datetime(2030, 9, 1, tzinfo=UTC), "ca.pem")
    snap = Snapshot((*pod("/etc/fleet"), at("/etc/fleet", certificates=(good, over))), NOW)
    told = tell_expiry(POD, "c", "remote error: tls: expired certificate", snap, same_in_both("ok")).says.en
    assert "/etc/fleet/agent.pem (east.corp) expired on 2026-09-01" in told and "ca.pem" not in told
    assert not tell_expiry(POD, "c", "dial tcp: i/o timeout", snap, same_in_both("ok")).says.en
