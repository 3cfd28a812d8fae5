"""A small real webhook server that denies every request, in a Pod on its node's network. No fault by
itself.
"""

import base64
import tempfile
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _objects, _steps

PORT = 18443
SERVER = """\
import http.server, json, ssl, sys

class Guard(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = {"code": 403, "message": "settings are kept for audits"}
        refusal = {"uid": review["request"]["uid"], "allowed": False, "status": status}
        answer = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": refusal}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("0.0.0.0", int(sys.argv[1])), Guard)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/guard/tls.crt", "/guard/tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def install(lab: Lab, ns: str, name: str = "guard") -> _objects.Object:
    """Run the server in a separate Namespace, wait until it is ready, and return its `clientConfig`."""
    node = lab.nodes[0]
    certificate, key = _make_certificate(node.address)
    files = {"server.py": SERVER, "tls.crt": certificate, "tls.key": key}
    container = {
        "image": lab.load_python_image(),
        "command": ["/usr/bin/python3.11", "/guard/server.py", str(PORT)],
        "readinessProbe": {"tcpSocket": {"port": PORT}, "periodSeconds": 1},
    }
    where = {"hostNetwork": True, "nodeName": node.name, "terminationGracePeriodSeconds": 1}
    pod = _objects.make_pod_with_volume(
        ns, name, {"name": "guard", "configMap": {"name": name}}, container=container, **where
    )
    _steps.run(lab, pod, _objects.make_config_map(ns, name, files))
    return {
        "url": f"https://{node.address}:{PORT}/",
        "caBundle": base64.b64encode(certificate.encode()).decode(),
    }


def _make_certificate(address: str) -> tuple[str, str]:
    """Return a self-signed certificate for this address, and its key."""
    with tempfile.TemporaryDirectory() as scratch:
        key, certificate = Path(scratch, "key"), Path(scratch, "crt")
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        names = ["-subj", "/CN=guard", "-addext", f"subjectAltName=IP:{address}", "-days", "30"]
        shell.run(["openssl", "req", "-x509", *curve, "-keyout", str(key), "-out", str(certificate), *names])
        return certificate.read_text(), key.read_text()
