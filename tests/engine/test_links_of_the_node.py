"""A symbolic link of the node with another meaning in the container: by its target, and by the other
mounts.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes._node_state import describe_state, find_path
from unstuck.facts.aspects.node_paths import NodePath, PathLink, PathPart
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Placement, PodVolume, Volumes
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
POD = Ref("Pod", "f", "web", "00000000-0000-4000-8000-0000000000c1")
SRC = Source("lab-2")


def _told(link: PathLink, *more: tuple[str, str]) -> str:
    """Return the answer about /orders/today/a, for a hostPath /srv/orders at /orders. more: other hostPaths
    with their mount points.
    """
    mounts = (("/orders", "in"), *((at, f"v{n}") for n, (_, at) in enumerate(more)))
    volumes = (
        PodVolume("in", "hostPath", "/srv/orders"),
        *(PodVolume(f"v{n}", "hostPath", path) for n, (path, _) in enumerate(more)),
    )
    file = Ref("File", "lab-2", "/srv/orders/today/a")
    snap = Snapshot(
        (
            Containers(
                about=POD, src=SRC, whole=True, items=(ContainerSpec("c", "main", "i", mounts=mounts),)
            ),
            Volumes(about=POD, src=SRC, whole=True, items=volumes, sub_paths=()),
            Placement(about=POD, src=SRC, whole=True, node=Ref("Node", None, "lab-2")),
            NodePath(
                about=file,
                src=SRC,
                whole=True,
                parts=(PathPart("/", 0, 0, 0o755, True), PathPart("/x/a", 0, 0, 0o644)),
                links=(link,),
            ),
        ),
        NOW,
        ("node:lab-2",),
    )
    return describe_state(find_path(POD, "c", "/orders/today/a", snap)[0]).en


@pytest.mark.parametrize(
    ("link", "more", "says"),
    [
        (PathLink("/srv/orders/today", "/srv/large/orders"), (), "outside of hostPath"),
        (PathLink("/srv/orders/today", "/srv/orders/../large", relative=True), (), "outside of hostPath"),
        (PathLink("/srv/orders/today", "/srv/orders/2026", relative=True), (), ""),
        (PathLink("/srv/orders/today", "/srv/orders/2026"), (), "by a path from the root"),
        (PathLink("/srv/orders/today", "/srv/large/orders"), (("/srv/large", "/srv/large"),), ""),
        (
            PathLink("/srv/orders/today", "/srv/large/orders"),
            (("/srv/other", "/srv/large"),),
            "outside of hostPath",
        ),
        (PathLink("/srv", "/data"), (), ""),
    ],
)
def test_where_the_container_follows_it_to(
    link: PathLink, more: tuple[tuple[str, str], ...], says: str
) -> None:
    told = _told(link, *more)
    assert says in told
    assert bool(told) == bool(says)
