"""The configuration of a node's network is moved back into its directory: containerd 1.6 does not notice, and
the Node stays NotReady.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _cni, _node

NODE = "lab-3"
_AWAY = "/etc/cni/unstuck-lab-away"


def _find_complaint(lab: Lab) -> str | None:
    said = _checks.find_condition(lab.get(f"/api/v1/nodes/{NODE}"), "Ready", "False")
    return said if said and "cni plugin not initialized" in said else None


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    node.check(["mv", _cni.CONFIGURATION, _AWAY])
    lab.wait(lambda: _find_complaint(lab), 60, f"{NODE} without a network")
    node.check(["mv", _AWAY, _cni.CONFIGURATION])


def observe(lab: Lab) -> str | None:
    there = lab.get_node(NODE).run(["test", "-s", _cni.CONFIGURATION]).returncode == 0
    said = _find_complaint(lab)
    return f"{_cni.CONFIGURATION} is there; {said}" if there and said else None


def heal(lab: Lab) -> None:
    lab.get_node(NODE).run(["rm", "-f", _AWAY])
    _cni.write_configuration(lab.get_node(NODE))
    _node.wait_ready(lab, NODE)


FAULT = Fault(
    name="cni-not-noticed",
    summary="a Node is not ready because its runtime has not noticed the network's configuration",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("network.cni-config-not-reloaded",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
