"""Fixes for a client that its user runs by hand against the API server, such as kubectl or Helm: in its
kubeconfig, or the server, and not in a Pod's manifest.
"""

from __future__ import annotations

from unstuck.diagnosis.class_commands import own_login
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.derive.certificates import CertificateFlaw
from unstuck.facts.regex import regex

say = Messages(__name__)

# Sources: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (checkErr), helm pkg/kube/client.go
# (IsReachable).
_OF_CLIENT = regex(
    r"\bUnable to connect to the server: |\bThe connection to the server \S{1,260} was refused|\bmust be "
    r"logged in to the server"
    r"|\bKubernetes cluster unreachable: |\bcouldn't get current server API group list: |^error: the server "
    r"has asked for the client"
    r"|^(?:E\d{4} .{1,80}\] )?\"Unhandled Error\" err=\"couldn't get current server"
)
_PASSES = say("kubectl answers")
LOG_IN = say(
    "get a valid kubeconfig, certificate or token from the cluster: in a cloud, log in again, fetch the "
    "kubeconfig, and make sure that the cluster knows this identity; with kubeadm, `kubeadm certs "
    "check-expiration` shows when admin.conf expires"
)
RESOLVE = say(
    "correct the server in the kubeconfig, or let this machine resolve its name: the name of a private "
    "cluster is known only inside its own network (VPN)"
)


def is_of_client(line: str) -> bool:
    """Tell whether a line is output of kubectl or Helm to the user who typed the command."""
    return _OF_CLIENT.search(line) is not None


def look_at_kubeconfig() -> Step:
    """Return the step that shows which server and which user the client takes."""
    return Step(
        say("with which user, certificate, token or plugin kubectl logs in, and where"), command=own_login()
    )


def mend_client(says: Text) -> Step:
    """Return the steps for the client, and how to verify them."""
    return Step(says, verify=_PASSES)


def mend_server_certificate(flaw: CertificateFlaw) -> Text:
    """Return the steps that make a client accept the API server's certificate."""
    match flaw.flaw:
        case "misnamed" | "no-names" | "no-address":
            return say(
                "use a name or address of the API server that its certificate contains (server in the "
                "kubeconfig), or issue a certificate for this one (kubeadm: certSANs)"
            )
        case "self-signed" | "untrusted":
            return say(
                "get the kubeconfig from this cluster again: its CA (certificate-authority-data) is "
                "outdated or belongs to another cluster, or a proxy in between presents its own "
                "certificate"
            )
        case "expired":
            return say(
                "renew the API server's certificate on each control-plane node (kubeadm: `kubeadm certs "
                "renew apiserver`), and restart the API server there: meanwhile this one does not answer"
            )
        case "early" | "dates":
            return say(
                "check the dates of the API server's certificate and the clock of this machine: renew an "
                "expired certificate, correct a wrong clock"
            )
