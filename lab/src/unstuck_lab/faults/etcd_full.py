"""etcd accepts no more writes (the alarm NOSPACE): a Pod being deleted stays, because its removal cannot be
written.
"""

import time

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _etcd, _node, _objects, _steps

NS, POD = "f-etcd-full", "slow"
LEASES = "/apis/coordination.k8s.io/v1/leases"
# By then every Lease is overdue for renewal.
QUIET = 70


def apply(lab: Lab) -> None:
    # The Pod ignores SIGTERM, so it ends after the alarm.
    _steps.run(
        lab,
        _objects.make_pod(
            NS, POD, container={"command": ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]}
        ),
    )
    _steps.delete_pod(lab, NS, POD, grace=8)
    _etcd.raise_alarm(lab)


def observe(lab: Lab) -> str | None:
    ages = [
        _checks.measure_age(item["spec"]["renewTime"])
        for item in lab.request("GET", LEASES)["items"]
        if item["spec"].get("renewTime")
    ]
    if not ages or min(ages) < QUIET:
        return None
    words = _write(lab)
    return f"{words}; the youngest Lease is {min(ages):.0f} s old" if words else None


def _write(lab: Lab) -> str:
    """Return the server's error for a write; "" if it succeeds."""
    note = {"metadata": {"annotations": {"lab": str(time.time())}}}
    try:
        lab.request("PATCH", f"/api/v1/namespaces/{NS}", note, content_type="application/merge-patch+json")
    except ApiError as error:
        return str(error) if "database space exceeded" in str(error) else ""
    return ""


def heal(lab: Lab) -> None:
    _etcd.disarm(lab)
    for node in lab.nodes:
        _node.wait_ready(lab, node.name)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="etcd-full",
    summary="nothing can be written: etcd is out of space",
    scope="cluster",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("apiserver.storage-full",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=150,
)
