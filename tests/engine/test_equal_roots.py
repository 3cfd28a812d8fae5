"""The same trouble of equal Pods is reported once, and leaves room for another."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Confidence, Finding
from unstuck.engine.link import link
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 29, tzinfo=UTC)
JOB, OTHER = Ref("Job", "offsite", "backup"), Ref("Job", "offsite", "prune")
PODS = tuple(Ref("Pod", "offsite", f"backup-{n}") for n in ("5k5w6", "76fdt"))
LOG = "container main exits with code 11; its last log line: “{}”"


def owned(*owners: Ref) -> Snapshot:
    return Snapshot(
        [
            Owners(about=p, src=Source("api"), refs=(o,), controller=o)
            for p, o in zip(PODS, owners, strict=True)
        ],
        NOW,
    )


def told(
    id_: str, pod: Ref, says: str, confidence: Confidence = "proven", *, of_pod: bool = False
) -> CauseMatch:
    culprit = pod if of_pod else Ref("Container", f"{pod.within}/{pod.name}", "main")
    return CauseMatch(
        id_, Text(says, says), confidence, Finding(Text(says, says), culprit, (pod,)), (), via=pod
    )


def shown(*causes: CauseMatch, snap: Snapshot | None = None) -> list[tuple[str, tuple[Ref, ...]]]:
    return [(t.id, t.also) for t in link(causes, JOB, snap or owned(JOB, JOB)) if t.consequence_of is None]


def test_two_pods_of_one_controller_with_one_trouble_are_one() -> None:
    first, second = (
        told("container.exits", p, LOG.format(f"{at} unable to open {p.name}"))
        for p, at in zip(PODS, "19", strict=True)
    )
    (one,) = link([first, second], JOB, owned(JOB, JOB))
    assert (
        (one.via, one.also) == (PODS[0], (PODS[1],))
        and {*PODS} <= {*one.finding.blocks}
        and dict(one.reach) == {"Pod": 2, "Job": 1}
    )


def test_a_pod_that_is_itself_at_fault_is_as_its_sibling() -> None:
    assert shown(*(told("container.evicted", p, f"Pod {p.name} was evicted", of_pod=True) for p in PODS)) == [
        ("container.evicted", (PODS[1],))
    ]


def test_another_error_code_confidence_or_controller_is_another_trouble() -> None:
    first = told("container.exits", PODS[0], LOG.format("unable to open"))
    alone = [("container.exits", ())] * 2
    assert shown(first, told("container.exits", PODS[1], LOG.format("out of room"))) == alone
    assert (
        shown(first, told("container.exits", PODS[1], LOG.format("unable to open").replace("11", "1")))
        == alone
    )
    assert shown(first, told("container.exits", PODS[1], LOG.format("unable to open"), "likely")) == alone
    assert (
        shown(first, told("container.exits", PODS[1], LOG.format("unable to open")), snap=owned(JOB, OTHER))
        == alone
    )


def test_one_from_which_something_else_follows_stays() -> None:
    volume, says = Ref("Mount", "lab-2", "/h"), LOG.format("unable to open")
    first, second = (told("container.exits", p, says) for p in PODS)
    second = replace(second, finding=replace(second.finding, blocks=(PODS[1], volume)))
    follows = CauseMatch(
        "mount.busy", Text("b", "b"), "proven", Finding(Text("b", "b"), volume, ()), (), via=PODS[1]
    )
    assert shown(first, second, follows) == [("container.exits", ()), ("container.exits", ())]


def test_what_follows_from_each_is_folded_with_it() -> None:
    causes = []
    for pod in PODS:
        root = told("program.refused", pod, LOG.format("refused"), "likely")
        program = Ref("Program", f"{pod.within}/{pod.name}", "main")
        causes.append(
            CauseMatch(
                root.id,
                root.title,
                "proven",
                Finding(root.finding.says, program, (root.finding.culprit, pod)),
                (),
                via=pod,
            )
        )
        causes.append(told("container.exits", pod, LOG.format("refused")))
    found = link(causes, JOB, owned(JOB, JOB))
    assert [(t.id, t.consequence_of) for t in found] == [("program.refused", None), ("container.exits", 0)]
    assert all(t.also == (PODS[1],) for t in found)
