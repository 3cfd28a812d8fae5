"""Every address of a node's Pods is recorded as taken, by deleted Pods: none is left for a new one."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.paths import format_pod_range

NS, NAME = "f-cni-addresses-leaked", "no-address"
NODE = "lab-3"
_NOTES = "/var/lib/cni/networks/lab"
# As host-local records an address, for a container that does not exist.
_LEAKED = "f-cni-addresses-leaked"
_TAKE = f"""mkdir -p {_NOTES} && for i in $(seq 2 254); do
  [ -e {_NOTES}/$1.$i ] || printf '%s\\r\\neth0' {_LEAKED} > {_NOTES}/$1.$i
done"""


def apply(lab: Lab) -> None:
    prefix = format_pod_range(NODE).rpartition(".")[0]
    lab.get_node(NODE).check(["sh", "-c", _TAKE, "sh", prefix])
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeName=NODE))


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running:
        node.run(["sh", "-c", f"grep -l {_LEAKED} {_NOTES}/* | xargs -r rm -f"])
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="cni-addresses-leaked",
    summary="a Pod does not start because the addresses of its node were never released",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=(
        "network.addresses-leaked",
        "network.addresses-exhausted",
    ),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedCreatePodSandBox", "no IP addresses available"
    ),
    heal=heal,
    settle=90,
)
