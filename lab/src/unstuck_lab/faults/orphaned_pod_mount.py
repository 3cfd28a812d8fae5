"""A Pod is gone, and below its directory a file system is still mounted: the kubelet leaves all of it, and says nothing at
ordinary verbosity. `rm -rf` there would delete what is on that file system.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _left

NS, NAME, MARK = "f-orphaned-pod-mount", "left-mounted", "unstuck-lab-mounted"
_STILL = 70  # seconds that the directory must have stood still before anybody should call it left


def apply(lab: Lab) -> None:
    node = lab.node(_left.NODE)
    uid = _left.leave(lab, NS, NAME)
    at = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~nfs/{MARK}"
    _left.back(lab)
    # By hand, as an operator does who looks for data: the kubelet that comes back would unmount what it finds of a volume of its own.
    node.check(["sh", "-ec", f"mkdir -p {at}; mount -t tmpfs unstuck-lab-data {at}; echo kept > {at}/precious"])


def held(lab: Lab) -> str | None:
    node = lab.node(_left.NODE)
    uids = _left.orphans(node, MARK)
    known = {p["metadata"]["uid"] for p in lab.api("GET", "/api/v1/pods")["items"]}
    if not uids or uids[0] in known:
        return None
    top = f"/var/lib/kubelet/pods/{uids[0]}"
    young = node.run(["find", f"{top}/volumes", "-xdev", "-newermt", f"-{_STILL} seconds"]).stdout.strip()
    mounts = [line for line in (node.root / "proc/1/mountinfo").read_text().splitlines() if top in line]
    return f"mounted below a Pod that is gone: {mounts[0]}" if mounts and not young else None


def heal(lab: Lab) -> None:
    _left.remove(lab, NS, MARK)


FAULT = Fault(
    name="orphaned-pod-mount",
    summary="a Pod is gone, its directory stays: something is mounted below it",
    scope="node",
    node=_left.NODE,
    subject=f"node/{_left.NODE}",
    namespace=None,
    accepts=("kubelet.orphaned-pod-directory",),
    consequences=(),
    with_node="likely",
    without_node="fine",  # the API shows nothing of it
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=150,
)
