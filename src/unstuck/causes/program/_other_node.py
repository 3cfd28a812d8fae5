"""Refusals of a kubelet that shows the credentials of one Node and writes to another, by the API server's own
check of Nodes (NodeRestriction, the Node authorizer).
"""

from __future__ import annotations

from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.core import Ref

say = Messages(__name__)

_CERTIFICATE = command("openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem")
_NO_ROLE = DoNot(
    say("bind a Role to it, or disable NodeRestriction"),
    say("a single compromised node could then change all the others"),
)


def make_other_node_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a kubelet with the certificate, or token, of another Node than it registers
    as.
    """
    shown, asked = one.complaint.group, one.complaint.name
    if not asked:
        means = say(
            "a kubelet has the credentials of Node {shown}, and requests an object of another Node",
            shown=shown,
        )
    else:
        only = (
            say(": they differ only in capital letters, which a Node's name cannot have")
            if shown.lower() == asked.lower()
            else NO_TEXT
        )
        means = (
            say(
                "a kubelet has the credentials of Node {shown}, and writes as Node {asked}",
                shown=shown,
                asked=asked,
            )
            + only
        )
    where = f"node:{asked}" if asked else "cluster"
    look = Step(
        say("on that node, check for which name its certificate was issued (CN = system:node:NAME)"),
        where=where,
        command=_CERTIFICATE,
    )
    name = Step(
        say(
            "start the kubelet with this name (--hostname-override, or the machine's host name; with a "
            "cloud provider the cloud gives it), or make credentials for the name that it registers with "
            "(kubeadm: reset and join again)"
        ),
        where=where,
        verify=say("the node becomes Ready within a minute"),
    )
    return make_finding(
        pod, one, means, (look, name), do_not=(_NO_ROLE,), culprit=Ref("Node", None, asked) if asked else None
    )
