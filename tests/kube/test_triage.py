"""The rows of the server's tables to read in full; tests/e2e/test_scale.py checks on a real server that none
is missed.
"""

from __future__ import annotations

import pytest

from unstuck.collect.kube.scan import triage

COLUMNS = triage.columns(
    ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"]
)
FINE = ["web", "2/2", "Running", "0", "3d", "10.0.0.1", "n-1", "<none>", "<none>"]


def ill(**cells: object) -> bool:
    row = list(FINE)
    for title, value in cells.items():
        row[COLUMNS[title.upper().replace("_", " ")]] = value
    found = triage.pods("shop", COLUMNS, [row], frozenset({"down"}))
    assert found is not None and found.count == 1
    return bool(found.suspicious)


@pytest.mark.parametrize(
    "cells",
    [
        {"ready": "1/2"},
        {"ready": "2/1"},
        {"ready": "22/2"},
        {"ready": ""},
        {"status": "Terminating"},
        {"status": "Error"},
        {"status": "Evicted"},
        {"status": "SchedulingGated"},
        {"status": "Init:0/1"},
        {"status": "Unknown"},
        {"restarts": "7 (3m21s ago)"},
        {"restarts": "2 (45s ago)"},
        {"restarts": 7},
        {"readiness_gates": "0/1"},
        {"node": "down"},
    ],
)
def test_a_row_that_says_so_is_read(cells: dict[str, object]) -> None:
    assert ill(**cells)


@pytest.mark.parametrize(
    "cells",
    [
        {},
        {"restarts": 0},
        {"node": "n-down"},
        {"restarts": "7 (3h ago)"},
        {"restarts": "7 (25m ago)"},
        {"restarts": "9 (4d2h ago)"},
        {"restarts": "1 (5s ago)"},
        {"readiness_gates": "1/1"},
    ],
)
def test_a_row_of_a_healthy_pod_is_not(cells: dict[str, object]) -> None:
    assert not ill(**cells)


def test_what_has_completed_is_kept_apart() -> None:
    found = triage.pods(
        "shop",
        COLUMNS,
        [["job-x", "0/1", "Completed", "0", "3d", "", "n-1", "<none>", "<none>"]],
        frozenset(),
    )
    assert found is not None and found.suspicious == () and found.ended == ("job-x",)


def test_other_columns_are_no_table_of_pods() -> None:
    assert triage.pods("shop", triage.columns(["Name", "Age"]), [["x", "3d"]], frozenset()) is None


def test_rows_of_one_owner_that_say_the_same_are_alike_if_the_node_does_not_matter() -> None:
    def row(name: str, status: str, node: str) -> tuple[str, ...]:
        return triage.TableRow("shop", name, status, "0/1", "0", node).alike

    assert row("web-7d9f8b6c5d-x4krh", "ImagePullBackOff", "a") == row(
        "web-7d9f8b6c5d-cwgh6", "ImagePullBackOff", "b"
    )
    assert row("web-7d9f8b6c5d-x4krh", "ContainerCreating", "a") != row(
        "web-7d9f8b6c5d-cwgh6", "ContainerCreating", "b"
    )
    assert row("pg-0", "Pending", "") != row("pg-1", "Pending", "")


@pytest.mark.parametrize(("updated", "fine"), [("4", True), ("1", False), (None, True)])
def test_a_daemon_set_with_an_older_template_is_read(updated: str | None, fine: bool) -> None:
    cells = {"NAME": "log-agent", "DESIRED": "4", "CURRENT": "4", "READY": "4", "UP-TO-DATE": updated}
    shown = {title: cell for title, cell in cells.items() if cell is not None}
    rows = [tuple(shown.values())]
    assert triage.judge_rows("DaemonSet", triage.columns(tuple(shown)), rows)[0].fine is fine
