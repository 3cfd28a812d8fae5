"""Consequences of a container of unknown state, and causes of a leftover directory, evaluated by all
causes.
"""

from __future__ import annotations

from dataclasses import replace

from tests.contract.support import Loaded, load_all
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.facts.aspects.host import DaemonState, Proc
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.runtime import ContainerAnswers, RuntimeContainers
from unstuck.facts.core import Fact, Source

SRC = Source("n-1 /proc")


def case(cause: str, title: str) -> Loaded:
    return next(c for c in load_all() if c.cause.id == cause and c.case.title == title)


def answer(loaded: Loaded, *more: Fact) -> Diagnosis:
    return diagnose(loaded.subject, loaded.snapshot.plus(more), discover())


def chain(found: Diagnosis) -> list[tuple[str, int | None]]:
    return [(t.id, t.consequence_of) for t in found.causes]


def test_a_list_that_hangs_follows_from_the_one_container() -> None:
    found = answer(
        case(
            "runtime.container-inspect-hangs",
            "the Node still reads Ready, and the list of containers hangs for this one",
        )
    )
    assert chain(found) == [("runtime.container-inspect-hangs", None), ("runtime.unresponsive", 0)]


def test_a_suspended_shim_is_the_root_of_the_container_that_is_not_told() -> None:
    loaded = case("runtime.container-inspect-hangs", "asked about the Pod that does not go")
    (answers,) = loaded.snapshot.every(ContainerAnswers)
    seen = answers.silent[0].seen
    assert seen is not None
    found = answer(loaded, RuntimeContainers(about=loaded.subject, src=SRC, items=(seen,)))
    assert chain(found)[:2] == [("runtime.shim-hung", None), ("runtime.container-inspect-hangs", 0)]


def test_a_suspended_daemon_is_no_fault_of_a_container() -> None:
    loaded = case("runtime.container-inspect-hangs", "the runtime does not even tell its version")
    stopped = DaemonState(
        about=loaded.subject,
        src=SRC,
        daemon="containerd",
        running=True,
        stopped=True,
        proc=Proc(600, "containerd", "T"),
    )
    assert [t.id for t in answer(loaded, stopped).causes] == ["runtime.unresponsive"]


def test_what_holds_the_pod_is_the_root_of_its_directory_that_is_left() -> None:
    loaded = case("kubelet.orphaned-pod-directory", "asked about the Pod that is gone")
    found = answer(loaded)
    assert chain(found) == [("kubelet.orphaned-pod-directory", None)]
    immutable = Failure(
        about=loaded.subject,
        src=replace(SRC, at=loaded.snapshot.now),
        whole=False,
        operation="volume-tear-down",
        error="EPERM",
        path="/var/lib/kubelet/pods/x/volumes/d/x",
        message="operation not permitted",
    )
    assert chain(answer(loaded, immutable)) == [
        ("file.immutable", None),
        ("kubelet.orphaned-pod-directory", 0),
    ]
