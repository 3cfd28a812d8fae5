"""Touches mount points that may hang: only on a person's request, and never again while an earlier touch
still hangs.

Measured: statvfs on a FUSE mount whose daemon is silent sleeps until killed and in D from then on. So each
target has a process of its own whose command line names it (`look.py touch PATH`); before a new process is
started, /proc is searched for such a process, and the new process repeats the search. Nothing is kept on
disk.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unstuck.collect.node import look
from unstuck.collect.node.look_starter import python_arguments
from unstuck.collect.node.mounts import is_remote
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.touched import Touched
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.paths import is_at_or_below

SECONDS = 1.0
_MAX_TARGETS = 16


def touch_mounts(view: NodeView, pod: Ref | None, seconds: float = SECONDS) -> Iterator[Fact]:
    """Yield one Touched for each network or FUSE file system of the Pod, or of the node; a Refused if no
    process may be started.

    All are touched at once; seconds: how long the slowest is waited for.
    """
    targets = {e.mountpoint: e for e in _choose_targets(view, pod)}
    if not view.root.live or not targets:
        return
    paths = {view.prefix + point: point for point in targets}
    earlier = find_hung_touches(view)
    begun = [p for p in paths if p not in earlier]
    try:
        answers = _touch(begun, seconds)
    except OSError as e:
        detail = f"no process could be started for it: {e.strerror}"
        yield Refused(
            about=view.ref, src=Source(f"node:{view.name}"), want="Touched", why="denied", detail=detail
        )
        return
    for path, point in paths.items():
        entry = targets[point]
        answer = {"pid": earlier[path][0], "seconds": earlier[path][1]} if path in earlier else answers[path]
        yield _fact(view, entry, answer)
    left = len(list(_choose_targets(view, pod, 1 << 20))) - len(targets)
    if left > 0:
        detail = f"{left} more network or FUSE file systems were not touched"
        yield Refused(
            about=view.ref, src=Source(f"node:{view.name}"), want="Touched", why="not-asked", detail=detail
        )


def _fact(view: NodeView, entry: MountEntry, answer: Mapping[str, Any]) -> Touched:
    pid = answer.get("busy") or answer.get("pid")
    seconds = float(answer.get("seconds", 0.0))
    error = errno.errorcode.get(answer.get("error", 0), "") if pid is None else ""
    quote = (
        f"process {pid} has waited for {seconds:.1f} s"
        if pid
        else f"{error or 'answered'} after {seconds:.3f} s"
    )
    return Touched(
        about=Ref("Mount", view.name, entry.mountpoint),
        src=Source(f"{view.name} statvfs {entry.mountpoint}", quote),
        returned=pid is None,
        seconds=round(seconds, 3),
        error=error,
        pid=pid,
        dev=entry.dev,
    )


def _choose_targets(view: NodeView, pod: Ref | None, limit: int = _MAX_TARGETS) -> list[MountEntry]:
    """Return one mount point of each device in the kubelet's mount namespace; with a Pod only of devices
    that it uses.
    """
    devices = _list_devices_of(view, pod) if pod else None
    seen: dict[str, MountEntry] = {}
    for entry in view.home[1]:
        if is_remote(entry.fstype) and (devices is None or entry.dev in devices):
            seen.setdefault(entry.dev, entry)
    return list(seen.values())[:limit]


def _list_devices_of(view: NodeView, pod: Ref) -> set[str]:
    uid = pod.uid or ""
    directory = view.pod_directory(uid)
    devices = {e.dev for e in view.home[1] if is_at_or_below(e.mountpoint, directory)}
    for process in view.pod_processes(uid):
        name = view.table.namespace(process.pid, "mnt")[0]
        devices |= {e.dev for e in view.mounts.by_namespace.get(name, ())}
    return devices


def find_hung_touches(view: NodeView) -> dict[str, tuple[int, float]]:
    """Return the paths that an earlier process still waits for, with its pid and for how many seconds."""
    out: dict[str, tuple[int, float]] = {}
    uptime = float((view.root.text("/proc/uptime", 64) or "0").split()[0])
    for process in view.table.user:
        if process.stat.comm != look.NAME or process.stat.state == "Z":
            continue
        # statvfs holds no lock of its own memory: this command line can be read even in D.
        words = (view.root.text(f"/proc/{process.pid}/cmdline", 1 << 16) or "").rstrip("\0").split("\0")
        if words[-2:-1] == ["touch"]:
            out.setdefault(words[-1], (process.pid, uptime - process.stat.ticks / os.sysconf("SC_CLK_TCK")))
    return out


def _touch(paths: Sequence[str], seconds: float) -> dict[str, dict[str, Any]]:
    """Return each process' answer if it came in time, else the pid of the process, which is then left
    alone.
    """
    children: dict[str, subprocess.Popen[bytes]] = {}
    out: dict[str, dict[str, Any]] = {}
    begun = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for path in paths:
            child = _start(path)
            assert child.stdout is not None  # noqa: S101 - PIPE
            children[path] = child
            selector.register(child.stdout, selectors.EVENT_READ, path)
        while len(out) < len(paths) and (
            ready := selector.select(max(0.0, begun + seconds - time.monotonic()))
        ):
            for key, _ in ready:
                selector.unregister(key.fileobj)
                with contextlib.suppress(ValueError):
                    out[key.data] = json.loads(os.read(key.fd, 1 << 16) or b"{}")
                out.setdefault(key.data, {})
    for path, child in children.items():
        out.setdefault(path, {"pid": child.pid, "seconds": time.monotonic() - begun})
        _reap(child, "pid" in out[path])
    return out


def _start(path: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-I", "-S", *python_arguments(), "touch", path]
    # In its own session: the signal that ends the terminal's processes does not wait for it.
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


def _reap(child: subprocess.Popen[bytes], waits: bool) -> None:
    """Reap a child that answered; a waiting child ends once the file system answers."""
    if child.stdout is not None:
        child.stdout.close()
    if not waits:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.5)
    # Popen would say at its end that the child still runs; that is known, and it is named by its command
    # line.
    child.returncode = child.returncode if child.returncode is not None else 0
