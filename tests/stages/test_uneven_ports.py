"""A Service with a ready Pod is healthy only if each selected Pod has the port, as far as known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.collect.objects import facts_of
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.services import Behind, ServicePods
from unstuck.facts.aspects.sockets import Listener, Listening
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
SERVICE = Ref("Service", "f", "db")
_DB, _SAME = (
    Behind("db-1", ready=True, ports=(("db", 5432),)),
    Behind("db-2", ready=True, ports=(("db", 5432),)),
)
_OTHER, _SILENT = Behind("exporter-1", ready=True, ports=(("metrics", 9187),)), Behind("quiet-1", ready=True)
_WAITING = Behind("exporter-1", ready=False, ports=(("metrics", 9187),))


@pytest.mark.parametrize(
    ("pods", "listens", "state"),
    [
        ((_DB, _OTHER), None, "unknown"),
        ((_DB, _OTHER), 9187, "stuck"),
        ((_DB, _OTHER), 5432, "fine"),
        ((_DB, _SAME), None, "fine"),
        # A Pod without declared ports may listen anywhere; an unready one gets no connection.
        ((_DB, _SILENT), None, "fine"),
        ((_DB, _WAITING), None, "fine"),
        # None of them declares it: all are equal, and the program usually listens there.
        ((_OTHER,), None, "fine"),
    ],
)
def test_each_ready_pod_has_the_port(pods: tuple[Behind, ...], listens: int | None, state: str) -> None:
    spec = {
        "type": "ClusterIP",
        "selector": {"app": "db"},
        "ports": [{"port": 5432, "targetPort": 5432, "protocol": "TCP"}],
    }
    meta = {"name": "db", "namespace": "f", "uid": "u-1", "creationTimestamp": "2026-11-21T00:00:00Z"}
    obj = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": spec,
        "status": {"loadBalancer": {}},
    }
    told: list[Fact] = [
        *facts_of(obj, "/x", NOW),
        ServicePods(about=SERVICE, src=Source("/pods"), matched=pods, total=len(pods)),
    ]
    if listens:
        items = (Listener(listens, local=False),)
        told.append(
            Listening(about=Ref("Pod", "f", "exporter-1"), src=Source("/proc/1/net/tcp"), items=items)
        )
    found = diagnose(SERVICE, Snapshot(tuple(told), NOW), list_causes())
    assert found.state.name == state
    assert [c.id for c in found.causes] == (["service.port-mismatch"] if state == "stuck" else [])
    if state == "unknown":
        assert "exporter-1 does not declare port 5432, which db-1 does" in found.state.headline.en
        assert "service.port-mismatch" in found.leads
