"""A program opens its port after 45 s, and its liveness probe kills it after 24 s, every time."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _probes, _steps

NS, NAME = "f-probe-impatient", "slow-to-open"
# In steps, so that a signal ends it at once.
_SLOW = "trap 'exit 0' TERM; echo 'reading the index'; for i in $(seq 45); do sleep 1; done; httpd -f -p 8080"


def apply(lab: Lab) -> None:
    probe = _probes.make_ending_probe({"tcpSocket": {"port": 8080}})
    container = {"command": ["sh", "-c", _SLOW], "ports": [{"containerPort": 8080}], "livenessProbe": probe}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container=container, terminationGracePeriodSeconds=2),
    )


FAULT = Fault(
    name="probe-impatient",
    summary="a liveness probe kills a program before it has opened its port",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("probe.too-impatient",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _probes.find_second_end(lab, NS, NAME, "Unhealthy", "connection refused"),
    heal=_steps.make_heal(NS),
    # The kubelet's kill is observed; that the program would have come up is only a guess.
    consequences=("container.killed-by-liveness",),
    settle=180,
    at_most="likely",
)
