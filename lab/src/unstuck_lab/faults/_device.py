"""A Pod whose volume is a block device of its node: a loop device over a small file. No fault by itself."""

from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.faults._plugin import NODE

CLAIM = "data"
Spoil = Callable[[Lab, str], None]


def locate_image(ns: str) -> str:
    """Return the path of the file behind the device, in the node's own tmpfs."""
    return f"/run/{ns}.img"


def _list_devices(lab: Lab, ns: str) -> list[str]:
    return [
        line.partition(":")[0]
        for line in lab.get_node(NODE).run(["losetup", "-j", locate_image(ns)]).stdout.splitlines()
    ]


def provide_device(lab: Lab, ns: str) -> str:
    """Return the loop device over the fault's file, created if it does not exist."""
    node = lab.get_node(NODE)
    there = _list_devices(lab, ns)
    return there[0] if there else node.check(["losetup", "--find", "--show", locate_image(ns)]).strip()


def _make_volume(ns: str, path: str, filesystem: str) -> tuple[_objects.Object, _objects.Object]:
    volume, claim = _objects.make_bound_claim(ns, CLAIM, ns)
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [NODE]}
    del volume["spec"]["hostPath"]
    volume["spec"] |= {
        "local": {"path": path, "fsType": filesystem},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
    }
    return volume, claim


def do_nothing(_lab: Lab, _device: str) -> None:
    """Do nothing to the device."""


def make_fault(
    name: str,
    summary: str,
    *,
    pod: str,
    filesystem: str,
    says: str,
    accepts: str,
    spoil: tuple[Spoil, Spoil] = (do_nothing, do_nothing),
) -> Fault:
    """Return the fault of a Pod that mounts the device with this file system. It is observed once the kubelet
    reports this message for the Pod. spoil: damages the device before, and repairs it at the end.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        lab.get_node(NODE).check(["truncate", "-s", "16M", locate_image(ns)])
        spoil[0](lab, provide_device(lab, ns))
        lab.apply(
            _objects.make_namespace(ns),
            *_make_volume(ns, provide_device(lab, ns), filesystem),
            _objects.make_pod_with_claim(ns, pod, CLAIM),
        )

    def heal(lab: Lab) -> None:
        _steps.remove_namespace(lab, ns)
        _steps.delete(lab, f"/api/v1/persistentvolumes/{ns}")
        for one in _list_devices(lab, ns):
            spoil[1](lab, one)
            lab.get_node(NODE).run(["losetup", "-d", one])
        lab.get_node(NODE).run(["rm", "-f", locate_image(ns)])

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=(accepts,),
        with_node="proven",
        without_node="likely",
        needs_node_access=True,
        apply=apply,
        observe=lambda lab: _checks.find_event(lab, ns, pod, "FailedMount", says),
        heal=heal,
    )
