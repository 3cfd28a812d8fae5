"""The configuration of a node's network is moved back into its directory: containerd 1.6 takes no notice,
and the Node stays not ready.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cni, _kit, _node

NODE = "lab-3"
_AWAY = "/etc/cni/unstuck-lab-away"


def _says_none(lab: Lab) -> str | None:
    said = _kit.condition(lab.get(f"/api/v1/nodes/{NODE}"), "Ready", "False")
    return said if said and "cni plugin not initialized" in said else None


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    node.check(["mv", _cni.CONFIGURATION, _AWAY])
    lab.wait(lambda: _says_none(lab), 60, f"{NODE} without a network")
    node.check(["mv", _AWAY, _cni.CONFIGURATION])


def held(lab: Lab) -> str | None:
    there = lab.get_node(NODE).run(["test", "-s", _cni.CONFIGURATION]).returncode == 0
    said = _says_none(lab)
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
    held=held,
    heal=heal,
    settle=90,
)
