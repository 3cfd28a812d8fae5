"""Unexamined objects, and Pods blocked by a budget, lead to the responsible controller, or to the unhealthy
Pods.
"""

from __future__ import annotations

from datetime import UTC, datetime

from tests.engine.test_chains import falling, roots
from tests.stages.test_referred import asked, made
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.objects import Below
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.core import Ref, Source

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
_GROUP = "platform.example.com"


def tenant(**more: object) -> dict[str, object]:
    return made(f"{_GROUP}/v1", "Tenant", "blue", "shop", spec={"size": 3}, meta={"generation": 1}) | more


def told(*, offered: bool, written: int, ready: int | None) -> TypeStatus:
    operator = Ref("Deployment", "tenants", "tenant-operator")
    found = (Candidate(operator, "its name", ready=ready, wanted=1),) if ready is not None else ()
    about = Ref(f"Tenant.{_GROUP}", "shop", "blue")
    return TypeStatus(
        about=about,
        src=Source("/tenants"),
        offered=offered,
        others=written,
        written=written,
        controllers=found,
    )


def test_a_status_that_was_never_written_leads_to_the_pod_of_its_controller() -> None:
    operator = made(
        "apps/v1",
        "Deployment",
        "tenant-operator",
        "tenants",
        spec={"replicas": 1, "selector": {"matchLabels": {"a": "b"}}},
        status={"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1},
        meta={"generation": 1},
    )
    ref = Ref("Deployment", "tenants", "tenant-operator")
    below = Below(
        about=ref, src=Source("/pods"), kind="Pod", refs=(Ref("Pod", "tenants", "tenant-operator-1"),)
    )
    found = asked(
        tenant(),
        operator,
        falling("tenant-operator-1", "tenants"),
        facts=(told(offered=True, written=0, ready=0), below),
    )
    assert found.state.name == "stuck" and "has no status" in found.state.headline.en
    assert found.causes[0].id == "container.exits-by-itself", [(c.id, c.consequence_of) for c in found.causes]


def test_nothing_is_claimed_where_no_object_of_the_type_has_a_status() -> None:
    found = asked(tenant(), facts=(told(offered=True, written=0, ready=1),))
    assert (found.state.name, found.causes) == ("unknown", ())
    assert asked(tenant(), facts=(told(offered=False, written=0, ready=0),)).state.name == "fine"
    assert asked(tenant(status={"phase": "Ready"})).state.name == "fine"


def test_a_machine_that_cannot_be_drained_leads_past_its_budget_to_the_pod_that_is_not_healthy() -> None:
    message = (
        "* Pod shop/web-0: cannot evict pod as it would violate the pod's disruption budget. "
        "The disruption budget web needs 2 healthy pods and has 1 currently"
    )
    drain = {"type": "DrainingSucceeded", "status": "False", "reason": "Draining", "message": message}
    machine = made(
        "cluster.x-k8s.io/v1beta1",
        "Machine",
        "md-0",
        "shop",
        spec={"clusterName": "c"},
        status={"phase": "Deleting", "conditions": [{**drain, "lastTransitionTime": "2026-11-21T02:00:10Z"}]},
        meta={"deletionTimestamp": "2026-11-21T02:00:00Z", "finalizers": ["machine.cluster.x-k8s.io"]},
    )
    short = {
        "currentHealthy": 1,
        "desiredHealthy": 2,
        "expectedPods": 2,
        "disruptionsAllowed": 0,
        "observedGeneration": 1,
    }
    rows = [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "reason": "InsufficientPods",
            "lastTransitionTime": "2026-11-21T02:00:00Z",
        }
    ]
    budget = made(
        "policy/v1",
        "PodDisruptionBudget",
        "web",
        "shop",
        spec={"minAvailable": 2},
        status={**short, "conditions": rows},
    )
    below = Below(
        about=Ref("PodDisruptionBudget", "shop", "web"),
        src=Source("/pods"),
        kind="Pod",
        refs=(Ref("Pod", "shop", "web-1"),),
    )
    found = asked(machine, budget, falling("web-1", "shop"), facts=(below,))
    assert roots(found) == ["container.exits-by-itself"], [(c.id, c.consequence_of) for c in found.causes]
    alone = asked(budget, falling("web-1", "shop"), facts=(below,))
    assert roots(alone) == ["container.exits-by-itself"]
