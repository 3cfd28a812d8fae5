"""A Namespace is deleted together with the backend of its own DELETE webhook, so its remaining objects cannot
be deleted.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _checks, _objects, _steps

NS = "f-webhook-in-namespace"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_config_map(NS, "settings", {"a": "b"}))
    _admission.install_dead_webhook(lab, NS, resource="configmaps")
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(
        lab, NS, "NamespaceDeletionContentFailure", "failed calling webhook"
    )


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _steps.wait_gone(lab, NS)


FAULT = Fault(
    name="webhook-in-namespace",
    summary="a Namespace waits because the webhook for its contents was deleted first",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-unreachable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
