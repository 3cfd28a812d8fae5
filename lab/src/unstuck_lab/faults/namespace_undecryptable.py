"""A Namespace is deleted in which one Secret cannot be read: the list of its Secrets fails, so it cannot
be emptied.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _etcd, _kit

NS = "f-namespace-undecryptable"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS))
    _etcd.put(lab, f"secrets/{NS}/db", _etcd.ENCRYPTED)
    _kit.delete_namespace(lab, NS)


def held(lab: Lab) -> str | None:
    return _kit.namespace_condition(lab, NS, "NamespaceDeletionContentFailure")


def heal(lab: Lab) -> None:
    _etcd.remove(lab, f"secrets/{NS}/db")
    _kit.wait_gone(lab, NS)


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
    held=held,
    heal=heal,
    settle=120,
    beside="secrets and scheduler",
)
