"""The looks that show whether a name is resolved, and by which server."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Step

say = Messages(__name__)

SEE_CLUSTER_DNS = Step(
    say("see whether the cluster's DNS runs and answers"),
    command=command("kubectl get pods -n kube-system -l k8s-app=kube-dns -o wide"),
)


def ask_for_name(name: str) -> tuple[Step, ...]:
    """Return the step that asks for a host name; none if no name is known ("")."""
    if not name:
        return ()
    return (
        Step(
            say("ask for the name from a Pod, and from the Node"),
            command=command("nslookup {name}", name=given.host(name)),
        ),
    )
