"""The kubelet's Pod directory becomes a separate read-only mount, so no volume directory can be removed."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-read-only-below-kubelet", "keeps-volume"
NODE = "lab-3"
PODS = "/var/lib/kubelet/pods"


def apply(lab: Lab) -> None:
    script = "echo x > /d/file; trap 'exit 0' TERM; while :; do sleep 1; done"
    pod = _objects.make_pod_with_volume(
        NS,
        NAME,
        {"name": "d", "emptyDir": {}},
        container={"command": ["sh", "-c", script]},
        nodeName=NODE,
        automountServiceAccountToken=False,
    )
    _steps.run(lab, pod)
    # Recursively: only the top mount is read-only, the tmpfs mounts of other Pods below it stay writable.
    lab.get_node(NODE).check(["sh", "-c", f"mount --rbind {PODS} {PODS} && mount -o remount,bind,ro {PODS}"])
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "TearDown failed", "read-only file system")


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running and node.run(["mountpoint", "-q", PODS]).returncode == 0:
        node.run(["mount", "-o", "remount,bind,rw", PODS])
        # It retries after 2 min 2 s at most, and at once when it has just started.
        node.stop_kubelet()
        node.start_kubelet()
    _steps.remove_namespace(lab, NS, timeout=150)
    while node.running and node.run(["mountpoint", "-q", PODS]).returncode == 0:
        node.check(["umount", "-R", "-l", PODS])


FAULT = Fault(
    name="read-only-below-kubelet",
    summary="a Pod stays because the kubelet's Pod directory is mounted read-only",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.read-only-below-kubelet",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
