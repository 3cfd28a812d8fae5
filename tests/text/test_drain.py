"""Output of `kubectl drain` while a budget refuses an eviction."""

from __future__ import annotations

import pytest

from tests.text.support import pick, read_facts
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref

REFUSED = "(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
NEW = f'evicting pod shop/web-0\nerror when evicting pods/"web-0" -n "shop" {REFUSED}\n'
OLD = f'error when evicting pod "web-0" {REFUSED}\n'


def test_each_pod_is_told_once_with_how_often_it_was_refused() -> None:
    other = NEW.replace("web-0", "web-1")
    found = pick(read_facts(f"node/n-2 already cordoned\n{NEW}{other}{NEW}"), Failure)
    assert {(f.about, f.operation, f.error, f.object, f.count) for f in found} == {
        (Ref("Node", None, "n-2"), "evict", "budget-blocked", Ref("Pod", "shop", "web-0"), 2),
        (Ref("Node", None, "n-2"), "evict", "budget-blocked", Ref("Pod", "shop", "web-1"), 1),
    }


def test_the_request_tells_the_namespace_where_the_answer_does_not() -> None:
    (found,) = pick(read_facts(f"evicting pod shop/web-0\n{OLD}"), Failure)
    assert found.object == Ref("Pod", "shop", "web-0")


@pytest.mark.parametrize(
    ("text", "node"),
    [
        (f'node "n-2" cordoned\n{OLD}', Ref("Node", None, "n-2")),
        (f"$ kubectl drain node/n-2 --ignore-daemonsets\n{OLD}", Ref("Node", None, "n-2")),
        (
            f'{OLD}There are pending pods in node "n-2" when an error occurred: timed out\n',
            Ref("Node", None, "n-2"),
        ),
        # Which of the two it is, remains unknown.
        (f"$ kubectl drain n-2 n-3\n{OLD}", Ref("Node", block="paste.txt:2-2")),
        (OLD, Ref("Node", block="paste.txt:1-1")),
    ],
)
def test_whose_drain_it_is(text: str, node: Ref) -> None:
    (found,) = pick(read_facts(text), Failure)
    assert (found.about, found.object) == (node, Ref("Pod", None, "web-0"))


@pytest.mark.parametrize(
    "text",
    [
        "node/n-2 cordoned\nevicting pod shop/web-0\npod/web-0 evicted\nnode/n-2 drained\n",
        "evicting pod shop/web-0\n",
    ],
)
def test_an_eviction_that_nobody_refuses_is_no_failure(text: str) -> None:
    assert pick(read_facts(text), Failure) == []
