"""A claim, and the volume it is bound to, are deleted while a running Pod uses them."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, POD, CLAIM, VOLUME = "f-claim-in-use", "uses-data", "data", "unstuck-lab-in-use"


def apply(lab: Lab) -> None:
    _steps.run(
        lab, _objects.make_pod_with_claim(NS, POD, CLAIM), *_objects.make_bound_claim(NS, CLAIM, VOLUME)
    )
    _steps.delete(lab, f"/api/v1/namespaces/{NS}/persistentvolumeclaims/{CLAIM}")
    _steps.delete(lab, f"/api/v1/persistentvolumes/{VOLUME}")


def observe(lab: Lab) -> str | None:
    paths = (f"/api/v1/namespaces/{NS}/persistentvolumeclaims/{CLAIM}", f"/api/v1/persistentvolumes/{VOLUME}")
    found = [o["metadata"] for path in paths if (o := lab.get(path))]
    if len(found) == len(paths) and all("deletionTimestamp" in metadata for metadata in found):
        return f"both are being deleted, held by {[metadata['finalizers'] for metadata in found]}"
    return None


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, VOLUME)


FAULT = Fault(
    name="claim-in-use",
    summary="a claim and its volume are deleted while a Pod uses them",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("deletion.protected-in-use",),
    consequences=("deletion.protected-in-use",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    also=(f"pv/{VOLUME}",),
)
