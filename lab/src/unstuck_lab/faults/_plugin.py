"""The lab's own driver on one node, registered with its kubelet: a CSI or a DRA plugin. No fault by
itself.
"""

from typing import Literal

from unstuck_lab import csi
from unstuck_lab.cluster import Lab

Kind = Literal["csi", "dra"]

NODE = "lab-3"
CONTROL = "/run/unstuck-lab-csi"
ROOT = "/var/lib/kubelet"


def name_driver(ns: str) -> str:
    """Return the driver's name. Every fault has its own driver, so that faults are independent."""
    return f"{ns}.{csi.DRIVER}"


def locate_socket(ns: str, kind: Kind) -> str:
    """Return the path of the driver's socket."""
    return f"{ROOT}/plugins/{name_driver(ns)}/{kind}.sock"


def locate_registration(ns: str) -> str:
    """Return the path of the driver's registration socket for the kubelet."""
    return f"{ROOT}/plugins_registry/{name_driver(ns)}-reg.sock"


def _build_command(lab: Lab, ns: str, kind: Kind, on: str) -> list[str]:
    driver = csi.LABCSI.ensure(lab.paths, lambda _: None)
    return [str(driver), kind, "-name", name_driver(ns), "-node", on, "-control", f"{CONTROL}/{ns}"]


def spawn(lab: Lab, ns: str, kind: Kind, on: str = NODE) -> None:
    """Start the driver unless it runs. Does not wait until the kubelet has registered it."""
    node, command = lab.get_node(on), _build_command(lab, ns, kind, on)
    if node.find(command) is None:
        node.check(["mkdir", "-p", f"{CONTROL}/{ns}"])
        node.spawn(command, log=f"{kind}-driver")


def kill(lab: Lab, ns: str, kind: Kind, on: str = NODE) -> None:
    """Kill the driver and remove its sockets, like uninstalling its DaemonSet."""
    node = lab.get_node(on)
    node.kill(_build_command(lab, ns, kind, on))
    node.run(["rm", "-rf", f"{ROOT}/plugins/{name_driver(ns)}", locate_registration(ns)])


def tell(lab: Lab, ns: str, what: str) -> None:
    """Make the driver fail or hang from now on, or from its start. what: see csidriver/main.go."""
    lab.get_node(NODE).check(["sh", "-c", f"mkdir -p {CONTROL}/{ns} && touch {CONTROL}/{ns}/{what}"])


def forgive(lab: Lab, ns: str) -> None:
    """Make the driver answer its calls normally again."""
    lab.get_node(NODE).run(["sh", "-c", f"rm -f {CONTROL}/{ns}/*"])


def remove(lab: Lab, ns: str, kind: Kind, on: str = NODE) -> None:
    """Remove the driver and its files."""
    kill(lab, ns, kind, on)
    lab.get_node(on).run(["rm", "-rf", f"{CONTROL}/{ns}"])
