"""Reads this machine, or a recording of another one, as a Snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Refused
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text, same_in_both

if TYPE_CHECKING:
    from unstuck.collect.node import NodeCollector

AS_ROOT = Text("run it as root", "请以 root 运行")


def look_at_node(root: str, pod: str | None = None, *, touch: bool = False, seconds: float | None = None) -> Saved:
    """Read one node passively.

    root: where its root is mounted, a recorded tree, or what the shell collector has printed. pod: the uid of a Pod to look at closely.
    touch: mounts that may hang are touched. seconds: at most for the look; None: 4.5 s.
    Errors: InputError where `root` is no node or nothing of it can be read.
    """
    from unstuck.collect.node import NodeCollector

    _check(Path(root))
    reader = NodeCollector(Path(root), deadline=seconds)
    snap = _seen_and_touched(reader, pod) if touch else reader.snapshot(pod)
    if not any(not isinstance(f, Refused) for f in snap.facts):
        late = next((f.detail for f in snap.facts if isinstance(f, Refused) and f.why == "timeout"), "")
        nothing = Text(f"nothing of node {reader.node} could be read", f"节点 {reader.node} 的内容均无法读取")
        if late:
            raise InputError(
                nothing + Text(f": {late}", f"：{late}"),
                Text("give it more time: --node-timeout 30s", "请给它更多时间：--node-timeout 30s"),
            )
        raise InputError(nothing, AS_ROOT)
    if reader.is_node is False:
        raise InputError(
            Text(f"no kubelet and no kubelet's directory below {root}", f"{root} 之下既没有 kubelet，也没有 kubelet 的目录"),
            Text("run it on the node, as root", "请在该节点上以 root 运行"),
        )
    return Saved(snap, snap.canon(Ref("Pod", uid=pod) if pod else Ref("Node", None, reader.node)))


def _check(root: Path) -> None:
    """Check a recording. Errors: InputError where a file is none of a node, or one of somebody who was not root."""
    if not root.is_file():
        return
    from unstuck.collect.script.recorded import RecordedRoot, opened
    from unstuck.collect.script.stream import NoStreamError

    try:
        found = opened(str(root))
    except (NoStreamError, OSError) as e:
        why = e.said if isinstance(e, NoStreamError) else same_in_both(e.strerror or str(e))
        raise InputError(Text(f"{root}: {why.en}", f"{root}：{why.zh}")) from e
    if isinstance(found, RecordedRoot) and found.recording.refused:
        why_not = found.recording.refused
        raise InputError(Text(f"{root}: the script did not look: {why_not}", f"{root}：脚本没有查看：{why_not}"), AS_ROOT)


def _seen_and_touched(reader: NodeCollector, pod: str | None) -> Snapshot:
    """Return both at once, so that they end within one deadline."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        touched = pool.submit(reader.touch, pod)
        return reader.snapshot(pod).plus(touched.result())
