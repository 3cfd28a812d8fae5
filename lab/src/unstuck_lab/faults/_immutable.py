"""A Pod that stays Terminating because a file in its emptyDir is immutable (`i`) or append-only (`a`). No
fault by itself.
"""

import contextlib

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps


def make(lab: Lab, ns: str, name: str, attribute: str = "i") -> None:
    """Create the Pod, wait until it runs, and create a file with the attribute in its volume `d`."""
    pod = _steps.run(lab, _objects.make_pod_with_volume(ns, name, {"name": "d", "emptyDir": {}}))
    file = _objects.locate_volume_dir(pod, "d") + "/x"
    lab.find_pod_node(ns, name).check(["sh", "-c", f"echo kept > {file} && chattr +{attribute} {file}"])


def find_refusal(lab: Lab, ns: str, name: str) -> str | None:
    """Return the kubelet's line about the file that it could not remove, while the Pod is being deleted."""
    return _checks.find_deletion_line(lab, ns, name, "operation not permitted")


def undo(lab: Lab, ns: str, name: str) -> None:
    """Clear the attribute, and remove the Namespace."""
    pod = lab.get_pod(ns, name)
    if pod is not None:
        # It may never have been scheduled, or its node may have ended.
        with contextlib.suppress(LabError):
            lab.find_pod_node(ns, name).run(
                ["chattr", "-i", "-a", _objects.locate_volume_dir(pod, "d") + "/x"]
            )
    # The kubelet retries after 2 min 2 s at most.
    _steps.remove_namespace(lab, ns, timeout=150)


def make_fault(name: str, summary: str, *, pod: str, attribute: str) -> Fault:
    """Return the fault of such a Pod, deleted."""
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        make(lab, ns, pod, attribute)
        _steps.delete_pod(lab, ns, pod, grace=1)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=("file.immutable",),
        with_node="proven",
        without_node="undecided",
        needs_node_access=True,
        apply=apply,
        observe=lambda lab: find_refusal(lab, ns, pod),
        heal=lambda lab: undo(lab, ns, pod),
    )
