"""A working webhook denies every DELETE of a ConfigMap in a Namespace that is being deleted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _checks, _guard, _objects, _steps

NS, GUARD = "f-webhook-denies", "f-webhook-denies-guard"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_config_map(NS, "settings", {"a": "b"}))
    _admission.install_webhook(lab, NS, "keep.example.com", "configmaps", _guard.install(lab, GUARD))
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(lab, NS, "NamespaceDeletionContentFailure", "denied the request")


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _steps.wait_gone(lab, NS)
    _steps.remove_namespace(lab, GUARD)


FAULT = Fault(
    name="webhook-denies",
    summary="a Namespace waits because a webhook denies the deletion of its contents",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-denies",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=180,
)
