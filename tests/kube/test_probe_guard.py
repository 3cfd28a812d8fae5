"""A one-shot Pod counts as guarded only if the policy and its binding are both in force for its Namespace."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kube.server import Handler, serving
from tests.kube.test_agent import NODE, status
from tests.kube.test_probe import Cluster, items, way
from unstuck.collect.kube.nodes.probe_pod import Plan

# Each test has a server.
pytestmark = pytest.mark.slow

CHARTED = Path(__file__).parents[2] / "charts" / "unstuck" / "templates" / "policy-look.yaml"
POLICY, BINDING = yaml.safe_load_all(
    "\n".join(line for line in CHARTED.read_text("utf-8").splitlines() if "{{" not in line)
)


def guarded(
    policy: Any = None,
    binding: Any = None,
    labels: dict[str, str] | None = None,
    **more: Callable[[Handler], None],
) -> bool:
    """Tell whether the plan is guarded. policy, binding: None for the chart's own; labels: of the
    Namespace.
    """
    answers = {
        "policy": items(lambda: POLICY if policy is None else policy),
        "binding": items(lambda: BINDING if binding is None else binding),
        "namespace": lambda h: h.say(
            200, {"metadata": {"labels": labels or {}}, "status": {"phase": "Active"}}
        ),
    }
    with serving(Cluster(**(answers | more))) as server:
        plan = way(server.url, image="i").plan(NODE)
        assert isinstance(plan, Plan)
        return plan.guarded


def changed(item: Any, at: str, value: Any) -> Any:
    new = copy.deepcopy(item)
    *way_, last = at.split(".")
    inner = new
    for key in way_:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return new


def test_commands_are_kept_out_of_it_where_the_policy_and_its_binding_are_both_in_force() -> None:
    assert guarded()
    # The server's default.
    assert guarded(
        changed(POLICY, "spec.matchConstraints.namespaceSelector", {}),
        changed(BINDING, "spec.matchResources.objectSelector", {}),
    )
    assert not guarded(policy={}) and not guarded(binding={})
    for refused in (status(404, "no"), status(403, "you may not")):
        assert not guarded(**{"policy": refused}) and not guarded(**{"binding": refused})


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ("spec.failurePolicy", "Ignore"),
        ("spec.paramKind", {"apiVersion": "v1", "kind": "ConfigMap"}),
        ("spec.validations", []),
        ("spec.matchConditions", [{"name": "x", "expression": "false"}]),
        ("spec.matchConstraints.objectSelector", {"matchLabels": {"a": "b"}}),
        (
            "spec.matchConstraints.resourceRules",
            [{"apiGroups": [""], "resources": ["pods/exec"], "operations": ["CONNECT"]}],
        ),
        ("metadata.deletionTimestamp", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_policy_that_forbids_something_else_guards_nothing(at: str, value: Any) -> None:
    assert not guarded(policy=changed(POLICY, at, value))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ("spec.validationActions", ["Warn", "Audit"]),
        ("spec.policyName", "another"),
        ("spec.paramRef", {"name": "x"}),
        ("spec.matchResources.objectSelector", {"matchLabels": {"a": "b"}}),
        (
            "spec.matchResources.resourceRules",
            [{"apiGroups": [""], "resources": ["pods/exec"], "operations": ["CONNECT"]}],
        ),
        (
            "spec.matchResources.excludeResourceRules",
            [{"apiGroups": [""], "resources": ["pods/exec"], "operations": ["CONNECT"]}],
        ),
        ("metadata.deletionTimestamp", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_binding_that_denies_nothing_there_guards_nothing(at: str, value: Any) -> None:
    assert not guarded(binding=changed(BINDING, at, value))


def test_both_are_for_that_namespace() -> None:
    guards = {
        "matchLabels": {"guarded": "yes"},
        "matchExpressions": [{"key": "free", "operator": "DoesNotExist"}],
    }
    for item, at in ((POLICY, "matchConstraints"), (BINDING, "matchResources")):
        one = {
            "policy" if item is POLICY else "binding": changed(item, f"spec.{at}.namespaceSelector", guards)
        }
        assert guarded(**one, labels={"guarded": "yes"})
        assert not guarded(**one) and not guarded(**one, labels={"guarded": "yes", "free": ""})
        assert not guarded(**one, **{"namespace": status(403, "you may not see Namespaces")})
