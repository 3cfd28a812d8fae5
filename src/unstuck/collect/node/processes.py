"""Looks up one process of the node by its number."""

from __future__ import annotations

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_processes import NumberedProcess
from unstuck.facts.core import Ref, Source


def numbered(view: NodeView, about: Ref) -> NumberedProcess | None:
    """Return the process with this pid; None if that is not a number, or the node's processes are not
    visible.
    """
    number = about.name or ""
    if not number.isascii() or not number.isdigit() or not view.sees_node:
        return None
    process = view.table.all.get(int(number[:10]))
    proc = view.table.as_fact(process) if process else None
    program = view.root.link(f"/proc/{number}/exe")[0] if process else ""
    return NumberedProcess(
        about=about,
        src=Source(
            f"{view.name} /proc/{number}", f"{proc.comm} {program}".strip() if proc else "no such process"
        ),
        whole=True,
        proc=proc,
        program=program,
        pod=view.pod(Ref("Pod", uid=proc.pod)) if proc and proc.pod else None,
    )
