"""`node`: what this machine shows, and what follows from that alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.answers import Shape, emit, printed, report_of
from unstuck.cli.files import write_saved
from unstuck.cli.progress import progress
from unstuck.cli.status import status_of
from unstuck.engine import diagnose, discover
from unstuck.errors import InputError
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Ref, Refused
from unstuck.facts.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Node:
    """The question as it was typed. pod: its uid. touch: mounts that may hang are touched."""

    root: str
    pod: str | None
    shape: Shape
    save: str | None = None
    touch: bool = False


def node(asked: Node) -> int:
    """Prints the facts file (json, yaml), or the answer from this node alone and the facts below it (text).

    Errors: InputError where `root` is no node or nothing of it can be read.
    """
    from unstuck.collect.node import NodeCollector  # noqa: PLC0415

    reader = NodeCollector(Path(asked.root))
    with progress("node"):
        snap = reader.snapshot(asked.pod)
        if asked.touch and reader.is_node:
            snap = snap.plus(reader.touch(asked.pod))
    if not any(not isinstance(f, Refused) for f in snap.facts):
        raise InputError(f"nothing of node {reader.node} could be read", "run it as root")
    if not reader.is_node:
        raise InputError(f"no kubelet and no kubelet's directory below {asked.root}", "run it on the node, as root")
    subject = snap.canon(Ref("Pod", uid=asked.pod) if asked.pod else Ref("Node", None, reader.node))
    saved = Saved(snap, subject)
    if asked.save:
        write_saved(asked.save, saved)
    return _print(saved, subject, asked.shape)


def _print(saved: Saved, subject: Ref, shape: Shape) -> int:
    if shape.output != "text":
        if shape.output == "yaml":
            from unstuck.render.yaml import dumped  # noqa: PLC0415
        else:
            from unstuck.render.json import dumped  # noqa: PLC0415
        emit(dumped(save(saved, __version__)))
        return 0
    from unstuck.render.facts import facts_text  # noqa: PLC0415

    snap: Snapshot = saved.snapshot
    report = report_of(snap, [diagnose(subject, snap, discover())])
    emit(printed(report, shape) + "\n" + facts_text(snap.facts, shape.lang, terminal.colour()))
    return status_of(report)
