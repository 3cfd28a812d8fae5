"""The network plugin never returns while it takes a Pod's network down."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cni, _kit

NS, NAME = "f-cni-plugin-hung", "waits-for-network"
NODE = "lab-3"


def apply(lab: Lab) -> None:
    _kit.run(lab, _kit.pod(NS, NAME, nodeName=NODE))
    _cni.hang(lab.get_node(NODE))
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    running = lab.get_node(NODE).run(["pgrep", "-f", f"^/bin/sh {_cni.BIN_DIR}/"]).stdout.split()
    return (
        f"the plugin's process {running[0]} has not returned"
        if running and _kit.deleting(lab, NS, NAME)
        else None
    )


def heal(lab: Lab) -> None:
    _cni.restore(lab.get_node(NODE))
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="cni-plugin-hung",
    summary="a Pod stays because its network plugin does not return",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("network.sandbox-teardown-hung",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
)
