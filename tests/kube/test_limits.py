"""The limits of all LimitRanges of a Namespace, as one fact."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, make_list
from unstuck.collect.kube.questions.limits import limit_ranges
from unstuck.collect.kube.transport.session import Session
from unstuck.facts.aspects.limits import Limits
from unstuck.facts.core import Fact, Ref, Refused, Want

PATH = "/api/v1/namespaces/shop/limitranges"


def limit_range(name: str, **limits: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"limits": [{"type": "Container", **limits}]},
    }


def asked(page: Any) -> list[Fact]:
    with cluster({PATH: page}) as c:
        return limit_ranges(Session(c.client, "shop"), Want(Limits, Ref("LimitRangeList", "shop")))


def test_the_bounds_of_every_one_together() -> None:
    (found,) = asked(make_list(limit_range("a", max={"cpu": "2"}), limit_range("b", min={"memory": "64Mi"})))
    assert isinstance(found, Limits) and found.whole and found.about == Ref("LimitRangeList", "shop")
    assert len(found.bounds) == 2 and {"2", "64Mi"} <= {v for b in found.bounds for v in repr(b).split("'")}
    assert found.src.quote == "a, b"


def test_a_namespace_without_any() -> None:
    (found,) = asked(make_list())
    assert isinstance(found, Limits) and found.bounds == () and found.src.quote == "none"


def test_a_list_that_is_refused() -> None:
    (found,) = asked((403, {"kind": "Status"}))
    assert isinstance(found, Refused) and found.why == "denied"
