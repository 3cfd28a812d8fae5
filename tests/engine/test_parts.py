"""Each unhealthy container is asked about separately: one's trouble does not explain another's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.engine.diagnose import ask
from unstuck.engine.investigate import open_wants
from unstuck.engine.parts import find_ill_containers
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Events, Failure, Phase
from unstuck.facts.aspects.pod import (
    Complaint,
    Containers,
    ContainerSpec,
    ContainerStatus,
    ContainerStatuses,
    LastLines,
    Placement,
    Termination,
    Volumes,
)
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
POD, SRC = (
    Ref("Pod", "shop", "web", "00000000-0000-4000-8000-0000000000c1"),
    Source("/api/v1/namespaces/shop/pods/web"),
)
ENDED = Termination(1, "Error", started=NOW - timedelta(seconds=40), finished=NOW - timedelta(seconds=38))
VALUE = "ValueError: invalid literal for int() with base 10: 'x'"
PLAIN = "relay: the sum of 'x y' does not fit"


def status(name: str, *, ends: bool = True) -> ContainerStatus:
    if ends:
        return ContainerStatus(name, "main", "waiting", reason="CrashLoopBackOff", restarts=4, last=ENDED)
    return ContainerStatus(name, "main", "running", ready=True, since=NOW - timedelta(minutes=2))


def log(name: str, line: str, complaint: Complaint | None = None) -> Fact:
    return LastLines(
        about=Ref("Container", "shop/web", name), src=SRC, lines=(line,), previous=True, complaint=complaint
    )


def snapshot(*statuses: ContainerStatus, logs: tuple[Fact, ...] = ()) -> Snapshot:
    specs = tuple(ContainerSpec(s.name, "main", "lab.local/app:1") for s in statuses)
    facts: list[Fact] = [
        ContainerStatuses(about=POD, src=SRC, items=statuses),
        Containers(about=POD, src=SRC, items=specs),
        Conditions(
            about=POD,
            src=SRC,
            items=(
                Condition("PodScheduled", "True"),
                Condition("Initialized", "True"),
                Condition("Ready", "False"),
            ),
        ),
        Deletion(about=POD, src=SRC, requested=False),
        Phase(about=POD, src=SRC, phase="Running"),
        Placement(about=POD, src=SRC, node=Ref("Node", None, "lab-2")),
        Events(about=POD, src=SRC, items=()),
        Volumes(about=POD, src=SRC, items=()),
        *logs,
    ]
    return Snapshot(facts, NOW)


def roots(found: Diagnosis) -> list[tuple[str, str | None]]:
    return [(t.id, t.finding.culprit.name) for t in found.causes if t.consequence_of is None]


def test_a_second_container_is_no_consequence_of_the_first_ones_trouble() -> None:
    logs = (
        log("api", VALUE, Complaint("value-malformed", VALUE, name="x", resource="int")),
        log("relay", PLAIN),
    )
    found = diagnose(POD, snapshot(status("api"), status("relay"), logs=logs), discover())
    assert sorted(roots(found)) == [
        ("container.exits-by-itself", "relay"),
        ("program.value-malformed", "api"),
    ]
    second = next(t for t in found.causes if t.finding.culprit.name == "relay")
    assert PLAIN in second.finding.says.en
    # The evidence is the observed fact, not a part of it.
    assert all(len(e.fact.items) == 2 for e in second.evidence if isinstance(e.fact, ContainerStatuses))


def test_of_the_same_trouble_in_two_containers_both_are_named() -> None:
    logs = tuple(
        log(n, VALUE, Complaint("value-malformed", VALUE, name="x", resource="int")) for n in ("api", "relay")
    )
    found = diagnose(POD, snapshot(status("api"), status("relay"), logs=logs), discover())
    assert sorted(roots(found)) == [("program.value-malformed", "api"), ("program.value-malformed", "relay")]


def test_a_message_that_names_no_container_tells_nothing_twice() -> None:
    # An Event combined from similar ones by the server has lost the container.
    no_file = 'exec: "/app/server": stat /app/server: no such file or directory'
    told = [
        Failure(
            about=POD,
            src=SRC,
            operation="container-start",
            error="exec-not-found",
            path="/app/server",
            message=no_file,
            container=name,
        )
        for name in ("api", None)
    ]
    cannot_start = ContainerStatus(
        "api", "main", "waiting", reason="RunContainerError", message=no_file, restarts=3
    )
    waits = ContainerStatus("relay", "main", "waiting", reason="CreateContainerConfigError")
    found = diagnose(POD, snapshot(cannot_start, waits, logs=tuple(told)), discover())
    assert [
        (t.id, t.finding.culprit.name) for t in found.causes if t.id == "container.command-not-found"
    ] == [("container.command-not-found", "api")]


def test_the_log_of_each_is_asked_for() -> None:
    logs = (log("api", VALUE, Complaint("value-malformed", VALUE, name="x", resource="int")),)
    snap = snapshot(status("api"), status("relay"), logs=logs)
    assert Want(LastLines, Ref("Container", "shop/web", "relay")) in open_wants(
        ask(POD, snap, discover()), snap
    )


def test_one_that_is_not_well_is_the_pod_itself() -> None:
    assert find_ill_containers(POD, snapshot(status("api"), status("relay", ends=False))) == ()
    assert find_ill_containers(POD, snapshot(status("api"), status("relay"))) == ("api", "relay")


def test_one_of_which_nothing_is_known_is_counted() -> None:
    logs = (log("api", VALUE, Complaint("value-malformed", VALUE, name="x", resource="int")),)
    killed = replace(status("relay"), last=replace(ENDED, code=137))
    found = diagnose(POD, snapshot(status("api"), killed, logs=logs), discover())
    (one,) = [t for t in found.causes if t.consequence_of is None]
    assert one.finding.notes[0].en == "1 more container is not well, and why is not known: relay (exit 137)"


def test_those_that_a_cause_is_about_are_not_counted() -> None:
    logs = tuple(
        log(n, VALUE, Complaint("value-malformed", VALUE, name="x", resource="int")) for n in ("api", "relay")
    )
    found = diagnose(POD, snapshot(status("api"), status("relay"), logs=logs), discover())
    assert not any("not well" in note.en for t in found.causes for note in t.finding.notes)
