"""Permitted connections: a Pod without a policy is open, and a selected Pod is open only for the allowed
traffic.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.kube.questions.policies import _read_policy
from unstuck.facts.aspects.policies import Policy
from unstuck.stages.policies import ConnectionEnd, Direction, Gate, find_barriers

SHOP = {"kubernetes.io/metadata.name": "shop"}
OPS = {"kubernetes.io/metadata.name": "ops", "team": "ops"}
API = ConnectionEnd({"app": "api"}, "shop", SHOP, "10.1.0.1")
WEB = ConnectionEnd({"app": "web"}, "shop", SHOP, "10.1.0.2")
PROBE = ConnectionEnd({"app": "probe"}, "ops", OPS, "10.1.0.3")
PORT = Gate(8080, "http")


def policy(**spec: Any) -> Policy:
    """Read a policy as the server has it."""
    return _read_policy({"metadata": {"name": "p"}, "spec": {"podSelector": {}, **spec}})


def of_app(name: str) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": {"app": name}}}


IN_OPS = {"namespaceSelector": {"matchLabels": {"team": "ops"}}}


@pytest.mark.parametrize(
    ("spec", "other", "blocked"),
    [
        ({"policyTypes": ["Egress"]}, WEB, False),
        ({}, WEB, True),
        ({"policyTypes": ["Ingress"]}, WEB, True),
        ({"podSelector": {"matchLabels": {"app": "web"}}}, WEB, False),
        ({"ingress": [{}]}, WEB, False),
        ({"ingress": [{"from": [of_app("web")]}]}, WEB, False),
        ({"ingress": [{"from": [of_app("till")]}]}, WEB, True),
        ({"ingress": [{"from": [of_app("probe")]}]}, PROBE, True),
        ({"ingress": [{"from": [IN_OPS]}]}, PROBE, False),
        ({"ingress": [{"from": [IN_OPS]}]}, WEB, True),
        ({"ingress": [{"from": [{**IN_OPS, **of_app("web")}]}]}, PROBE, True),
        ({"ingress": [{"from": [{"namespaceSelector": {}}]}]}, PROBE, False),
        ({"ingress": [{"from": [IN_OPS, of_app("web")]}]}, WEB, False),
        ({"ingress": [{"from": [{"ipBlock": {"cidr": "10.1.0.0/24"}}]}]}, WEB, False),
        ({"ingress": [{"from": [{"ipBlock": {"cidr": "10.2.0.0/24"}}]}]}, WEB, True),
        ({"ingress": [{"ports": [{"port": 8080}]}]}, WEB, False),
        ({"ingress": [{"ports": [{"port": "http"}]}]}, WEB, False),
        ({"ingress": [{"ports": [{"port": 8000, "endPort": 9000}]}]}, WEB, False),
        ({"ingress": [{"ports": [{"port": 80}]}]}, WEB, True),
        ({"ingress": [{"ports": [{"port": 8080, "protocol": "UDP"}]}]}, WEB, True),
        ({"ingress": [{"ports": [{"port": 80}]}, {"from": [of_app("web")]}]}, WEB, False),
    ],
)
def test_what_a_policy_keeps_away(spec: dict[str, Any], other: ConnectionEnd, blocked: bool) -> None:
    one = policy(**spec)
    assert bool(find_barriers("ingress", [one], API, other, PORT)) is blocked


def test_what_is_not_known_keeps_nobody_away() -> None:
    far = ConnectionEnd({"app": "web"}, "shop", SHOP)
    for rule in (
        {"from": [{"ipBlock": {"cidr": "10.2.0.0/24"}}]},
        {"ports": [{"port": 80}]},
        {"ports": [{"port": "http"}]},
    ):
        assert not find_barriers("ingress", [policy(ingress=[rule])], API, far, Gate())


def test_egress_is_that_of_the_one_who_connects() -> None:
    closed = policy(policyTypes=["Egress"], egress=[{"to": [of_app("till")]}])
    assert find_barriers("egress", [closed], WEB, API, PORT) == (closed,)
    assert not find_barriers("egress", [policy(egress=[{"to": [of_app("api")]}])], WEB, API, PORT)
    # Rules of egress alone make it a policy of both directions.
    assert find_barriers("ingress", [policy(egress=[{}])], API, WEB, PORT)


_SPECS = st.sampled_from(
    [
        {},
        {"ingress": [{}]},
        {"ingress": [{"from": [of_app("web")]}]},
        {"ingress": [{"from": [IN_OPS]}]},
        {"policyTypes": ["Egress"]},
        {"podSelector": {"matchLabels": {"app": "web"}}},
    ]
)


@given(st.lists(_SPECS, max_size=4), st.sampled_from([WEB, PROBE]), st.sampled_from(["ingress", "egress"]))
def test_policies_only_add_up(
    specs: list[dict[str, Any]], other: ConnectionEnd, direction: Direction
) -> None:
    """A way is open if nobody closes it, or one of those that are about it opens it."""
    all_ = [policy(**s) for s in specs]
    about = [p for p in all_ if find_barriers(direction, [p], API, other, PORT)]
    open_ = [
        p
        for p in all_
        if p not in about
        and (p.ingress if direction == "ingress" else p.egress) is not None
        and all(API.labels.get(r.key) in r.values for r in p.pods.requirements)
    ]
    assert bool(find_barriers(direction, all_, API, other, PORT)) is (bool(about) and not open_)
