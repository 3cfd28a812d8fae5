"""The Service meant by an address of a program, by the read Services."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.causes.program._service import find_service_meant
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
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
