"""The Service meant by an address of a program, by the read Services."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes.program._service import find_service_meant
from unstuck.facts.aspects.services import AddressHolders, ServicesAt, ServiceSpec
from unstuck.facts.core import Ref, Source, Want
from unstuck.facts.snapshot import Snapshot

POD, SERVICE = Ref("Pod", "f", "web"), Ref("Service", "data", "mongo")


def test_a_service_that_was_read_with_this_address_is_meant_and_nobody_is_asked() -> None:
    spec = ServiceSpec(about=SERVICE, src=Source("x"), selector=(), addresses=("10.96.12.7",))
    meant = find_service_meant("10.96.12.7", POD, Snapshot([spec], datetime(2026, 11, 21, tzinfo=UTC)))
    assert meant.value and meant.hits == (SERVICE,)


def test_else_whose_it_is_is_asked() -> None:
    meant = find_service_meant("10.96.12.8", POD, Snapshot([], datetime(2026, 11, 21, tzinfo=UTC)))
    assert meant.value is None and meant.wants == (Want(ServicesAt, Ref("Address", None, "10.96.12.8")),)


@pytest.mark.parametrize(("nodes", "service"), [((Ref("Node", None, "n1"),), SERVICE), ((), None)])
def test_a_node_s_address_and_a_port_of_every_node_mean_the_service_of_that_port(nodes, service):
    address, port = Ref("Address", None, "192.0.2.11"), Ref("NodePort", None, "30777")
    facts = [
        ServicesAt(about=address, src=Source("x"), services=()),
        ServicesAt(about=port, src=Source("x"), services=(SERVICE,)),
        AddressHolders(about=address, src=Source("x"), nodes=nodes),
    ]
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert find_service_meant("192.0.2.11", POD, Snapshot(facts, now), 30777).hits == (
        (service,) if service else ()
    )
    # A port outside of that range is the Node's own.
    assert not find_service_meant("192.0.2.11", POD, Snapshot(facts, now), 8080).value
    asked = find_service_meant("192.0.2.11", POD, Snapshot(facts[:1], now), 30777)
    assert asked.value is None and asked.wants == (Want(AddressHolders, address),)
