"""A DRA driver on one node with one device, and a Pod that claims it. No fault by itself."""

from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Answer, Fault
from unstuck_lab.faults import _checks, _objects, _plugin, _steps
from unstuck_lab.faults._objects import Object
from unstuck_lab.faults._plugin import NODE, name_driver

GROUP = "resource.k8s.io/v1"
CLAIM = "device"
Spoil = Callable[[Lab, str], None]


def _make_cluster_objects(ns: str) -> tuple[Object, Object]:
    """Return the driver's DeviceClass, and the ResourceSlice that offers its device: the scheduler places the
    Pod on the slice's node.
    """
    device_class = {
        "apiVersion": GROUP,
        "kind": "DeviceClass",
        "metadata": {"name": name_driver(ns)},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{name_driver(ns)}"'}}]},
    }
    offered = {
        "apiVersion": GROUP,
        "kind": "ResourceSlice",
        "metadata": {"name": name_driver(ns)},
        "spec": {
            "driver": name_driver(ns),
            "nodeName": NODE,
            "pool": {"name": NODE, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "dev-0"}],
        },
    }
    return device_class, offered


def _make_claim(ns: str) -> Object:
    request = {"name": "one", "exactly": {"deviceClassName": name_driver(ns)}}
    return {
        "apiVersion": GROUP,
        "kind": "ResourceClaim",
        "metadata": {"name": CLAIM, "namespace": ns},
        "spec": {"devices": {"requests": [request]}},
    }


def put(lab: Lab, ns: str, pod: str) -> None:
    """Create the driver, its device, and a Pod that claims it. Does not wait for the Pod."""
    _plugin.spawn(lab, ns, "dra")
    uses = {"resources": {"claims": [{"name": CLAIM}]}}
    claims = [{"name": CLAIM, "resourceClaimName": CLAIM}]
    user = _objects.make_pod(ns, pod, container=uses, resourceClaims=claims)
    lab.apply(_objects.make_namespace(ns), *_make_cluster_objects(ns), _make_claim(ns), user)


def make(lab: Lab, ns: str, pod: str) -> None:
    """Create driver and Pod, and wait until the Pod runs."""
    put(lab, ns, pod)
    # If the kubelet tries the Pod before the driver is registered, it retries within seconds.
    _steps.wait_running(lab, ns, pod, timeout=90)


def heal(lab: Lab, ns: str) -> None:
    """Run a working driver until the Pod is gone; then remove it."""
    _plugin.forgive(lab, ns)
    if lab.get(f"/api/v1/namespaces/{ns}") is not None:
        _plugin.spawn(lab, ns, "dra")
        _steps.remove_namespace(lab, ns, timeout=180)
    _plugin.remove(lab, ns, "dra")
    for plural in ("resourceslices", "deviceclasses"):
        _steps.delete(lab, f"/apis/{GROUP}/{plural}/{name_driver(ns)}")


def make_fault(
    name: str, summary: str, *, pod: str, spoil: Spoil, says: str, with_node: Answer, settle: float = 60
) -> Fault:
    """Return the fault of a Pod that is deleted after its driver broke. It is observed once the kubelet
    reports this message for the claim.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        make(lab, ns, pod)
        spoil(lab, ns)
        _steps.delete_pod(lab, ns, pod, grace=1)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=("resources.claim-unprepare-failed",),
        with_node=with_node,
        without_node="undecided",
        needs_node_access=True,
        apply=apply,
        observe=lambda lab: _checks.find_deletion_line(lab, ns, pod, "unprepare dynamic resources", says),
        heal=lambda lab: heal(lab, ns),
        settle=settle,
    )
