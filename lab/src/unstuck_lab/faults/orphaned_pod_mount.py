"""A Pod is gone, and a file system is still mounted below its directory: the kubelet leaves the directory
alone, and logs nothing at its usual verbosity. `rm -rf` there would delete the contents of that file system.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _left

NS, NAME, MARK = "f-orphaned-pod-mount", "left-mounted", "unstuck-lab-mounted"
MADE = "/var/lib/kubelet/unstuck-lab-made"
_STILL = 70  # seconds without change before the directory counts as abandoned


def apply(lab: Lab) -> None:
    node = lab.get_node(_left.NODE)
    top = f"/var/lib/kubelet/pods/{_left.leave(lab, NS, NAME)}"
    _left.start_kubelet(lab)
    # A restarted kubelet unmounts existing mounts and removes the directory; it leaves later mounts alone.
    lab.wait(lambda: node.run(["test", "-e", top]).returncode != 0, 120, f"end of {top}")
    at = f"{MADE}/volumes/kubernetes.io~nfs/{MARK}"
    # The directory is moved there together with its mount: the kubelet, which looks every two seconds, never
    # finds it unmounted.
    node.check(
        [
            "sh",
            "-ec",
            (
                f"mkdir -p {at}; mount -t tmpfs unstuck-lab-data {at}; echo kept > {at}/precious; mv -T "
                f"{MADE} {top}"
            ),
        ]
    )


def observe(lab: Lab) -> str | None:
    uid = _left.find_orphan(lab, MARK)
    if uid is None:
        return None
    node, top = lab.get_node(_left.NODE), f"/var/lib/kubelet/pods/{uid}"
    young = node.run(["find", f"{top}/volumes", "-xdev", "-newermt", f"-{_STILL} seconds"]).stdout.strip()
    mounts = [line for line in (node.root / "proc/1/mountinfo").read_text().splitlines() if top in line]
    return f"mounted below a Pod that is gone: {mounts[0]}" if mounts and not young else None


def heal(lab: Lab) -> None:
    node = lab.get_node(_left.NODE)
    if node.running:
        node.run(["sh", "-c", f"umount {MADE}/volumes/*/{MARK} 2>/dev/null; rm -rf --one-file-system {MADE}"])
    _left.remove(lab, NS, MARK)


FAULT = Fault(
    name="orphaned-pod-mount",
    summary="a Pod is gone, its directory stays: something is mounted below it",
    scope="node",
    node=_left.NODE,
    subject=f"node/{_left.NODE}",
    namespace=None,
    accepts=("kubelet.orphaned-pod-directory",),
    with_node="likely",
    without_node="fine",  # the API does not show the fault
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
)
