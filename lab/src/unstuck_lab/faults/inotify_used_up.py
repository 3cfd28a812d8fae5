"""A program holds all inotify instances allowed for one user. No other program runs as that user, not even in
another lab.
"""

import sys

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.node import Node

NODE = "lab-1"
_LOG = "inotify"
_HOLDER = """
import ctypes, os, sys, time
os.setuid(int(sys.argv[1]))
libc, held = ctypes.CDLL(None, use_errno=True), 0
while libc.inotify_init() >= 0:
    held += 1
print("held", held, os.strerror(ctypes.get_errno()), flush=True)
time.sleep(3600)
"""


def _build_command(node: Node) -> list[str]:
    user = 1_000_000 + int(node.box.group.rpartition("-")[2], 16)
    return [sys.executable, "-c", _HOLDER, str(user)]


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.find(_build_command(node)) is None:
        node.spawn(["sh", "-c", 'ulimit -n 65536; exec "$@"', "sh", *_build_command(node)], _LOG)


def observe(lab: Lab) -> str | None:
    node, log = lab.get_node(NODE), lab.paths.locate_logs(NODE) / f"{_LOG}.log"
    said = log.read_text().splitlines()[-1:] if log.exists() and node.find(_build_command(node)) else []
    return said[0] if said and "Too many open files" in said[0] else None


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running:
        node.kill(_build_command(node))


FAULT = Fault(
    name="inotify-used-up",
    summary="a user of a node has no inotify instances left",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("node.inotify-exhausted",),
    with_node="proven",
    without_node="fine",  # the API does not show the fault
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    ripe=5,
)
