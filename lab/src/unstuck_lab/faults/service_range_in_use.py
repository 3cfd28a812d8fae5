"""A range of Service addresses is deleted while a Service has an address of it, which no other range covers."""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME, SERVICE, ADDRESS = "f-service-range", "f-service-range", "till", "10.213.77.7"
PATH = f"/apis/networking.k8s.io/v1/servicecidrs/{NAME}"


def apply(lab: Lab) -> None:
    cidr = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": NAME},
        "spec": {"cidrs": [ADDRESS.rpartition(".")[0] + ".0/24"]},
    }
    lab.apply(_kit.namespace(NS), cidr)
    # The API server's allocator learns of a range a moment after it was made.
    lab.wait(lambda: _make_service(lab), 60, f"Service {NS}/{SERVICE} with the address {ADDRESS}")
    _kit.delete(lab, PATH)


def _make_service(lab: Lab) -> bool:
    spec = {"clusterIP": ADDRESS, "ports": [{"port": 80}], "selector": {"app": SERVICE}}
    try:
        lab.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE, "namespace": NS}, "spec": spec})
    except LabError:
        return False
    return True


def held(lab: Lab) -> str | None:
    metadata = (lab.get(PATH) or {}).get("metadata", {})
    return f"it is being deleted, held by {metadata['finalizers']}" if "deletionTimestamp" in metadata else None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)
    lab.kubectl("delete", "--ignore-not-found", f"servicecidr/{NAME}")


FAULT = Fault(
    name="service-range-in-use",
    summary="a range of Service addresses is deleted while a Service has one of them",
    scope="pod",
    subject=f"servicecidr/{NAME}",
    namespace=None,
    accepts=("deletion.range-in-use",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
