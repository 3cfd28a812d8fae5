"""A deleted Namespace holds a custom resource with a finalizer, and nothing clears it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _operator, _steps

NS, GROUP, KIND, NAME = "f-content-remains", "queue.example.com", "JobQueue", "mails"
PATH = f"/apis/{GROUP}/v1/namespaces/{NS}/jobqueues/{NAME}"


def apply(lab: Lab) -> None:
    _operator.define(lab, NS, GROUP, KIND)
    queue = {
        "apiVersion": f"{GROUP}/v1",
        "kind": KIND,
        "metadata": {"name": NAME, "namespace": NS, "finalizers": [f"{GROUP}/flush"]},
    }
    lab.apply(queue)
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(lab, NS, "NamespaceFinalizersRemaining")


def heal(lab: Lab) -> None:
    _steps.clear_finalizers(lab, PATH)
    _steps.remove_namespace(lab, NS)
    _steps.delete(lab, f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobqueues.{GROUP}")


FAULT = Fault(
    name="namespace-content-remains",
    summary="a Namespace stays because of an object whose finalizer is never cleared",
    scope="pod",  # it affects only its own Namespace
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("namespace.content-remains", "finalizer.unknown-owner", "finalizer.controller-gone"),
    # Either may be named as the root: the Namespace's cause or the object's.
    consequences=("namespace.content-remains", "finalizer.unknown-owner"),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
