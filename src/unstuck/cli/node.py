"""`node`: what this machine shows, and what follows from that alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.answers import Shape, printed, report_of
from unstuck.cli.files import write_saved
from unstuck.cli.progress import progress
from unstuck.cli.status import status_of
from unstuck.errors import InputError
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Ref, Refused
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text, same_in_both

if TYPE_CHECKING:
    from unstuck.collect.node import NodeCollector

AS_ROOT = Text("run it as root", "请以 root 运行")


@record()
class Node(Record):
    """The question as it was typed. pod: its uid. touch: mounts that may hang are touched. seconds: at most, None: as usual."""

    root: str
    pod: str | None
    shape: Shape
    save: str | None = None
    touch: bool = False
    seconds: float | None = None


def node(asked: Node) -> int:
    """Prints the facts file (json, yaml), or the answer from this node alone and the facts below it (text).

    Errors: InputError where `root` is no node or nothing of it can be read.
    """
    from unstuck.collect.node import NodeCollector  # noqa: PLC0415

    _check(Path(asked.root))
    reader = NodeCollector(Path(asked.root), deadline=asked.seconds)
    with progress("node"):
        snap = _seen_and_touched(reader, asked.pod) if asked.touch else reader.snapshot(asked.pod)
    if not any(not isinstance(f, Refused) for f in snap.facts):
        late = next((f.detail for f in snap.facts if isinstance(f, Refused) and f.why == "timeout"), "")
        nothing = Text(f"nothing of node {reader.node} could be read", f"节点 {reader.node} 的内容均无法读取")
        if late:
            raise InputError(
                nothing + Text(f": {late}", f"：{late}"),
                Text("give it more time: --node-timeout 30s", "请给它更多时间：--node-timeout 30s"),
            )
        raise InputError(nothing, AS_ROOT)
    if not reader.is_node:
        raise InputError(
            Text(f"no kubelet and no kubelet's directory below {asked.root}", f"{asked.root} 之下既没有 kubelet，也没有 kubelet 的目录"),
            Text("run it on the node, as root", "请在该节点上以 root 运行"),
        )
    subject = snap.canon(Ref("Pod", uid=asked.pod) if asked.pod else Ref("Node", None, reader.node))
    saved = Saved(snap, subject)
    if asked.save:
        write_saved(asked.save, saved)
    return _print(saved, subject, asked.shape)


def _check(root: Path) -> None:
    """Errors: InputError where a file is no recording of a node, or one of somebody who was not root."""
    if not root.is_file():
        return
    from unstuck.collect.script.recorded import RecordedRoot, opened  # noqa: PLC0415
    from unstuck.collect.script.stream import NoStreamError  # noqa: PLC0415

    try:
        found = opened(str(root))
    except (NoStreamError, OSError) as e:
        why = e.said if isinstance(e, NoStreamError) else same_in_both(e.strerror or str(e))
        raise InputError(Text(f"{root}: {why.en}", f"{root}：{why.zh}")) from e
    if isinstance(found, RecordedRoot) and found.recording.refused:
        why_not = found.recording.refused
        raise InputError(Text(f"{root}: the script did not look: {why_not}", f"{root}：脚本没有查看：{why_not}"), AS_ROOT)


def print_script() -> int:
    """Prints the collector for hosts without Python."""
    from unstuck.collect.script import script  # noqa: PLC0415

    terminal.emit(script())
    return 0


def _seen_and_touched(reader: NodeCollector, pod: str | None) -> Snapshot:
    """Both at once, so that they end within one deadline."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(1) as pool:
        touched = pool.submit(reader.touch, pod)
        return reader.snapshot(pod).plus(touched.result())


def _print(saved: Saved, subject: Ref, shape: Shape) -> int:
    if shape.output != "text":
        if shape.output == "yaml":
            from unstuck.render.yaml import dumped  # noqa: PLC0415
        else:
            from unstuck.render.json import dumped  # noqa: PLC0415
        terminal.emit(dumped(save(saved, __version__)))
        return 0
    from unstuck.engine import diagnose, listed  # noqa: PLC0415
    from unstuck.render.facts import facts_text  # noqa: PLC0415

    snap: Snapshot = saved.snapshot
    report = report_of(snap, [diagnose(subject, snap, listed())])
    terminal.emit(printed(report, shape) + "\n" + facts_text(snap.facts, shape.lang, terminal.colour()))
    return status_of(report)
