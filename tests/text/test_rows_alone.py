"""A table's row by itself, without its header and the command above, if its cells fit no other kind."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.collect.text import read_text
from unstuck.facts.aspects.cluster import ApiService
from unstuck.facts.aspects.objects import Deletion, Failure, Phase
from unstuck.facts.aspects.storage import Attachment
from unstuck.facts.core import Fact, Ref

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ATTACHMENT = "csi-" + "4f" * 32


def facts(text: str) -> list[Fact]:
    return read_text(text, "row.txt", NOW).facts


@pytest.mark.parametrize(
    ("row", "kind", "about"),
    [
        (
            "ip-10-0-1-7.internal   NotReady   <none>   12d   v1.29.3",
            Failure,
            Ref("Node", None, "ip-10-0-1-7.internal"),
        ),
        (
            "node-a NotReady,SchedulingDisabled worker 12d v1.29.3-eks-ae9a62a",
            Failure,
            Ref("Node", None, "node-a"),
        ),
        ("ci-8842   Terminating   3d", Deletion, Ref("Namespace", None, "ci-8842")),
        (
            "shop   data-db-0   Lost   pv-1   8Gi   RWO   gp3   12m",
            Phase,
            Ref("PersistentVolumeClaim", "shop", "data-db-0"),
        ),
        (
            "pv-1   8Gi   RWO   Delete   Released   shop/data-db-0   gp3   12d",
            Phase,
            Ref("PersistentVolume", None, "pv-1"),
        ),
        (
            "v1beta1.metrics.k8s.io   kube-system/metrics-server   False (MissingEndpoints)   12d",
            ApiService,
            Ref("APIService", None, "v1beta1.metrics.k8s.io"),
        ),
        (
            f"{ATTACHMENT}   ebs.csi.aws.com   pv-1   node-a   false   4m",
            Attachment,
            Ref("VolumeAttachment", None, ATTACHMENT),
        ),
    ],
)
def test_its_cells_tell_the_kind(row: str, kind: type[Fact], about: Ref) -> None:
    assert [f.about for f in facts(row) if isinstance(f, kind)] == [about]
    assert {f.about for f in facts(f"{row}\n{row}\n") if isinstance(f, kind)} == {about}


@pytest.mark.parametrize(
    "line",
    [
        "data-db-0   Pending   gp3   12m",
        "release   Active   3d",
        "web   0/3   12m",
        "the node NotReady since 12d",
        "connection Terminating after 3d of silence",
        "order-17   Bound   3   2Gi   12m",
    ],
)
def test_what_several_kinds_or_none_print_is_no_row(line: str) -> None:
    assert facts(line) == []
