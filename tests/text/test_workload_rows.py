"""What a row of `kubectl get` tells of a workload, in the columns of each version."""

from __future__ import annotations

import pytest

from tests.text.support import facts, only
from unstuck.facts.aspects.cluster import Workload

_HEADERS = {
    "deploy": "NAME   READY   UP-TO-DATE   AVAILABLE   AGE",
    "deploy before 1.15": "NAME   DESIRED   CURRENT   UP-TO-DATE   AVAILABLE   AGE",
    "sts": "NAME   READY   AGE",
    "rs": "NAME   DESIRED   CURRENT   READY   AGE",
    "ds": "NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE",
}


@pytest.mark.parametrize(
    ("kind", "row", "told"),
    [
        ("deploy", "web    0/2     1            0           3d", (2, 0, 1, 1, 2)),
        ("deploy", "web    2/2     2            2           3d", (2, 2, 2, 2, 0)),
        ("deploy before 1.15", "web    3         3         3            1           3d", (3, 1, 3, 3, 2)),
        ("sts", "web    1/3     3d", (3, 1, 1, 0, 0)),
        ("rs", "web    3         1         0       3d", (3, 0, 1, 0, 3)),
        ("ds", "web    3         3         2       3            2           <none>          3d", (3, 2, 3, 3, 1)),
    ],
)
def test_the_counts_of_a_row(kind: str, row: str, told: tuple[int, ...]) -> None:
    told_by = facts(f"$ kubectl get {kind.split(maxsplit=1)[0]} -n shop\n{_HEADERS[kind]}\n{row}\n")
    (one,) = only(told_by, Workload)
    assert (one.wanted, one.ready, one.created, one.updated, one.unavailable) == told
    assert one.about.name == "web" and not one.whole


def test_cells_that_are_cut_count_nothing() -> None:
    told_by = facts(
        "$ kubectl get deploy -n shop\nNAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/       1            0           3d\n"
    )
    assert not only(told_by, Workload)
