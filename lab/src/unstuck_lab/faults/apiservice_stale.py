"""An APIService with a server that answers everything with 200 and lists no types: it is available, its
version is stale, no Namespace is deleted.
"""

import signal
import sys

from unstuck_lab import control
from unstuck_lab.box import Box
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.paths import CONTROL_ADDRESS

NS, GROUP, PORT = "f-apiservice-stale", "stale.lab.example.com", 18443
APISERVICE = f"/apis/apiregistration.k8s.io/v1/apiservices/v1.{GROUP}"
# Serves TLS and answers every request with 200.
SERVER = """
import http.server, ssl, sys
class Well(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\\n")
server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Well)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[3], sys.argv[4])
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def _build_command(lab: Lab) -> list[str]:
    keys = lab.paths.pki
    return [
        sys.executable,
        "-c",
        SERVER,
        CONTROL_ADDRESS,
        str(PORT),
        f"{keys}/apiserver.crt",
        f"{keys}/apiserver.key",
    ]


def apply(lab: Lab) -> None:
    box, argv = Box(control.BOX, lab.paths), _build_command(lab)
    if box.find(argv) is None:
        box.spawn(argv, control.locate_log(lab.paths, "apiservice-stale"))
    name = {"name": "well", "namespace": NS + "-server"}
    port = {"name": "https", "port": 443, "protocol": "TCP"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": name,
        "spec": {"ports": [port | {"targetPort": PORT}]},
    }
    behind = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": name | {"labels": {"kubernetes.io/service-name": "well"}},
        "addressType": "IPv4",
        "ports": [port | {"port": PORT}],
        "endpoints": [{"addresses": [CONTROL_ADDRESS], "conditions": {"ready": True}}],
    }
    registration = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"v1.{GROUP}"},
        "spec": {
            "group": GROUP,
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"namespace": NS + "-server", "name": "well"},
        },
    }
    lab.apply(
        _objects.make_namespace(NS), _objects.make_namespace(NS + "-server"), service, behind, registration
    )
    lab.wait(lambda: _is_available(lab), 60, f"APIService v1.{GROUP} available")
    _steps.delete_namespace(lab, NS)


def _is_available(lab: Lab) -> bool:
    return _checks.find_condition(lab.get(APISERVICE), "Available") is not None


def observe(lab: Lab) -> str | None:
    return (
        _checks.find_namespace_condition(lab, NS, "NamespaceDeletionDiscoveryFailure", "stale")
        if _is_available(lab)
        else None
    )


def heal(lab: Lab) -> None:
    _steps.delete(lab, APISERVICE)
    process = Box(control.BOX, lab.paths).find(_build_command(lab))
    if process is not None:
        process.signal(signal.SIGKILL)
    _steps.wait_gone(lab, NS)
    _steps.remove_namespace(lab, NS + "-server")


FAULT = Fault(
    name="apiservice-stale",
    summary="a Namespace stays because an API answers without listing any types",
    scope="cluster",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("namespace.stale-discovery",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
    beside="stale discovery and scheduler",
)
