"""On which file system the kubelet, the runtime and the logs live, as far as a list of mount points tells that was pasted."""

from __future__ import annotations

import re
from collections.abc import Collection

from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.facts.paths import deepest_above

_PLACES = (
    ("/", "root"),
    ("/var/lib/kubelet", "kubelet"),
    ("/var/lib/containerd", "runtime"),
    ("/var/lib/docker", "runtime"),
    ("/var/lib/containers", "runtime"),
    # Where containerd, CRI-O and k3s keep what runs: with it full no shim starts.
    ("/run", "runtime"),
    ("/var/log", "logs"),
)


def held_by(point: str, points: Collection[str], named: Collection[str] | None) -> tuple[str, ...]:
    """Return what lies on the file system of this mount point, of `kubelet`, `runtime`, `logs`, `root`; of some directories that cannot be
    told.

    points: the mount points shown. named: directories whose file system is among them whatever it is, None where all file systems are.
    """
    on = {role for place, role in _PLACES if (deepest_above(place, points) if named is None or place in named else place) == point}
    return tuple(sorted(on))


def named_to(program: str, command: TypedCommand | None, rows: int) -> frozenset[str]:
    """Return the directories of which a program was asked, as `df /a /b` or `for d in /a /b; do df $d; done`.

    Of several calls those of each; nothing where something may have taken rows away, or where this is not all: each directory has a row.
    """
    if command is None or command.cut:
        return frozenset()
    calls, looped = list[frozenset[str]](), frozenset[str]()
    for part in re.split(r";|&&", command.text):
        words = part.split()
        directories = frozenset(w for w in words if w.startswith("/"))
        if words[:1] in (["for"], ["done"]):
            looped = directories
        elif program in words:
            calls.append(directories | looped)
    named = frozenset.intersection(*calls) if calls else frozenset()
    return named if rows > 1 or len(named) == 1 else frozenset()
