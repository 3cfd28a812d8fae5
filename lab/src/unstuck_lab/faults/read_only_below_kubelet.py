"""The kubelet's directory of Pods becomes a mount of its own that is read-only: no volume's directory can be removed there."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-read-only-below-kubelet", "keeps-volume"
NODE = "lab-3"
PODS = "/var/lib/kubelet/pods"


def apply(lab: Lab) -> None:
    script = "echo x > /d/file; trap 'exit 0' TERM; while :; do sleep 1; done"
    pod = _kit.pod(
        NS,
        NAME,
        container={"command": ["sh", "-c", script], "volumeMounts": [{"name": "d", "mountPath": "/d"}]},
        volumes=[{"name": "d", "emptyDir": {}}],
        nodeName=NODE,
        automountServiceAccountToken=False,
    )
    lab.apply(_kit.namespace(NS), pod)
    _kit.wait_running(lab, NS, NAME)
    # With what is mounted below; only the mount on top is read-only, the tmpfs of other Pods are not.
    lab.node(NODE).check(["sh", "-c", f"mount --rbind {PODS} {PODS} && mount -o remount,bind,ro {PODS}"])
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    pod = _kit.deleting(lab, NS, NAME)
    if not pod:
        return None
    log = lab.node(NODE).kubelet_log.read_text(errors="replace")
    return _kit.log_line(log, "TearDown failed", pod["metadata"]["uid"], "read-only file system")


def heal(lab: Lab) -> None:
    node = lab.node(NODE)
    if node.running and node.run(["mountpoint", "-q", PODS]).returncode == 0:
        node.run(["mount", "-o", "remount,bind,rw", PODS])
    # The kubelet tries again after at most 2 min 2 s.
    _kit.remove_namespace(lab, NS, timeout=150)
    while node.running and node.run(["mountpoint", "-q", PODS]).returncode == 0:
        node.check(["umount", "-R", "-l", PODS])


FAULT = Fault(
    name="read-only-below-kubelet",
    summary="a Pod stays because the kubelet's directory of Pods is mounted read-only",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.read-only-below-kubelet",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=90,
)
