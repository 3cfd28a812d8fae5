"""A Pod was force deleted while its kubelet was down, and one of its CSI volumes has only an empty
`vol_data.json` left, as after a power failure. The kubelet comes back, does not know the Pod, and removes
nothing; it logs this every two seconds.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _left

NS, NAME, MARK = "f-orphaned-pod-directory", "left-on-disk", "unstuck-lab-left"


def apply(lab: Lab) -> None:
    uid = _left.leave(lab, NS, NAME)
    at = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~csi/{MARK}"
    lab.get_node(_left.NODE).check(["sh", "-c", f"mkdir -p {at} && : > {at}/vol_data.json"])
    _left.start_kubelet(lab)


def observe(lab: Lab) -> str | None:
    uid = _left.find_orphan(lab, MARK)
    if uid is None:
        return None
    # The kubelet looks every two seconds; the product waits until the directory has not changed for a minute,
    # or for this message.
    log = lab.get_node(_left.NODE).kubelet_log.read_text(errors="replace")
    return _checks.find_log_line(log, "orphaned pod", uid, "found, but")


def heal(lab: Lab) -> None:
    _left.remove(lab, NS, MARK)


FAULT = Fault(
    name="orphaned-pod-directory",
    summary=(
        "a Pod is gone, its directory stays: the kubelet does not remove the file that is left of a volume"
    ),
    scope="node",
    node=_left.NODE,
    subject=f"node/{_left.NODE}",
    namespace=None,
    accepts=("kubelet.orphaned-pod-directory",),
    with_node="proven",
    without_node="fine",  # the API does not show the fault
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
