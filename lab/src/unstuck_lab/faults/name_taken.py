"""The name of a Pod's sandbox is taken in the runtime: by a sandbox left from an earlier attempt, which the
kubelet does not recognise as its own.
"""

from unstuck_lab import csi
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-name-taken", "second-try", "lab-2"
_CONFIG = "settings"


def apply(lab: Lab) -> None:
    # While its ConfigMap is missing, the kubelet has the Pod but does not create its sandbox.
    volume = {"name": "v", "configMap": {"name": _CONFIG}}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod_with_volume(NS, NAME, volume, nodeName=NODE))
    uid = lab.wait(lambda: lab.get_pod(NS, NAME), 10, f"pod {NS}/{NAME}")["metadata"]["uid"]
    program = csi.LABCSI.ensure(lab.paths, lambda _: None)
    lab.get_node(NODE).check([str(program), "sandbox", "-name", NAME, "-namespace", NS, "-uid", uid])
    lab.apply(_objects.make_config_map(NS, _CONFIG, {"a": "b"}))


FAULT = Fault(
    name="name-taken",
    summary="a Pod does not start because its sandbox's name is still taken in the runtime",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.name-conflict",),
    # Only the kubelet's second report proves it, and its second try may come more than a minute later.
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedCreatePodSandBox", "is reserved for"),
    heal=_steps.make_heal(NS),
)
