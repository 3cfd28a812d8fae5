"""A Pod is resized in place while its shim is suspended. The kubelet asks containerd to update the container,
containerd asks the shim and holds the container's lock meanwhile: no client gets its state, so the list of
containers waits for it, and PLEG for the list. After three minutes PLEG is reported unhealthy, and the Node
is NotReady.
"""

import os
import signal
import time

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _node, _objects, _signals, _steps

NS, NAME = "f-container-inspect-hangs", "locked"
_WAITS = "updateContainerResources"


def _make_resources(cpu: str) -> dict[str, dict[str, str]]:
    return {"requests": {"cpu": cpu, "memory": "32Mi"}, "limits": {"cpu": cpu, "memory": "32Mi"}}


def apply(lab: Lab) -> None:
    pod = _steps.run(
        lab,
        _objects.make_pod(NS, NAME, nodeName=_signals.NAME, container={"resources": _make_resources("100m")}),
    )
    uid = pod["metadata"]["uid"]
    _signals.stop(_signals.find_shim(uid))
    body = {"spec": {"containers": [{"name": "c", "resources": _make_resources("150m")}]}}
    lab.request(
        "PATCH",
        f"/api/v1/namespaces/{NS}/pods/{NAME}/resize",
        body,
        content_type="application/strategic-merge-patch+json",
    )


def observe(lab: Lab) -> str | None:
    """Find the call in containerd's stack dump, which it writes to its log on SIGUSR1."""
    pod, node = lab.get_pod(NS, NAME), lab.get_node(_signals.NAME)
    shim = _signals.find_shim(pod["metadata"]["uid"]) if pod else None
    if _signals.read_state(shim) != "T" or node.containerd_pid is None:
        return None
    before = node.containerd_log.stat().st_size
    os.kill(node.containerd_pid, signal.SIGUSR1)
    time.sleep(2)
    with node.containerd_log.open(errors="replace") as log:
        log.seek(before)
        stacks = log.read()
    return f"shim {shim} is in T, and containerd waits for it in {_WAITS}" if _WAITS in stacks else None


def heal(lab: Lab) -> None:
    pod = lab.get_pod(NS, NAME)
    if pod is not None:
        _signals.resume(_signals.find_shim(pod["metadata"]["uid"]))
    _node.wait_ready(lab, _signals.NAME)
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="container-inspect-hangs",
    summary=(
        "containerd does not tell the state of one container, whose update waits for a suspended shim; "
        "nothing is listed"
    ),
    scope="node",
    node=_signals.NAME,
    subject=f"node/{_signals.NAME}",
    namespace=None,
    accepts=("runtime.container-inspect-hangs",),
    consequences=("runtime.unresponsive", "runtime.shim-hung"),
    with_node="proven",
    without_node="fine",  # the API shows nothing until PLEG is reported unhealthy
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=60,
)
