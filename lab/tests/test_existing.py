"""An existing cluster in the lab's place: the lab's own, known by its kubeconfig alone."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from unstuck_lab import Lab, LabError
from unstuck_lab import fault as catalogue
from unstuck_lab.cli import main
from unstuck_lab.existing import IMAGE, IMAGE_VARIABLE, VARIABLE
from unstuck_lab.faults import _objects, _steps
from unstuck_lab.paths import Paths

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")
NS = "lab-test-existing"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, "p", terminationGracePeriodSeconds=1))


FAULT = replace(
    catalogue.find("configmap-missing"),
    name="only-here",
    subject="pod/p",
    namespace=NS,
    apply=apply,
    observe=lambda lab: "there" if lab.get_pod(NS, "p") else None,
    heal=_steps.make_heal(NS),
)


@pytest.fixture
def kubeconfig(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the lab's, with a cache of its own so that nothing of the lab's is found by accident."""
    if lab.existing:
        pytest.skip("this cluster is an existing one already")
    file = tmp_path / "kubeconfig"
    file.write_bytes(lab.kubeconfig.read_bytes())
    monkeypatch.setenv(VARIABLE, str(file))
    return file


@pytest.fixture
def existing(kubeconfig: Path, tmp_path: Path) -> Iterator[Lab]:
    """The cluster of that kubeconfig; its record of faults is kept apart from the real one."""
    found = Lab.from_environment()
    yield Lab(Paths(found.paths.state, tmp_path / "cache"), found.existing)


def unstuck_lab(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(args))
    return done.exit_code, done.output


def test_a_fault_is_applied_and_healed_through_the_api_alone(existing: Lab) -> None:
    catalogue.inflict(existing, FAULT)
    try:
        assert catalogue.wait_held(existing, FAULT) == "there"
        assert [p.name for p in existing.applied.iterdir()] == ["only-here"]
        pod = existing.get_pod(NS, "p")
        assert pod is not None and pod["spec"]["containers"][0]["image"] == os.environ.get(
            IMAGE_VARIABLE, IMAGE
        )
    finally:
        catalogue.heal(existing, FAULT)
    assert existing.get(f"/api/v1/namespaces/{NS}") is None
    assert list(existing.applied.iterdir()) == []


def test_a_fault_that_holds_is_left_as_it_is_and_one_left_half_way_is_made_anew(existing: Lab) -> None:
    done: list[str] = []
    holds = False

    def applied(_: Lab) -> None:
        nonlocal holds
        done.append("applied")
        holds = len(done) > 1  # the first time ends before anything is broken

    fault = replace(
        FAULT,
        apply=applied,
        heal=lambda _: done.append("healed"),
        observe=lambda _: "broken" if holds else None,
    )
    try:
        assert catalogue.ensure(existing, fault)
        assert catalogue.ensure(existing, fault)
        assert done == ["applied", "healed", "applied"]
        assert not catalogue.ensure(existing, fault)
        assert done == ["applied", "healed", "applied"]
    finally:
        (existing.applied / fault.name).unlink()


def test_what_is_applied_in_the_lab_is_not_taken_for_applied_there(lab: Lab, existing: Lab) -> None:
    assert catalogue.list_applied(existing) == []
    assert existing.applied != lab.paths.faults


def test_a_fault_of_a_node_is_refused_in_one_line(kubeconfig: Path) -> None:
    for verb in ("fault", "heal"):
        status, said = unstuck_lab(verb, "file-immutable")
        assert status == 1 and len(said.splitlines()) == 1
        assert "fault file-immutable" in said and "needs access to a node" in said and VARIABLE in said


def test_up_and_down_say_that_they_do_nothing(kubeconfig: Path, lab: Lab) -> None:
    for verb in ("up", "down", "setup"):
        status, said = unstuck_lab(verb)
        assert status == 0 and said.startswith("nothing to do: ") and str(kubeconfig) in said
    assert lab.is_ready()


def test_it_says_what_it_is(kubeconfig: Path, lab: Lab) -> None:
    assert unstuck_lab("kubeconfig") == (0, f"{kubeconfig}\n")
    status, said = unstuck_lab("status")
    assert (
        status == 0 and said.startswith("existing cluster of ") and f"API server {lab.server}: ready" in said
    )
    status, said = unstuck_lab("faults")
    assert status == 0
    barred = {line.split()[0] for line in said.splitlines() if line.endswith("(needs access to a node)")}
    assert "file-immutable" in barred and "configmap-missing" not in barred
    for args in (["node", "lab-1", "true"], ["kubeconfig", "--reader"]):
        status, said = unstuck_lab(*args)
        assert status == 1 and len(said.splitlines()) == 1 and VARIABLE in said


def test_a_kubeconfig_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nonexistent/kubeconfig")
    for verb in ("status", "faults", "up", "kubeconfig"):
        status, said = unstuck_lab(verb)
        assert status == 1 and len(said.splitlines()) == 1 and "/nonexistent/kubeconfig: no such file" in said


def test_a_cluster_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    cluster = '{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}'
    context = '{"name": "c", "context": {"cluster": "c"}}'
    file.write_text(
        f'{{"kind": "Config", "clusters": [{cluster}], "contexts": [{context}], "current-context": "c"}}'
    )
    monkeypatch.setenv(VARIABLE, str(file))
    status, said = unstuck_lab("status")
    assert status == 0 and "NOT READY" in said
    with pytest.raises(LabError):
        catalogue.list_applied(Lab.from_environment())
