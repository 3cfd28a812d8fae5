"""A step for a Node's runtime uses that Node's command-line client."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes._commands import remove_image, runs_docker
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW, SRC = datetime(2026, 11, 21, tzinfo=UTC), Source("test")
NODE, POD = Ref("Node", None, "n-1"), Ref("Pod", "f", "p")


def snap(runtime: str) -> Snapshot:
    return Snapshot(
        [NodeInfo(about=NODE, src=SRC, runtime=runtime), Placement(about=POD, src=SRC, node=NODE)], NOW
    )


@pytest.mark.parametrize("about", [NODE, POD], ids=["Node", "Pod"])
@pytest.mark.parametrize(
    ("runtime", "typed"),
    [
        ("containerd://2.1.4", "crictl rmi shop/web:1"),
        ("cri-o://1.33.0", "crictl rmi shop/web:1"),
        ("docker://17.3.2", "docker rmi shop/web:1"),
    ],
)
def test_by_the_runtime_that_the_node_has(about: Ref, runtime: str, typed: str) -> None:
    assert remove_image(about, snap(runtime), "shop/web:1").line == typed


def test_of_a_runtime_that_nobody_named_the_common_tool_is_shown() -> None:
    assert not runs_docker(POD, Snapshot([], NOW))
