"""Facts about a workload from a row of `kubectl get`, in the columns of each version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.text.support import pick, read_facts
from unstuck.api.reading import TextQuestion, read_paths, report_read
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
        (
            "ds",
            "web    3         3         2       3            2           <none>          3d",
            (3, 2, 3, 3, 1),
        ),
    ],
)
def test_the_counts_of_a_row(kind: str, row: str, told: tuple[int, ...]) -> None:
    told_by = read_facts(f"$ kubectl get {kind.split(maxsplit=1)[0]} -n shop\n{_HEADERS[kind]}\n{row}\n")
    (one,) = pick(told_by, Workload)
    assert (one.wanted, one.ready, one.created, one.updated, one.unavailable) == told
    assert one.about.name == "web" and not one.whole


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("NAME   DESIRED   CURRENT   READY   AGE", "ReplicaSet"),
        ("NAME   DESIRED   CURRENT   UP-TO-DATE   AVAILABLE   AGE", "Deployment"),
        ("NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE", "DaemonSet"),
    ],
)
def test_the_header_tells_the_kind(header: str, kind: str) -> None:
    cells = {"DESIRED": "2", "CURRENT": "2", "READY": "1", "UP-TO-DATE": "2", "AVAILABLE": "1", "AGE": "4m"}
    row = "   ".join(
        cells.get(title, "<none>").ljust(len(title))
        for title in header.replace("NODE SELECTOR", "NODE_SELECTOR").split()[1:]
    )
    (one,) = pick(read_facts(f"{header}\nweb    {row}\n"), Workload)
    assert (one.about.kind, one.wanted, one.ready) == (kind, 2, 1)


def test_a_prompt_without_a_blank() -> None:
    (one,) = pick(
        read_facts(
            "$kubectl get rs -n shop\nNAME   DESIRED   CURRENT   READY   AGE\nweb    1         1         0       4m\n"
        ),
        Workload,
    )
    assert one.about.within == "shop"


@pytest.mark.parametrize(("available", "told"), [(1, "ReplicaSet"), (0, "Deployment")])
def test_a_replica_set_is_told_where_its_deployment_looks_well(
    available: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "paste.txt").write_text(
        f"$ kubectl get deploy,rs -n shop\nNAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
        f"deployment.apps/web   {available}/1     1            {available}           3d\n\n"
        "NAME                       DESIRED   CURRENT   READY   AGE\nreplicaset.apps/web-7c64   1         1         0       4m\n"
    )
    snap, seen = read_paths((str(tmp_path / "paste.txt"),))
    (one,) = report_read((), snap, seen, TextQuestion()).answer.diagnoses
    assert (one.subject.kind, one.state.name) == (told, "stuck")


def test_cells_that_are_cut_count_nothing() -> None:
    told_by = read_facts(
        "$ kubectl get deploy -n shop\nNAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/       1            0           3d\n"
    )
    assert not pick(told_by, Workload)
