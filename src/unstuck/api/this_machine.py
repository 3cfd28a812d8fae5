"""Reads this machine, or a recording of another one, as a Snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Refused
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.collect.node import NodeCollector

say = Messages(__name__)

AS_ROOT = say("run it as root")


def look_at_node(
    root: str, pod: str | None = None, *, touch: bool = False, seconds: float | None = None
) -> Saved:
    """Read one node passively.

    root: the mount point of its root, a recorded tree, or the output of the shell collector. pod: the uid of
    a Pod to look at closely. touch: whether mounts that may hang are touched. seconds: the time limit of the
    look; None: 4.5 s. Errors: InputError if `root` is no node or is unreadable.
    """
    from unstuck.collect.node import NodeCollector

    _check(Path(root))
    reader = NodeCollector(Path(root), deadline=seconds)
    snap = _look_and_touch(reader, pod) if touch else reader.snapshot(pod)
    if not any(not isinstance(f, Refused) for f in snap.facts):
        late = next((f.detail for f in snap.every(Refused) if f.why == "timeout"), "")
        nothing = say("nothing of node {node} could be read", node=reader.node)
        if late:
            raise InputError(
                nothing + say(": {late}", late=late),
                say("give it more time: --node-timeout 30s"),
            )
        raise InputError(nothing, AS_ROOT)
    if reader.is_node is False:
        raise InputError(
            say("no kubelet and no kubelet's directory below {root}", root=root),
            say("run it on the node, as root"),
        )
    return Saved(snap, snap.canon(Ref("Pod", uid=pod) if pod else Ref("Node", None, reader.node)))


def _check(root: Path) -> None:
    """Check a recording. Errors: InputError if a file is not from a node, or was not recorded by root."""
    if not root.is_file():
        return
    from unstuck.collect.script.recorded import RecordedRoot, open_root
    from unstuck.collect.script.stream import NoStreamError

    try:
        found = open_root(str(root))
    except (NoStreamError, OSError) as e:
        why = e.said if isinstance(e, NoStreamError) else same_in_both(e.strerror or str(e))
        raise InputError(say("{root}: {why}", root=root, why=why)) from e
    if isinstance(found, RecordedRoot) and found.recording.refused:
        why_not = found.recording.refused
        raise InputError(
            say("{root}: the script did not look: {why_not}", root=root, why_not=why_not), AS_ROOT
        )


def _look_and_touch(reader: NodeCollector, pod: str | None) -> Snapshot:
    """Look and touch in parallel, within one deadline."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        touched = pool.submit(reader.touch, pod)
        return reader.snapshot(pod).plus(touched.result())
