"""A node's containerd is suspended, as when it hangs: its socket accepts connections, but nothing answers.
The kubelet is healthy, its node stays Ready, and a deleted Pod stays without any event.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _signals, _steps

NS, NAME = "f-containerd-stopped", "waits"


def apply(lab: Lab) -> None:
    node = lab.get_node(_signals.NAME)
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=node.name))
    _signals.stop(node.containerd_pid)
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    node = lab.get_node(_signals.NAME)
    pod = _checks.find_deleting_pod(lab, NS, NAME)
    if pod is None or not lab.is_node_ready(node.name) or _signals.read_state(node.containerd_pid) != "T":
        return None
    done = node.run(["timeout", "3", "ctr", "version"], timeout=10)
    return "ctr version hangs, the node is Ready" if done.returncode == 124 else None


def heal(lab: Lab) -> None:
    node = lab.get_node(_signals.NAME)
    if node.running:
        _signals.resume(node.containerd_pid)
    # The kubelet's earlier calls have to end first.
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="containerd-stopped",
    summary="a node's containerd accepts connections and does not answer; the node is Ready",
    scope="node",
    node=_signals.NAME,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.unresponsive",),
    with_node="proven",
    without_node="fine",  # the API shows nothing while the Node is Ready
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    also=(f"node/{_signals.NAME}",),
)
