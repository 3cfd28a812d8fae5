"""Helpers for the faults of a silent network file system."""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.faults import _checks, _objects
from unstuck_lab.node import Node

# A pending look-up cannot be killed; a read can. Each name is new, so the cache never answers.
LOOK_UP = "n=0; while :; do n=$((n+1)); ls /h/x$n >/dev/null 2>&1; sleep 0.2; done"

CONNECTIONS = "/sys/fs/fuse/connections"


def make_pod(ns: str, name: str, node: Node, mount: str) -> _objects.Object:
    """Return a Pod on that node that repeatedly looks up names on the mount."""
    volume = {"name": "h", "hostPath": {"path": mount, "type": "Directory"}}
    return _objects.make_pod_with_volume(
        ns, name, volume, container={"command": ["sh", "-c", LOOK_UP]}, nodeName=node.name
    )


def mount_connections(node: Node) -> None:
    """Mount fusectl as any booted Linux does: it shows the pending requests."""
    # If it is already mounted, mount(8) fails, which is fine.
    node.run(["mount", "-t", "fusectl", "fusectl", CONNECTIONS])
    node.check(["mountpoint", "-q", CONNECTIONS])


def find_blocked_process(lab: Lab, ns: str, name: str, node: Node) -> str | None:
    """Return a process of the deleted Pod that is blocked in the kernel, from the node's process table."""
    pod = _checks.find_deleting_pod(lab, ns, name)
    if pod is None:
        return None
    uid = pod["metadata"]["uid"]
    script = f"""
for p in /proc/[0-9]*; do
  grep -q '{uid}' "$p/cgroup" 2>/dev/null || continue
  read -r line < "$p/stat" || continue
  set -- ${{line##*) }}
  [ "$1" = D ] && echo "${{p#/proc/}} $(tr '\\0' ' ' < "$p/cmdline") D $(cat "$p/wchan")"
done"""
    seen = node.run(["bash", "-c", script]).stdout.strip()
    # The kubelet has tried to kill it, so it is in D despite SIGKILL.
    asked = _checks.find_kubelet_line(lab, pod, "Killing container with a grace period", uid)
    return seen.splitlines()[0] if seen and asked else None


def unmount(node: Node, mount: str) -> None:
    """Unmount it everywhere on the node, without contacting its server."""
    script = f"while umount -l {mount} 2>/dev/null; do :; done; rmdir {mount} 2>/dev/null; true"
    if node.running:
        node.check(["sh", "-c", script])


def find_last_node(lab: Lab) -> Node:
    """Return the last running node, so that a hang leaves the first one alone. Raises `LabError`."""
    running = [node for node in lab.nodes if node.running]
    if not running:
        raise LabError("no node runs", "lab", "`unstuck-lab up` starts them")
    return running[-1]
