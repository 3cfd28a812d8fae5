"""The network plugin hangs while it tears down a Pod's network."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _cni, _objects, _steps

NS, NAME = "f-cni-plugin-hung", "waits-for-network"
NODE = "lab-3"


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    _cni.hang(lab.get_node(NODE))
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    running = lab.get_node(NODE).run(["pgrep", "-f", f"^/bin/sh {_cni.BIN_DIR}/"]).stdout.split()
    return (
        f"the plugin's process {running[0]} has not returned"
        if running and _checks.find_deleting_pod(lab, NS, NAME)
        else None
    )


def heal(lab: Lab) -> None:
    _cni.restore(lab.get_node(NODE))
    _steps.remove_namespace(lab, NS)


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
    observe=observe,
    heal=heal,
    settle=120,
)
