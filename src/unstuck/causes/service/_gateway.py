"""The looks that find the backend of a request that a proxy or gateway could not pass on."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Step

say = Messages(__name__)

SEE_ROUTES = Step(
    say("see which Ingress or route has this host and path, and to which Service and port it leads"),
    command=command("kubectl get ingress -A"),
)
SEE_LOG = Step(
    say(
        "read the gateway's own log for this request: it names the address that it tried, and what came back"
    ),
    command=command("kubectl logs -n NAMESPACE pod/POD --tail=50"),
)


def see_endpoints(service: str, namespace: str = "") -> Step:
    """Return the step that shows the endpoints of a Service. service, namespace: "" if unknown."""
    return Step(
        say("see its backends: its selector, and which Pods are ready"),
        command=command(
            "kubectl describe {service} {space}",
            service=given.obj("service", service or None),
            space=given.namespace(namespace or "NAMESPACE"),
        ),
    )
