"""What is pasted looks as kubectl prints it."""

from typing import Any

from unstuck_lab.pasting import format_table


def _make_table(*cells: tuple[str, str, str]) -> dict[str, Any]:
    columns = [
        {"name": "Last Seen", "priority": 0},
        {"name": "Reason", "priority": 0},
        {"name": "Source", "priority": 1},
    ]
    return {
        "columnDefinitions": [*columns, {"name": "Message", "priority": 0}],
        "rows": [{"cells": [age, reason, "kubelet", message]} for age, reason, message in cells],
    }


def test_a_table_is_as_kubectl_prints_it() -> None:
    shown = format_table(
        _make_table(("5s", "FailedMount", "no such file"), ("10m", "Ok", "output:(mke2fs\nin use"))
    )
    assert shown == (
        "LAST SEEN   REASON        MESSAGE\n5s          FailedMount   no such file\n10m         Ok          "
        "  output:(mke2fs...\n"
    )


def test_an_empty_table_says_so() -> None:
    assert format_table(_make_table()) == "No resources found.\n"
