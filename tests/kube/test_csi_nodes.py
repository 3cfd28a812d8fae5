"""A Node's CSINode has the Node's name and its own uid: it shows the drivers there, but not the Node's
existence.
"""

from __future__ import annotations

import pytest

from tests.kube.cluster import DISCOVERY, ask, cluster
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want

PATH = "/apis/storage.k8s.io/v1/csinodes/node-a"
CSI_NODE = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSINode",
    "metadata": {"name": "node-a", "uid": "u-csinode", "creationTimestamp": "2026-11-20T00:00:00Z"},
    "spec": {"drivers": [{"name": "disk.csi.example.com", "nodeID": "a", "topologyKeys": None}]},
}


@pytest.mark.parametrize("uid", [None, "u-node"])
def test_its_uid_is_not_held_against_the_nodes(uid: str | None) -> None:
    node = Ref("Node", None, "node-a", uid)
    with cluster({**DISCOVERY, PATH: CSI_NODE}) as c:
        facts = list(ask(c, Want(CsiDrivers, node)))
    assert [f.names for f in facts if isinstance(f, CsiDrivers)] == [("disk.csi.example.com",)]
    assert not [f for f in facts if isinstance(f, Presence) and not f.exists]
