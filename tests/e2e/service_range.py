"""A deleted range of Service addresses with an address still used by a Service, and covered by no other
range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from unstuck_lab import Lab

objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS, NAME, SERVICE, ADDRESS = "e2e-service-range", "e2e-service-range", "till", "10.213.77.7"
PATH = f"/apis/networking.k8s.io/v1/servicecidrs/{NAME}"


def apply(lab: Lab) -> None:
    cidr = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": NAME},
        "spec": {"cidrs": [ADDRESS.rpartition(".")[0] + ".0/24"]},
    }
    lab.apply(objects.make_namespace(NS), cidr)
    # The API server's allocator learns of a range a moment after its creation.
    lab.wait(lambda: _make_service(lab), 60, f"Service {NS}/{SERVICE} with the address {ADDRESS}")
    steps.delete(lab, PATH)


def _make_service(lab: Lab) -> bool:
    spec = {"clusterIP": ADDRESS, "ports": [{"port": 80}], "selector": {"app": SERVICE}}
    from unstuck_lab.errors import LabError

    try:
        lab.apply(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": SERVICE, "namespace": NS},
                "spec": spec,
            }
        )
    except LabError:
        return False
    return True


def heal(lab: Lab) -> None:
    steps.remove_namespace(lab, NS)
    lab.run_kubectl("delete", "--ignore-not-found", f"servicecidr/{NAME}")
