"""An immutable file in a container's writable layer: the Pod is deleted (kubelet 1.22 and later), and
containerd keeps the snapshot's directory forever. Ask the node.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-rootfs-immutable", "rootfs-immut"
NODE = "lab-1"
FILE = "unstuck-lab-kept"
SNAPSHOTS = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots"


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    lab.run_kubectl("exec", "-n", NS, NAME, "--", "touch", f"/{FILE}")
    lab.get_node(NODE).check(["sh", "-c", f"chattr +i {SNAPSHOTS}/*/fs/{FILE}"])
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    node = lab.get_node(NODE)
    if lab.get_pod(NS, NAME) is not None:
        return None
    left = node.run(["sh", "-c", f"ls -d {SNAPSHOTS}/*/fs/{FILE}"]).stdout.split("/fs/")[0].strip()
    log = node.containerd_log.read_text(errors="replace")
    return _checks.find_log_line(log, "failed to remove directory", left, "not permitted") if left else None


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    # No snapshot record refers to the directory any more, so nothing else removes it.
    script = (
        f'for f in {SNAPSHOTS}/*/fs/{FILE}; do [ -e "$f" ] || continue; chattr -i "$f"; rm -rf '
        '"${f%/fs/*}"; done'
    )
    node = lab.get_node(NODE)
    if node.running:
        node.check(["sh", "-c", script])


FAULT = Fault(
    name="rootfs-immutable",
    summary="a Pod is gone, and its snapshot leaks because a file in it is immutable",
    scope="node",  # other faults on the same node would rightly be reported as well
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("file.immutable",),
    with_node="proven",
    without_node="fine",  # the API does not show the fault
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
)
