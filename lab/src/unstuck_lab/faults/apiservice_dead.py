"""An APIService with a missing Service: no Namespace can be deleted any more."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS = "ci-8842"
APISERVICE = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.dead.io"


def apply(lab: Lab) -> None:
    dead = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta1.metrics.dead.io"},
        "spec": {
            "group": "metrics.dead.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"namespace": "default", "name": "gone"},
        },
    }
    lab.apply(_objects.make_namespace(NS), dead)
    # Delete the Namespace only once discovery fails; before that, its deletion may succeed.
    lab.wait(lambda: _is_unavailable(lab), 30, "APIService v1beta1.metrics.dead.io unavailable")
    _steps.delete_namespace(lab, NS)


def _is_unavailable(lab: Lab) -> bool:
    return _checks.find_condition(lab.get(APISERVICE), "Available", "False") is not None


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(lab, NS, "NamespaceDeletionDiscoveryFailure")


def heal(lab: Lab) -> None:
    _steps.delete(lab, APISERVICE)
    _steps.wait_gone(lab, NS)


FAULT = Fault(
    name="apiservice-dead",
    summary="a Namespace stays because an APIService's Service does not exist",
    scope="cluster",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("namespace.api-discovery-failed",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    beside="discovery and memory",
)
