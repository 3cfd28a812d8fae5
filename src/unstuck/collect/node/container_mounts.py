"""Reads the mounts of a Pod's running containers from the view of their own processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_mounts import ContainerMount, ContainerMounts
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_MOST = 300
# The mounts of every container.
_USUAL = regex(
    r"^/(?:|proc(?:/.*)?|sys(?:/.*)?|dev|dev/(?:pts|mqueue|shm|termination-log)"
    r"|etc/(?:hosts|hostname|resolv\.conf))$"
)


def container_mounts(view: NodeView, pod: Ref) -> ContainerMounts | None:
    """Return the mounts, by the first process of each container; None where none runs here."""
    first: dict[str, int] = {}
    for process in view.pod_processes(pod.uid or ""):
        if process.groups.container and process.stat.state != "Z":
            first.setdefault(process.groups.container, process.pid)
    seen = {container: view.mounts.of_process(pid) for container, pid in sorted(first.items())}
    items = tuple(m for container, mounts in seen.items() for m in _list_mounts(container, mounts or ()))
    if not items:
        return None
    return ContainerMounts(
        about=pod,
        src=Source(f"{view.name} /proc/{min(first.values())}/mountinfo", f"{len(items)} mounts"),
        whole=all(mounts is not None for mounts in seen.values()) and len(items) <= _MOST,
        items=items[:_MOST],
    )


def _list_mounts(container: str, mounts: Sequence[MountEntry]) -> Iterator[ContainerMount]:
    for entry in {e.mountpoint: e for e in mounts}.values():
        if not _USUAL.match(entry.mountpoint):
            yield ContainerMount(
                container=container,
                path=entry.mountpoint,
                fstype=entry.fstype,
                dev=entry.dev,
                root=entry.root,
            )
