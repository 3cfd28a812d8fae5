"""Shared by the faults of a Pod's cgroups. No fault by itself."""

import errno
import os
from pathlib import Path

from unstuck_lab import cgroups
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.faults import _checks
from unstuck_lab.node import Node


def find_node_group(node: Node, controller: str) -> Path:
    """Return the node's group in a controller's v1 hierarchy, as the host sees it.

    Raises `LabError` if there is none: in v2 a frozen process can be killed.
    """
    for hierarchy in cgroups.list_hierarchies():
        if hierarchy.fstype == "cgroup" and controller in hierarchy.options.split(","):
            return hierarchy.mountpoint / cgroups.PARENT / node.box.group
    raise LabError(
        f"has no {controller} hierarchy of cgroup version 1", "this host", "this fault cannot be applied here"
    )


def find_pod_group(node: Node, uid: str, controller: str = "freezer") -> Path | None:
    """Return the Pod's group there; None while it has none."""
    # Groups of other Pods may disappear during the walk.
    found = (
        Path(where) / name
        for where, names, _ in os.walk(find_node_group(node, controller) / "kubepods")
        for name in names
    )
    return next((group for group in found if group.name == f"pod{uid}"), None)


def set_state(directory: Path, state: str) -> None:
    """Freeze (`FROZEN`) or thaw (`THAWED`) a group."""
    (directory / "freezer.state").write_text(state)


def thaw(lab: Lab, ns: str) -> None:
    """Thaw the groups of a Namespace's Pods, and those below them, on every node."""
    pods = lab.request("GET", f"/api/v1/namespaces/{ns}/pods")["items"]
    for node in lab.nodes:
        groups = [
            found for pod in pods if node.running and (found := find_pod_group(node, pod["metadata"]["uid"]))
        ]
        for directory in (Path(where) for group in groups for where, _, _ in os.walk(group)):
            try:
                set_state(directory, "THAWED")
            except OSError as error:
                # A group that has disappeared meanwhile freezes no process; writing to a group under removal
                # fails with ENODEV.
                if error.errno not in (errno.ENOENT, errno.ENODEV):
                    raise


def find_removal_failure(lab: Lab, ns: str, name: str) -> str | None:
    """Return the kubelet's line about groups that it could not remove, of a finished Pod that is being
    deleted.
    """
    pod = lab.get_pod(ns, name)
    ended = pod is not None and pod["status"].get("phase") in ("Failed", "Succeeded")
    return _checks.find_deletion_line(lab, ns, name, "Failed to delete cgroup paths") if ended else None


def make_child(directory: Path, pid: int) -> Path:
    """Create a group `left` below the Pod's, and move a process into it. pid: on the host."""
    left = directory / "left"
    left.mkdir(exist_ok=True)
    (left / "cgroup.procs").write_text(str(pid))
    return left
