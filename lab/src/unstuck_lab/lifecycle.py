"""Brings a lab up, takes it down, and reports its state.

Both may be killed at any point and run again: `up` starts missing parts, `down` removes existing ones. Parts
are found by inspection (boxes by their PID 1, groups by name, daemons by arguments), not from a record.
"""

import fcntl
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from unstuck_lab import build, cgroups, control, images, nodesetup, packages, sysctls
from unstuck_lab.box import Box, remove_tree
from unstuck_lab.build import Programs
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.paths import NODE_NAMES, Paths, format_pod_range

Say = Callable[[str], None]


@contextmanager
def changing(paths: Paths) -> Iterator[None]:
    """Let only one process change a lab at a time. Raises `LabError` during a change by another process."""
    if platform.system() != "Linux" or os.geteuid() != 0:
        raise LabError("needs root on Linux", "unstuck-lab", "it makes namespaces, mounts and control groups")
    paths.lock.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with paths.lock.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LabError(
                    "another unstuck-lab is changing it", str(paths.state), "wait for it"
                ) from error
            # `down` removes the file: a removed file locks nothing.
            if paths.lock.exists() and paths.lock.stat().st_ino == os.fstat(lock.fileno()).st_ino:
                yield
                return


def set_up(paths: Paths, say: Say) -> Programs:
    """Install the packages, and build the programs and images, if any are missing; return the programs."""
    packages.ensure(say)
    programs = build.ensure(paths, say)
    images.ensure(paths, programs, say)
    return programs


def bring_up(lab: Lab, count: int, say: Say) -> bool:
    """Bring up the control plane and at least `count` nodes, and wait until they are Ready.

    Returns False if no part was missing. Raises `LabError`.
    """
    paths = lab.paths
    with changing(paths):
        programs = set_up(paths, say)
        if _locate_removal_mark(paths).exists() or _locate_half_removed(paths).exists():
            say("an earlier `down` was not finished: finishing it")
            _remove(paths, say)
        paths.state.mkdir(parents=True, exist_ok=True, mode=0o755)
        sysctls.prepare()
        started = control.ensure(paths, programs)
        if started:
            say("control plane started")
        lab.wait_ready()
        if started:
            say("API server ready")
        kept = {node.name for node in lab.nodes}
        wanted = [name for name in NODE_NAMES if name in kept or name in NODE_NAMES[:count]]
        for name in wanted:
            started = _ensure_node(lab, name, say) or started
        for name in wanted:
            lab.wait(partial(lab.is_node_ready, name), 90, f"node {name} Ready")
            if started:
                say(f"node {name} Ready")
        # Pods are rejected until the controller manager has created it.
        lab.wait(
            lambda: lab.get("/api/v1/namespaces/default/serviceaccounts/default"),
            30,
            "default ServiceAccount",
        )
        return started


def _ensure_node(lab: Lab, name: str, say: Say) -> bool:
    if lab.get(f"/api/v1/nodes/{name}") is None:
        # The Node is created before its kubelet runs, because the lab assigns the Pod addresses.
        body = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "spec": {"podCIDR": format_pod_range(name), "podCIDRs": [format_pod_range(name)]},
        }
        lab.request("POST", "/api/v1/nodes", body)
    lab.paths.locate_box(name).mkdir(parents=True, exist_ok=True)
    started = lab.get_node(name).ensure()
    if started:
        say(f"node {name} started")
    return started


def take_down(paths: Paths, say: Say) -> bool:
    """Remove everything but the cache. Returns False if there was nothing. Raises `LabError`."""
    with changing(paths):
        there = paths.state.exists() or any(Box(name, paths).init for name in (*NODE_NAMES, control.BOX))
        _remove(paths, say)
        paths.lock.unlink(missing_ok=True)
        return there


def _locate_removal_mark(paths: Paths) -> Path:
    """Return the file that exists during `down`: the rest of the lab must not be restarted."""
    return paths.state / "going-down"


def _locate_half_removed(paths: Paths) -> Path:
    return paths.state.with_name(paths.state.name + ".removing")


def _remove(paths: Paths, say: Say) -> None:
    if paths.state.exists():
        _locate_removal_mark(paths).touch()
    for name in (*NODE_NAMES, control.BOX):
        box = Box(name, paths)
        if box.init is not None or paths.locate_box(name).exists() or cgroups.has_groups(box.group):
            box.remove()
            say(f"{name} removed")
    sysctls.restore()
    nodesetup.remove_mount_points(paths)
    # Renamed first, so that a half-removed directory is not taken for a lab.
    remove_tree(_locate_half_removed(paths))
    if paths.state.exists():
        paths.state.rename(_locate_half_removed(paths))
        remove_tree(_locate_half_removed(paths))


def describe_status(lab: Lab) -> Iterator[str]:
    """Yield the lines of `status`: the running and the missing parts."""
    if lab.existing:
        yield from _describe_existing(lab)
        return
    paths = lab.paths
    programs = build.locate_programs(paths)
    if not paths.state.exists():
        yield f"no lab in {paths.state}"
        return
    box = Box(control.BOX, paths)
    running = box.init is not None
    yield f"control plane: {'running' if running else 'not running'}"
    for daemon in control.list_daemons(paths, programs) if running else []:
        yield f"  {daemon.name}: {'running' if box.find(daemon.argv) else 'NOT RUNNING'}"
    ready = running and lab.is_ready()
    yield f"API server {lab.server}: {'ready' if ready else 'NOT READY'}"
    for node in lab.nodes:
        if not node.running:
            yield f"node {node.name}: ended"
            continue
        state = "Ready" if ready and lab.is_node_ready(node.name) else "NotReady"
        parts = (("kubelet", node.kubelet_pid), ("containerd", node.containerd_pid))
        shown = ", ".join(f"{what} {pid or 'NOT RUNNING'}" for what, pid in parts)
        yield f"node {node.name}: {state}, address {node.address}, first process {node.pid}, {shown}"
    applied = sorted(p.name for p in paths.faults.iterdir()) if paths.faults.is_dir() else []
    yield "faults applied: " + (", ".join(applied) or "none")


def _describe_existing(lab: Lab) -> Iterator[str]:
    yield f"existing cluster of {lab.kubeconfig}: nothing is run here, no node can be entered"
    ready = lab.is_ready()
    yield f"API server {lab.server}: {'ready' if ready else 'NOT READY'}"
    if not ready:
        return
    for found in lab.request("GET", "/api/v1/nodes")["items"]:
        name = found["metadata"]["name"]
        yield f"node {name}: {'Ready' if lab.is_node_ready(name) else 'NotReady'}"
    record = lab.applied
    applied = sorted(p.name for p in record.iterdir()) if record.is_dir() else []
    yield "faults applied: " + (", ".join(applied) or "none")


def make_stopwatch(write: Say) -> Say:
    """Return a `Say` that prefixes each line with the seconds since now."""
    begin = time.monotonic()
    return lambda line: write(f"{time.monotonic() - begin:6.1f} s  {line}")
