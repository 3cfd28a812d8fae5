"""Pods with an image from one of the lab's own registries: one process on the Pod's node, which ends with its
fault.

containerd uses plain HTTP for a registry on loopback and TLS for any other.
"""

import base64
import json
import sys
from collections.abc import Callable

from unstuck_lab import registry
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Answer, Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.node import Node

LOOPBACK = "127.0.0.1"


def make_fault(  # noqa: PLR0913 - the whole fault in one call
    name: str,
    summary: str,
    *,
    has: str,
    port: int,
    says: str,
    accepts: str,
    tag: str = registry.TAGS[0],
    loopback: bool = True,
    secret: Callable[[str], dict[str, object]] | None = None,
    answer: Answer = "proven",
) -> Fault:
    """Return the fault of a Pod that cannot pull from a broken registry.

    has: one of `registry.FAULTS`. port: its own. says: the expected text in the kubelet's event. secret:
    returns the content of the Pod's pull Secret for the registry's name. loopback: whether the runtime should
    use plain HTTP.
    """
    ns, pod_name = f"f-{name}", "wants-image"

    def build_command(node: Node) -> list[str]:
        return [
            sys.executable,
            "-m",
            "unstuck_lab.registry",
            has,
            LOOPBACK if loopback else node.address,
            str(port),
        ]

    def apply(lab: Lab) -> None:
        node = _find_ready_node(lab)
        if node.find(build_command(node)) is None:
            node.spawn(build_command(node), f"registry-{name}")
        host = f"{LOOPBACK if loopback else node.address}:{port}"
        lab.wait(lambda: _is_listening(node, port), 30, f"registry of fault {name}")
        # `IfNotPresent` with a tag unique to this fault and host: otherwise an image pulled by another fault
        # would already be present.
        spec: _objects.Object = {"nodeSelector": {"kubernetes.io/hostname": node.name}}
        objects = [_objects.make_namespace(ns)]
        if secret is not None:
            objects.append(make_pull_secret(ns, "regcred", secret(host)))
            spec["imagePullSecrets"] = [{"name": "regcred"}]
        image = f"{host}/{registry.REPOSITORY}:{tag}"
        lab.apply(*objects, _objects.make_pod(ns, pod_name, container={"image": image}, **spec))

    def observe(lab: Lab) -> str | None:
        reason, _ = _checks.find_waiting_reason(lab, ns, pod_name) or ("", "")
        return (
            _checks.find_event(lab, ns, pod_name, "Failed", says)
            if reason in ("ErrImagePull", "ImagePullBackOff")
            else None
        )

    def heal(lab: Lab) -> None:
        for node in lab.nodes:
            if node.running:
                node.kill(build_command(node))
        _steps.remove_namespace(lab, ns)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod_name}",
        namespace=ns,
        accepts=(accepts,),
        with_node=answer,
        without_node="likely",
        needs_node_access=True,
        apply=apply,
        observe=observe,
        heal=heal,
        settle=90,
    )


def make_pull_secret(ns: str, name: str, auths: dict[str, object]) -> _objects.Object:
    """Return a Secret of the type for registries."""
    held = base64.b64encode(json.dumps({"auths": auths}).encode()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": ns},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": held},
    }


def make_entry(password: str) -> dict[str, str]:
    """Return one server's entry for the registry's only user."""
    return {"auth": base64.b64encode(f"{registry.USER}:{password}".encode()).decode()}


def _find_ready_node(lab: Lab) -> Node:
    """Return the first node that runs and is Ready. Raises `LabError` if none does."""
    for node in lab.nodes:
        if node.running and lab.is_node_ready(node.name):
            return node
    raise LabError("no node is Ready", "the registry's node", "heal the nodes first: `heal --all`")


def _is_listening(node: Node, port: int) -> bool:
    """Tell whether the registry listens, by the node's own table of sockets; a connection would be another
    request.
    """
    table = node.check(["cat", "/proc/net/tcp"])
    return any(
        line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
        for line in table.splitlines()[1:]
    )
