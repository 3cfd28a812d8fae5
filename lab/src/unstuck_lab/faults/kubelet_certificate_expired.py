"""The kubelet's client certificate has expired: it runs, the API server rejects all its reports, and its Node
becomes Unknown. A Pod of that node is deleted. From the API alone this looks like a node that is gone.
"""

import json
import tempfile
from pathlib import Path

from unstuck_lab import nodeconf, shell
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _node, _objects, _steps
from unstuck_lab.node import Node

NS, NAME = "f-kubelet-certificate-expired", "left-behind-the-door"
NODE = _node.NAME
CONF = "etc/kubernetes/kubelet.conf"
PEM = "/etc/kubernetes/kubelet-client.pem"


def _make_certificate(pki: Path) -> str:
    """Return a client certificate of the node that has already expired, with its key."""
    with tempfile.TemporaryDirectory() as directory:
        return _sign(pki, Path(directory))


def _sign(pki: Path, directory: Path) -> str:
    key, request = directory / "client.key", directory / "client.csr"
    shell.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(key)])
    shell.run(
        [
            "openssl",
            "req",
            "-new",
            "-key",
            str(key),
            "-subj",
            f"/O=system:nodes/CN=system:node:{NODE}",
            "-out",
            str(request),
        ]
    )
    authority = ["-CA", str(pki / "ca.crt"), "-CAkey", str(pki / "ca.key"), "-set_serial", "7"]
    return (
        shell.run(["openssl", "x509", "-req", "-in", str(request), *authority, "-days", "0"])
        + key.read_text()
    )


def _read_kubeconfig(lab: Lab) -> str:
    """Return the node's original kubeconfig from `up`, with a token."""
    return nodeconf.list_etc_files(lab.paths, NODE)["kubernetes/kubelet.conf"]


def _use(node: Node, conf: str) -> None:
    node.stop_kubelet()
    (node.root / CONF).write_text(conf)
    node.start_kubelet()


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    pem = node.root / PEM[1:]
    pem.touch(mode=0o600)
    pem.write_text(_make_certificate(lab.paths.pki))
    config = json.loads(_read_kubeconfig(lab))
    config["users"][0]["user"] = {"client-certificate": PEM, "client-key": PEM}
    _use(node, json.dumps(config, indent=1) + "\n")
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _node.find_unknown_condition(lab, NODE) if _checks.find_deleting_pod(lab, NS, NAME) else None


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running:
        _use(node, _read_kubeconfig(lab))
        (node.root / PEM[1:]).unlink(missing_ok=True)
    _node.restore(lab, NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="kubelet-certificate-expired",
    summary="a Pod stays because its kubelet's client certificate has expired",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("kubelet.certificate-expired",),
    consequences=("kubelet.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
    also=(f"node/{NODE}",),
)
