"""A Namespace is deleted in which one Secret cannot be read: the list of its Secrets fails, so it cannot
be emptied.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _etcd, _objects, _steps

NS = "f-namespace-undecryptable"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    _etcd.put(lab, f"secrets/{NS}/db", _etcd.ENCRYPTED)
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(lab, NS, "NamespaceDeletionContentFailure")


def heal(lab: Lab) -> None:
    _etcd.remove(lab, f"secrets/{NS}/db")
    _steps.wait_gone(lab, NS)


FAULT = Fault(
    name="namespace-undecryptable",
    summary="a Namespace waits because a Secret in it cannot be read",
    scope="cluster",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("apiserver.object-undecodable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
    beside="secrets and scheduler",
)
