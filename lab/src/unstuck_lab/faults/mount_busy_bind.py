"""A directory of the host is bind-mounted onto an emptyDir, in the kubelet's own
mount namespace: the kubelet cannot remove the directory below it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-mount-busy-bind", "ed-bind"
# Not a tmpfs: the kubelet would take that for a memory-backed emptyDir, and unmount it.
SOURCE = "/var/log/unstuck-lab-bind"

# The mount is searched by its source: the Pod's directory is unknown once the Pod is gone.
UNMOUNT = f"""\
awk '$4 ~ "/unstuck-lab-bind$" {{ print $5 }}' /proc/self/mountinfo | xargs -r -n1 umount
rm -rf {SOURCE}"""


def apply(lab: Lab) -> None:
    pod = _steps.run(lab, _objects.make_pod_with_volume(NS, NAME, {"name": "d", "emptyDir": {}}))
    script = f"mkdir -p {SOURCE} && mount --bind {SOURCE} {_objects.locate_volume_dir(pod, 'd')}"
    lab.find_pod_node(NS, NAME).check(["sh", "-ec", script])
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "device or resource busy")


def heal(lab: Lab) -> None:
    for node in lab.nodes:
        if node.running:
            node.check(["sh", "-c", UNMOUNT])
    # The kubelet retries after 2 min 2 s at most.
    _steps.remove_namespace(lab, NS, timeout=150)


FAULT = Fault(
    name="mount-busy-bind",
    summary="a Pod stays because a directory is mounted on its emptyDir",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("mount.busy",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
