"""A program opens its port after 45 s, and its liveness probe ends it after 24: it never gets there."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _probes

NS, NAME = "f-probe-impatient", "slow-to-open"
# In steps, so that it ends at once on a signal.
_SLOW = "trap 'exit 0' TERM; echo 'reading the index'; for i in $(seq 45); do sleep 1; done; httpd -f -p 8080"


def apply(lab: Lab) -> None:
    probe = _probes.ending({"tcpSocket": {"port": 8080}})
    container = {"command": ["sh", "-c", _SLOW], "ports": [{"containerPort": 8080}], "livenessProbe": probe}
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container=container, terminationGracePeriodSeconds=2))


FAULT = Fault(
    name="probe-impatient",
    summary="a liveness probe ends a program before it has opened its port",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("probe.too-impatient",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=lambda lab: _probes.ended_twice(lab, NS, NAME, "Unhealthy", "connection refused"),
    heal=_kit.removing(NS),
    # That the kubelet ends it is seen; that the program would have come up, only guessed.
    consequences=("container.killed-by-liveness",),
    settle=180,
    at_most="likely",
)
