"""Steps of faults: create and wait, delete and wait. No fault by itself."""

import contextlib
import time
from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError, CommandFailedError, LabError
from unstuck_lab.faults import _checks, _objects
from unstuck_lab.faults._objects import Object


def remove_volume(lab: Lab, volume: str) -> None:
    """Delete a volume of `make_bound_claim` and its directory."""
    delete(lab, f"/api/v1/persistentvolumes/{volume}")
    for node in lab.nodes:
        if node.running:
            node.run(["rm", "-rf", f"/run/{volume}"])


def wait_running(lab: Lab, ns: str, name: str, timeout: float = 60) -> Object:
    """Wait until the Pod's containers are ready, and return the Pod. Raises `TimedOutError`."""

    def look() -> Object | None:
        found = lab.get_pod(ns, name)
        return None if _checks.find_condition(found, "Ready") is None else found

    return lab.wait(look, timeout, f"pod {ns}/{name} ready")


def run(lab: Lab, pod: Object, *needs: Object, timeout: float = 60) -> Object:
    """Create a Pod, its Namespace and its dependencies, wait until it runs, and return it. Raises
    `TimedOutError`.
    """
    ns, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    lab.apply(_objects.make_namespace(ns), *needs, pod)
    return wait_running(lab, ns, name, timeout)


def delete(lab: Lab, path: str, grace: int | None = None) -> None:
    """Request an object's deletion without waiting. Does nothing if it is gone."""
    body = None if grace is None else {"gracePeriodSeconds": grace}
    try:
        lab.request("DELETE", path, body)
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def delete_pod(lab: Lab, ns: str, name: str, grace: int | None = None) -> None:
    """Request a Pod's deletion without waiting."""
    delete(lab, f"/api/v1/namespaces/{ns}/pods/{name}", grace)


OWNERS = (
    "apps/v1/{ns}/deployments",
    "apps/v1/{ns}/statefulsets",
    "apps/v1/{ns}/daemonsets",
    "batch/v1/{ns}/jobs",
)


def remove_namespace(lab: Lab, ns: str, timeout: float = 90) -> None:
    """Delete a Namespace with its Pods and wait until it is gone. Raises `TimedOutError`.

    The Pods are deleted first: with Pods left, the controller checks the Namespace again only after about 10
    s.
    """
    path = f"/api/v1/namespaces/{ns}"
    if lab.get(path) is None:
        return
    for owner in OWNERS:
        delete(lab, f"/apis/{owner.format(ns=f'namespaces/{ns}')}")
    delete(lab, f"{path}/pods", grace=1)
    lab.wait(lambda: not lab.request("GET", f"{path}/pods")["items"], timeout, f"end of the pods of {ns}")
    delete(lab, path)

    def is_gone() -> bool:
        found = lab.get(path)
        if _checks.find_condition(found, "NamespaceDeletionDiscoveryFailure") is not None:
            raise LabError(
                "cannot be deleted, discovery fails",
                f"namespace {ns}",
                "heal the cluster's fault first: `heal --all`",
            )
        return found is None

    _touch_namespace(lab, ns)
    lab.wait(is_gone, timeout, f"end of namespace {ns}")


def _touch_namespace(lab: Lab, ns: str) -> None:
    """Make the controller check a Namespace under deletion: after a change it does so within 5 s, else after
    a growing pause.
    """
    note = {"metadata": {"annotations": {"lab": str(time.time())}}}
    with contextlib.suppress(ApiError):  # deleted meanwhile
        lab.request("PATCH", f"/api/v1/namespaces/{ns}", note, content_type="application/merge-patch+json")


def delete_namespace(lab: Lab, ns: str) -> None:
    """Request a Namespace's deletion without waiting."""
    delete(lab, f"/api/v1/namespaces/{ns}")


def wait_gone(lab: Lab, ns: str, timeout: float = 120) -> None:
    """Wait until a Namespace that is being deleted is gone. Raises `TimedOutError`."""
    _touch_namespace(lab, ns)
    lab.wait(lambda: lab.get(f"/api/v1/namespaces/{ns}") is None, timeout, f"end of namespace {ns}")


def make_heal(ns: str) -> Callable[[Lab], None]:
    """Return the `heal` function of a fault with objects only in its Namespace."""
    return lambda lab: remove_namespace(lab, ns)


def clear_finalizers(lab: Lab, path: str) -> None:
    """Remove all finalizers of an object. Does nothing if it is gone."""
    try:
        lab.request(
            "PATCH", path, {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json"
        )
    except ApiError as error:
        if error.code != 404:
            raise


def release(lab: Lab, ns: str, name: str, script: str) -> None:
    """Run a script in a container to make it end, and remove the Namespace.

    A shorter grace period would not help: the kubelet does not shorten a hook or a stop that has begun.
    """
    # It may never have run, or its node may have ended.
    with contextlib.suppress(CommandFailedError):
        lab.run_kubectl("exec", "-n", ns, name, "--", "sh", "-c", script)
    remove_namespace(lab, ns)
