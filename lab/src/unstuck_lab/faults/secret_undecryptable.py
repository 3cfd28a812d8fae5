"""A Secret was encrypted with a key that the API server does not have: it cannot be read, and a Pod that
needs it does not start.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _etcd, _objects, _steps

NS = "f-secret-undecryptable"
SECRET = f"/api/v1/namespaces/{NS}/secrets/db"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    _etcd.put(lab, f"secrets/{NS}/db", _etcd.ENCRYPTED)
    password = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}
    lab.apply(_objects.make_pod(NS, "web", container={"env": [password]}))


def observe(lab: Lab) -> str | None:
    waiting = _checks.find_waiting_reason(lab, NS, "web")
    words = _etcd.find_read_error(lab, SECRET)
    return (
        f"{words}; pod waits: {waiting[0]}: {waiting[1]}"
        if words and waiting and waiting[0] != "ContainerCreating"
        else None
    )


def heal(lab: Lab) -> None:
    _etcd.remove(lab, f"secrets/{NS}/db")
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="secret-undecryptable",
    summary="a Secret cannot be read: it is encrypted with a key that is gone",
    scope="cluster",  # every list of Secrets fails, and every watch of them
    subject="secret/db",
    namespace=NS,
    accepts=("apiserver.object-undecodable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    also=("pod/web",),
    settle=120,
    beside="placing",
    ripe=POD_RIPE,
)
