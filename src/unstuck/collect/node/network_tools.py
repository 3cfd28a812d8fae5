"""Reads the output of programs about the node's own network; in a recorded tree, the recorded output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.node.children import read_lines
from unstuck.collect.node.recorded_tree import TOP
from unstuck.collect.node.view import NodeView
from unstuck.facts.record import Record, record

PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"


@record()
class _Tool(Record):
    """command: its words. seconds, cap: the limits of its run and of its output. cut: whether a part of the
    output is of use.
    """

    command: tuple[str, ...]
    seconds: float = 1.0
    cap: int = 1 << 20
    cut: bool = False


# By the names of their files in a recorded tree.
_TOOLS: Mapping[str, _Tool] = MappingProxyType(
    {
        # Without `-t` it shows the tables that there are, and makes none; each ends with COMMIT.
        "iptables": _Tool(("iptables-save",), 1.5, 16 << 20, cut=True),
        "ip-route": _Tool(("ip", "-4", "route", "show", "table", "all")),
        "ip-rule": _Tool(("ip", "-4", "rule", "show")),
        "tc-qdisc": _Tool(("tc", "qdisc", "show")),
    }
)


def read_output(view: NodeView, name: str) -> tuple[str, ...]:
    """Return the lines of a program's output; nothing if it cannot be run here."""
    if name not in view.outputs:
        view.outputs[name] = _read(view, name)
    return view.outputs[name]


def _read(view: NodeView, name: str) -> tuple[str, ...]:
    tool = _TOOLS[name]
    if not view.root.live:
        return tuple((view.root.text(f"{TOP}/{name}", tool.cap) or "").splitlines())
    if view.root.path != "/" or not is_own_network(view):
        return ()
    lines = list[str]()
    try:
        lines.extend(_run(tool))
    except (OSError, TimeoutError):
        return tuple(lines) if tool.cut else ()
    return tuple(lines)


def _run(tool: _Tool) -> Iterator[str]:
    env = {"PATH": PATH, "LC_ALL": "C"}
    for line in read_lines(tool.command, seconds=tool.seconds, cap=tool.cap, env=env):
        yield line.decode("utf-8", "replace")


def is_own_network(view: NodeView) -> bool:
    """Tell whether we are in the kubelet's network namespace, and so in the node's."""
    if view.kubelet.process is None:
        return False
    its = view.table.namespace(view.kubelet.process.pid, "net")[0]
    return bool(its) and its == os.readlink("/proc/self/ns/net")  # a name, not a path
