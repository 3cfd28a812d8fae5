"""The child that asks this node's kubelet: `python -S -m unstuck.agent.kubelet`. When it ends, the memory of
long answers is free again.

stdin: `{"node", "pod": {…} or null, "seconds", "fingerprint"}`; stdout: facts as `look.py` writes them. The
token is the Pod's; it is sent only to a server with the certificate of that fingerprint, if there is one, or
a certificate of the cluster's authority.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from unstuck.agent.tenancy import redact_for_tenant
from unstuck.collect.kubelet.client import KubeletClient
from unstuck.collect.kubelet.facts import kubelet_facts
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact, Ref

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_PORT = 10250


def main() -> None:
    """Run as the child; see the module."""
    request = json.load(sys.stdin)
    for fact in _list_facts(request):
        sys.stdout.write(json.dumps(to_json(fact)) + "\n")
    sys.stdout.write('{"end": true}\n')
    sys.stdout.flush()


def _list_facts(request: dict[str, Any]) -> list[Fact]:
    token = (ACCOUNT / "token").read_text(encoding="ascii")
    ca = (ACCOUNT / "ca.crt").read_text(encoding="ascii")
    seconds, fingerprint = float(request["seconds"]), str(request["fingerprint"])
    client = KubeletClient(
        os.environ["HOST_IP"], _PORT, token, ca, seconds, here=True, fingerprint=fingerprint
    )
    pod = request["pod"]
    facts = kubelet_facts(client, str(request["node"]), pod["uid"] if pod else None)
    if not pod:
        return facts
    return list(
        redact_for_tenant(facts, Ref("Pod", str(pod["namespace"]), str(pod["name"]), str(pod["uid"])))
    )


if __name__ == "__main__":
    main()
