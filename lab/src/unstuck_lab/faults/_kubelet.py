"""A node's kubelet with unusual settings. No fault by itself."""

from contextlib import suppress

import yaml

from unstuck_lab import nodeconf
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _node
from unstuck_lab.node import Node

CONFIG = "/etc/kubernetes/kubelet.yaml"
# The grace period: during it no Pod is evicted and no image removed; the Node reports the pressure at once.
_GRACE = "1h"


def restart(node: Node, **settings: object) -> None:
    """Change these settings, and restart the kubelet; it may exit on its own."""
    node.check(
        ["sh", "-c", f"cat > {CONFIG}"],
        stdin=yaml.safe_dump(nodeconf.make_kubelet_config(node.paths.release.of_nodes) | settings),
    )
    node.stop_kubelet()
    with suppress(LabError):
        node.start_kubelet()


def make_pressure_fault(
    name: str, summary: str, *, node: str, condition: str, signal: str, most: str, accepts: str
) -> Fault:
    """Return the fault of a kubelet with an eviction threshold above its node's capacity.

    condition: of the Node. signal: of the kubelet's soft threshold. most: the shell command for the
    threshold.
    """

    def apply(lab: Lab) -> None:
        here = lab.get_node(node)
        amount = here.check(["sh", "-c", most]).strip()
        restart(here, evictionSoft={signal: amount}, evictionSoftGracePeriod={signal: _GRACE})

    def observe(lab: Lab, status: str = "True") -> str | None:
        return _checks.find_condition(lab.get(f"/api/v1/nodes/{node}"), condition, status)

    def heal(lab: Lab) -> None:
        if not lab.get_node(node).running:
            return
        restart(lab.get_node(node))
        _node.restore(lab, node)
        lab.wait(
            lambda: observe(lab, "False") and not _is_tainted(lab, node), 90, f"{condition} of {node} False"
        )

    return Fault(
        name=name,
        summary=summary,
        scope="node",
        node=node,
        subject=f"node/{node}",
        namespace=None,
        accepts=(accepts,),
        with_node="proven",
        without_node="proven",
        needs_node_access=True,
        apply=apply,
        observe=observe,
        heal=heal,
        settle=90,
        ripe=5,
    )


def _is_tainted(lab: Lab, node: str) -> bool:
    return bool((lab.get(f"/api/v1/nodes/{node}") or {}).get("spec", {}).get("taints"))
