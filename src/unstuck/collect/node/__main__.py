"""The child that looks at a node: `python -m unstuck.collect.node`. Reads one request from stdin, writes one
JSON line for each fact.

The first line names the node. A run without the last line `{"end": true}` was cut off, and its missing facts
are unknown.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from unstuck.collect.node.answers import answer, survey
from unstuck.collect.node.seccomp import NotLockedError, keep_from_changing
from unstuck.collect.node.touch_mounts import touch_mounts
from unstuck.collect.node.view import NodeView
from unstuck.collect.script.recorded import find_cut, limit_to_seen, open_root
from unstuck.facts.codec import find_fact_types, parse_time, to_json
from unstuck.facts.core import Fact, Ref, Want

NAME = "unstuck-node"


def main() -> None:
    """Run as the child; see the module. Errors: an invalid request ends in a traceback on stderr."""
    # Nearly all that a look makes lives to its end; looking through it again and again costs a tenth of it.
    gc.set_threshold(100_000)
    _settle()
    for doc in answer_request(json.load(sys.stdin)):
        sys.stdout.write(json.dumps(doc) + "\n")
        sys.stdout.flush()


def answer_request(request: dict[str, Any]) -> Iterator[object]:
    """Yield the output, line by line. request: as NodeCollector makes it. Errors: ValueError without a
    time.
    """
    now = parse_time(request["now"])
    if now is None:
        raise ValueError("no time in the request")
    view = NodeView(
        open_root(request["root"]),
        now,
        request.get("node"),
        request.get("kubelet_root"),
        parse_time(request.get("since")),
    )
    yield {"node": view.name, "is_node": view.is_node}
    for fact in limit_to_seen(view.root, _list_facts(view, request)):
        yield to_json(fact)
    for refused in find_cut(view.root, view.ref):
        yield to_json(refused)
    yield {"end": True}


def _list_facts(view: NodeView, request: dict[str, Any]) -> Iterator[Fact]:
    if request["ask"] == "survey":
        yield from survey(view, request.get("pod"))
    elif request["ask"] == "wants":
        kinds = find_fact_types()
        wants = [Want(kinds[w["fact"]], Ref(**w["about"])) for w in request["wants"] if w["fact"] in kinds]
        yield from answer(view, wants)
    elif request["ask"] == "touch":
        uid = request.get("pod")
        yield from touch_mounts(view, view.pod(Ref("Pod", uid=uid)) if uid else None)


def _settle() -> None:
    """Give the child a name to find it by, no life beyond its parent's, and no way to change anything if
    seccomp's library is there.
    """
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write(NAME)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
    with suppress(NotLockedError):
        keep_from_changing()


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)
