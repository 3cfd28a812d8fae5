"""The API server's Service cannot be reached from a node itself (another route takes precedence); a network
plugin asks there first.
"""

from unstuck_lab import csi
from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _cni, _handler
from unstuck_lab.node import Node

SERVICE = "10.96.0.1"
_PLUGINS = "/run/unstuck-lab-labnet"
_MOUNTED = f"findmnt -n -o FSTYPE {_cni.BIN_DIR} | grep -qx overlay"
_ASK = ["curl", "-sk", "-m", "3", f"https://{SERVICE}/version"]
_UNREACHABLE = 7  # curl's


def _cut_off(node: Node) -> None:
    program = csi.LABCSI.ensure(node.paths, lambda _: None)
    link = f"mkdir -p {_PLUGINS} && cp {program} {_PLUGINS}/labnet"
    cover = f"mount -t overlay overlay -o lowerdir={_PLUGINS}:{_cni.BIN_DIR} {_cni.BIN_DIR}"
    node.check(["sh", "-ec", f"{_MOUNTED} || {{ {link}; {cover}; }}; ip route replace unreachable {SERVICE}"])


def _give_back(node: Node) -> None:
    node.run(
        [
            "sh",
            "-c",
            (
                f"ip route delete unreachable {SERVICE}; {_MOUNTED} && umount -l {_cni.BIN_DIR}; rm -rf "
                f"{_PLUGINS}"
            ),
        ]
    )


def _compare_nodes(lab: Lab) -> str | None:
    there, here = (lab.get_node(name).run(_ASK).returncode for name in ("lab-1", _handler.NODE))
    return (
        f"{SERVICE} answers on lab-1, and not on {_handler.NODE}"
        if (there, here) == (0, _UNREACHABLE)
        else None
    )


FAULT = _handler.make_fault(
    "service-cut-off",
    "a Pod does not start because its network plugin cannot reach a Service from the node",
    handler="asks-first",
    pod="needs-its-network",
    says=f"https://{SERVICE}:443/",
    accepts="network.service-unreachable-from-node",
    spoil=(_cut_off, _give_back),
    seen=_compare_nodes,
)
