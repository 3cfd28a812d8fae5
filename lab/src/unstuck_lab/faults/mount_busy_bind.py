"""Somebody bind-mounts a directory of the host onto an emptyDir, in the kubelet's own
mount namespace: the kubelet cannot remove the directory below it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-mount-busy-bind", "ed-bind"
# Not a tmpfs: the kubelet takes one of those for a memory-backed emptyDir, and unmounts it.
SOURCE = "/var/log/unstuck-lab-bind"

# Wherever it was mounted: the Pod's directory is no longer known when the Pod is gone.
UNMOUNT = f"""\
awk '$4 ~ "/unstuck-lab-bind$" {{ print $5 }}' /proc/self/mountinfo | xargs -r -n1 umount
rm -rf {SOURCE}"""


def apply(lab: Lab) -> None:
    pod = _kit.pod(
        NS,
        NAME,
        container={"volumeMounts": [{"name": "d", "mountPath": "/d"}]},
        volumes=[{"name": "d", "emptyDir": {}}],
    )
    lab.apply(_kit.namespace(NS), pod)
    directory = _kit.volume_dir(_kit.wait_running(lab, NS, NAME), "d")
    script = f"mkdir -p {SOURCE} && mount --bind {SOURCE} {directory}"
    lab.node_of(NS, NAME).check(["sh", "-ec", script])
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    pod = _kit.deleting(lab, NS, NAME)
    if not pod:
        return None
    log = lab.node_of(NS, NAME).kubelet_log.read_text(errors="replace")
    return _kit.log_line(log, "device or resource busy", pod["metadata"]["uid"])


def heal(lab: Lab) -> None:
    for node in lab.nodes:
        if node.running:
            node.check(["sh", "-c", UNMOUNT])
    # The kubelet tries again after at most 2 min 2 s.
    _kit.remove_namespace(lab, NS, timeout=150)


FAULT = Fault(
    name="mount-busy-bind",
    summary="a Pod stays because something is mounted on its emptyDir",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("mount.busy",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
