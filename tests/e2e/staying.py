"""Two undeletable Pods of one node: by an immutable file, by a process in a volume."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node

checks = pytest.importorskip("unstuck_lab.faults._checks", reason="the lab is not installed")
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")


@contextmanager
def immutable_and_busy(lab: Lab, node: Node, ns: str, sleep: str, *well: str) -> Iterator[dict[str, Any]]:
    """Yield the running state of the Pods `immutable` and `busy`, now deleted and known to the kubelet as
    stuck.

    sleep: the seconds of the process that holds the volume, which identify it. well: names of healthy Pods.
    """
    mount = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}
    disk, memory = {}, {"medium": "Memory", "sizeLimit": "1Mi"}
    wanted = {**dict.fromkeys(well, disk), "immutable": disk, "busy": memory}
    made = {
        name: objects.make_pod(
            ns, name, container=mount, volumes=[{"name": "d", "emptyDir": volume}], nodeName=node.name
        )
        for name, volume in wanted.items()
    }
    file = ""
    try:
        lab.apply(objects.make_namespace(ns), *made.values())
        running = {name: steps.wait_running(lab, ns, name) for name in made}
        file = objects.locate_volume_dir(running["immutable"], "d") + "/x"
        node.check(["sh", "-ec", f"echo kept > {file}; chattr +i {file}"])
        node.spawn(
            ["env", "-C", objects.locate_volume_dir(running["busy"], "d"), "sleep", sleep], log="holder"
        )
        for name in ("immutable", "busy"):
            steps.delete_pod(lab, ns, name, grace=1)
        for name, words in (("immutable", "operation not permitted"), ("busy", "unmount failed")):
            lab.wait(
                lambda p=running[name], w=words: checks.find_kubelet_line(lab, p, w, p["metadata"]["uid"]),
                60,
                f"{words} of {name}",
            )
        yield running
    finally:
        if file:
            node.run(["chattr", "-i", file])
        node.kill(["sleep", sleep])
        # A restarted kubelet retries at once; the pauses of a long-running one have grown to two minutes.
        node.stop_kubelet()
        node.start_kubelet()
        steps.remove_namespace(lab, ns, timeout=150)
