"""A webhook answers, and denies every DELETE of ConfigMaps in a Namespace that is being deleted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _guard, _kit

NS, GUARD = "f-webhook-denies", "f-webhook-denies-guard"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.config_map(NS, "settings", {"a": "b"}))
    _admission.webhook(lab, NS, "keep.example.com", "configmaps", _guard.install(lab, GUARD))
    _kit.delete_namespace(lab, NS)


def held(lab: Lab) -> str | None:
    return _kit.namespace_condition(lab, NS, "NamespaceDeletionContentFailure", "denied the request")


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _kit.wait_gone(lab, NS)
    _kit.remove_namespace(lab, GUARD)


FAULT = Fault(
    name="webhook-denies",
    summary="a Namespace waits because a webhook denies the deletion of what is in it",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-denies",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
    settle=180,
)
