"""A hold, a wait and a limit are reported with their field, their decider, and the decider's health."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.test_referred import asked, made
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.aspects.deciders import Decider, Deciders
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Fact, Ref, Source

Doc = dict[str, Any]
WEB, GROUP = Ref("Deployment", "shop", "web"), "scale.example.com"
SRC = Source("/apis/x")


def idle(**meta: Any) -> Doc:
    """Return a Deployment scaled to 0."""
    return made(
        "apps/v1", "Deployment", "web", meta=meta, spec={"replicas": 0}, status={"observedGeneration": 1}
    )


def decided(*items: Decider, about: Ref = WEB) -> tuple[Fact, ...]:
    return (Deciders(about=about, src=SRC, items=items),)


def cron(name: str, suspend: bool) -> Doc:
    return made("batch/v1", "CronJob", name, spec={"schedule": "0 8 * * *", "suspend": suspend}, status={})


def by(
    name: str, replicas: int | None = None, field: str = "spec.jobTemplate", kind: str = "CronJob"
) -> Decider:
    return Decider(Ref(kind, "shop", name), field, replicas)


@pytest.mark.parametrize(
    ("up", "down", "state"),
    [
        ((False, 2), (False, 0), "held"),
        ((True, 2), (False, 0), "stuck"),
        ((False, 2), (True, 0), "held"),
        ((True, None), (False, None), "stuck"),
        ((False, None), (True, None), "held"),
    ],
)
def test_what_is_to_end_a_hold_must_work(
    up: tuple[bool, int | None], down: tuple[bool, int | None], state: str
) -> None:
    facts = decided(by("wake", up[1]), by("go-to-sleep", down[1]))
    answer = asked(idle(), cron("wake", up[0]), cron("go-to-sleep", down[0]), facts=facts)
    assert answer.state.name == state
    assert [c.id for c in answer.causes] == (["controller.hold-without-end"] if state == "stuck" else [])
    if state == "stuck":
        assert (
            "CronJob shop/wake" in answer.state.headline.en
            and "spec.suspend: true" in answer.state.headline.en
        )


def scaler(*conditions: Doc) -> Doc:
    return made(
        f"{GROUP}/v1",
        "QueueScaler",
        "web",
        spec={"scaleTargetRef": {"name": "web"}},
        status={"conditions": [*conditions]},
    )


def condition(type_: str, status: str, reason: str, message: str = "") -> Doc:
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-20T00:00:00Z",
    }


BY_SCALER = decided(by("web", None, "spec.scaleTargetRef", f"QueueScaler.{GROUP}"))


def test_a_scaler_that_has_nothing_to_do_decides_on_it() -> None:
    answer = asked(
        idle(),
        scaler(condition("Ready", "True", "Ok"), condition("Active", "False", "QueueEmpty")),
        facts=BY_SCALER,
    )
    assert answer.state.name == "held" and not answer.causes
    assert (
        "QueueScaler.scale.example.com shop/web decides on that (spec.scaleTargetRef): Active=False "
        "QueueEmpty"
    ) in answer.state.headline.en


def test_a_scaler_that_fails_is_the_root() -> None:
    broken = condition("Ready", "False", "TriggerError", "no host setting given")
    answer = asked(idle(), scaler(broken), facts=BY_SCALER)
    assert answer.state.name == "stuck"
    (root,) = [c for c in answer.causes if c.consequence_of is None]
    assert root.id == "reported.own-words" and "no host setting given" in root.finding.says.en


@pytest.mark.parametrize(
    ("kind", "state"), [("CronJob", "stuck"), ("Job", "held"), (f"SleepInfo.{GROUP}", "stuck")]
)
def test_what_is_gone_ends_nothing(kind: str, state: str) -> None:
    one = by("wake", None, "metadata.annotations[example.com/woken-by]", kind)
    assert asked(idle(), gone=(one.ref,), facts=decided(one)).state.name == state


def test_an_autoscaler_does_not_scale_up_from_none() -> None:
    answer = asked(idle(), facts=decided(by("web", None, "spec.scaleTargetRef", "HorizontalPodAutoscaler")))
    assert answer.state.name == "held" and "does not scale it up from 0" in answer.state.headline.en


def test_two_that_name_each_other_end_nothing() -> None:
    ring = (
        *decided(by("wake", 2)),
        *decided(Decider(WEB, "metadata.annotations[x/for]"), about=Ref("CronJob", "shop", "wake")),
    )
    assert asked(idle(), cron("wake", True), facts=ring).state.name == "stuck"


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        ({"a.example/note": "closed until March"}, "its annotation a.example/note says: closed until March"),
        ({"a.example/hold-reason": "see OPS-7"}, "see OPS-7"),
        ({"a.example/note": "later"}, ""),
        ({"a.example/notebook": "not a note"}, ""),
        ({"a.example/note": '{"a": "b c"}'}, ""),
        ({"a.example/note": "word " * 80}, "…"),
    ],
)
def test_a_remark_for_people_is_quoted(annotations: dict[str, str], said: str) -> None:
    headline = asked(idle(annotations=annotations), facts=decided()).state.headline.en
    assert said in headline and ("annotation" in headline) is bool(said) and len(headline) < 400


def test_an_approval_is_told_with_the_object_that_lacks_it() -> None:
    plan = made(
        "ops.example.com/v1",
        "Plan",
        "p-1",
        spec={"approval": "Manual", "approved": False},
        status={"phase": "RequiresApproval"},
    )
    ref = {"apiVersion": "ops.example.com/v1", "kind": "Plan", "name": "p-1"}
    pending = condition("PlanPending", "True", "RequiresApproval")
    order = made(
        "ops.example.com/v1",
        "Order",
        "o",
        spec={},
        status={"state": "Upgrading", "planRef": ref, "conditions": [pending]},
    )
    answer = asked(order, plan)
    assert (
        answer.state.name == "held"
        and "Plan.ops.example.com shop/p-1 is not approved" in answer.state.headline.en
    )
    assert asked(plan).state.headline.en.endswith("waits for an approval (spec.approval: Manual)")
    (want,) = [w for w in asked(order).state.wants if w.about.kind == "Plan.ops.example.com"]
    assert want.about.name == "p-1"


@pytest.mark.parametrize(
    "reason", ["AwaitingApproval", "ManualApprovalRequired", "PENDING_APPROVAL", "WaitingForApproval"]
)
def test_words_for_an_approval(reason: str) -> None:
    one = made(
        "ops.example.com/v1",
        "Order",
        "o",
        spec={},
        status={"conditions": [condition("Ready", "False", reason)]},
    )
    assert asked(one).state.name == "held"


@pytest.mark.parametrize("reason", ["Approved", "ApprovalFailed", "ApprovalDenied", "Disapproved"])
def test_other_words_around_it_hold_nothing(reason: str) -> None:
    one = made(
        "ops.example.com/v1",
        "Order",
        "o",
        spec={},
        status={"conditions": [condition("Ready", "False", reason)]},
    )
    assert asked(one).state.name != "held"


def claim(*facts: Fact) -> Diagnosis:
    one = made(
        "v1", "PersistentVolumeClaim", "data-db-2", spec={"volumeName": "disk-2"}, status={"phase": "Bound"}
    )
    status = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1}
    keeper = made("apps/v1", "StatefulSet", "db", spec={"replicas": 1}, status=status)
    return asked(one, keeper, facts=facts)


def test_a_bound_claim_that_nobody_uses_says_who_keeps_it() -> None:
    about = Ref("PersistentVolumeClaim", "shop", "data-db-2")
    assert [w.fact for w in claim().state.wants] == [Users]
    free = Users(about=about, src=SRC, refs=())
    assert [w.fact for w in claim(free).state.wants] == [Deciders]
    kept = decided(Decider(Ref("StatefulSet", "shop", "db"), "spec.volumeClaimTemplates[data]"), about=about)
    answer = claim(free, *kept)
    assert (answer.state.name, answer.causes) == ("fine", ())
    assert "Bound to disk-2; no Pod uses it now; StatefulSet shop/db made it" in answer.state.headline.en
    used = Users(about=about, src=SRC, refs=(Ref("Pod", "shop", "db-2"),))
    assert claim(used).state.headline.en.endswith("Bound")


def test_a_node_says_by_which_taints_it_keeps_pods_away() -> None:
    taints = [
        {"key": "dedicated", "value": "render", "effect": "NoSchedule"},
        {"key": "soft", "effect": "PreferNoSchedule"},
    ]
    ready = {"conditions": [condition("Ready", "True", "KubeletReady")]}
    answer = asked(made("v1", "Node", "n-1", None, spec={"taints": taints}, status=ready))
    assert answer.state.name == "fine" and answer.state.headline.en.endswith(
        "only Pods that tolerate dedicated=render:NoSchedule"
    )


@pytest.mark.parametrize(
    ("restart", "code", "ready", "state"),
    [
        ("OnFailure", 0, True, "fine"),
        ("Never", 0, True, "fine"),
        ("Always", 0, True, "stuck"),
        ("Never", 1, True, "stuck"),
        ("Never", 0, False, "stuck"),
    ],
)
def test_a_container_that_is_done_is_no_trouble(restart: str, code: int, ready: bool, state: str) -> None:
    at = "2026-11-20T00:00:00Z"
    ended = {
        "terminated": {
            "exitCode": code,
            "reason": "Completed" if code == 0 else "Error",
            "startedAt": at,
            "finishedAt": at,
        }
    }
    rows = [
        {
            "name": "fill",
            "ready": False,
            "started": False,
            "restartCount": 0,
            "containerID": "c://a",
            "state": ended,
        },
        {
            "name": "serve",
            "ready": ready,
            "started": True,
            "restartCount": 0,
            "containerID": "c://b",
            "state": {"running": {"startedAt": at}},
        },
    ]
    said = [condition(t, "True", "") for t in ("PodScheduled", "PodReadyToStartContainers", "Initialized")]
    said += [condition(t, "False", "ContainersNotReady") for t in ("Ready", "ContainersReady")]
    spec = {"nodeName": "n-1", "restartPolicy": restart, "containers": [{"name": "fill"}, {"name": "serve"}]}
    pod = made(
        "v1",
        "Pod",
        "p",
        spec=spec,
        status={"phase": "Running", "conditions": said, "containerStatuses": rows},
    )
    answer = asked(pod)
    assert answer.state.name == state
    assert ("container fill ended with exit code 0" in answer.state.headline.en) is (state == "fine")


def test_a_container_that_is_done_keeps_its_job_waiting_for_the_others() -> None:
    at = "2026-11-20T00:00:00Z"
    ended = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": at, "finishedAt": at}}
    rows = [
        {"name": "report", "ready": False, "restartCount": 0, "containerID": "c://a", "state": ended},
        {
            "name": "proxy",
            "ready": True,
            "restartCount": 0,
            "containerID": "c://b",
            "state": {"running": {"startedAt": at}},
        },
    ]
    said = [condition(t, "True", "") for t in ("PodScheduled", "PodReadyToStartContainers", "Initialized")]
    said += [condition(t, "False", "ContainersNotReady") for t in ("Ready", "ContainersReady")]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "report", "uid": "u-9", "controller": True}
    spec = {
        "nodeName": "n-1",
        "restartPolicy": "Never",
        "containers": [{"name": "report"}, {"name": "proxy"}],
    }
    status = {"phase": "Running", "conditions": said, "containerStatuses": rows}
    assert (
        asked(
            made("v1", "Pod", "report-x", meta={"ownerReferences": [owner]}, spec=spec, status=status)
        ).state.name
        == "stuck"
    )


def test_a_budget_is_told_with_the_field_that_holds_its_pods() -> None:
    budget = made(
        "policy/v1",
        "PodDisruptionBudget",
        "till",
        spec={"minAvailable": "100%"},
        status={
            "observedGeneration": 1,
            "disruptionsAllowed": 0,
            "currentHealthy": 2,
            "desiredHealthy": 2,
            "expectedPods": 2,
        },
    )
    answer = asked(budget)
    assert answer.state.name == "held"
    assert "minAvailable: 100% requires 2 of its 2 Pods" in answer.state.headline.en
