"""Swap is on, and the kubelet does not tolerate it: it exits at every start, and its Node becomes Unknown.
The host's own swap stays off: the kernel's files about swap are mounted over on this node.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _kubelet, _node

NODE = "lab-3"
SWAPS, _COVER = "/proc/swaps", "/run/unstuck-lab-swaps"
_TOLD = "Filename Type Size Used Priority\\n/dev/vdb1 partition 2097148 0 -2\\n"


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    node.check(
        ["sh", "-ec", f"printf '{_TOLD}' > {_COVER}; mountpoint -q {SWAPS} || mount --bind {_COVER} {SWAPS}"]
    )
    _kubelet.restart(node, failSwapOn=True)


def observe(lab: Lab) -> str | None:
    node = lab.get_node(NODE)
    if node.kubelet_pid is not None or _node.find_unknown_condition(lab, NODE) is None:
        return None
    return _checks.find_log_line(
        node.kubelet_log.read_text(errors="replace"), "running with swap on is not supported"
    )


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running:
        node.run(["sh", "-c", f"umount {SWAPS}; rm -f {_COVER}"])
        _kubelet.restart(node)
    _node.restore(lab, NODE)


FAULT = Fault(
    name="swap-on",
    summary="a Node is not Ready because its kubelet does not start with swap on",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("kubelet.swap-enabled",),
    consequences=("kubelet.down",),
    with_node="proven",
    without_node="fine",  # the API shows only that its kubelet is silent
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
    ripe=5,
)
