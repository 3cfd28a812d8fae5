"""A Namespace is deleted with the backend of its own webhook on DELETE: its remaining objects can no
longer be deleted.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _kit

NS = "f-webhook-in-namespace"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.config_map(NS, "settings", {"a": "b"}))
    _admission.dead_webhook(lab, NS, resource="configmaps")
    _kit.delete_namespace(lab, NS)


def held(lab: Lab) -> str | None:
    return _kit.namespace_condition(lab, NS, "NamespaceDeletionContentFailure", "failed calling webhook")


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _kit.wait_gone(lab, NS)


FAULT = Fault(
    name="webhook-in-namespace",
    summary="a Namespace waits because the webhook on its content went first",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-unreachable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
