"""One look, without an agent: `python3 -S -m unstuck.agent.once QUESTION` in a Pod made for it; the answer
goes to its log, and it ends.

QUESTION: JSON `{"node", "pod": {"namespace", "name", "uid"} or null, "since": a time or null, "seconds"}`.
stdout: one line of a saved Snapshot, at most 256 KiB, between two marks, so that a log cut short is
recognised. Nothing here touches a path that may hang, nor does `look.py`.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

from unstuck import __version__
from unstuck.agent import child
from unstuck.agent.collector_client import refusal
from unstuck.agent.truncation import Doc, fit

FORMAT = 1
HOST = "/host"
BEGIN, END = "unstuck-look-begin", "unstuck-look-end"
_MODULE = "unstuck.agent.look"
_LONGEST = 20.0


def main(argv: list[str]) -> int:
    """Exit status 0 if an answer was printed, however little it holds; 2 for an invalid question."""
    try:
        question = json.loads(argv[0])
        node, pod, since = str(question["node"]), question.get("pod"), question.get("since")
        seconds = min(_LONGEST, float(question["seconds"]))
    except (IndexError, ValueError, KeyError, TypeError, AttributeError):
        sys.stderr.write("usage: python3 -m unstuck.agent.once QUESTION\n")
        return 2
    snapshot = make_snapshot(node, fit(look_at_node(node, pod, seconds, since=since), node))
    sys.stdout.write(f"{BEGIN}\n{json.dumps(snapshot)}\n{END}\n")
    sys.stdout.flush()
    return 0


def look_at_node(
    node: str, pod: Doc | None, seconds: float, host: str = HOST, since: str | None = None
) -> list[Doc]:
    """Return the facts as JSON documents; a Refused for `survey` if the look did not finish. Never raises."""
    docs: list[Doc] = []
    why = "looking at the node ended before its answer"
    request = {"root": host, "node": node, "pod": pod, "since": since}
    try:
        for line in child.read_lines(_MODULE, json.dumps(request).encode(), seconds):
            doc = json.loads(line)
            if doc.get("end"):
                return docs
            if "type" in doc:
                docs.append(doc)
    except TimeoutError:
        why = f"looking at the node took longer than {seconds:.1f} s"
    except (OSError, ValueError, AttributeError) as e:
        why = f"the node could not be looked at: {str(e) or type(e).__name__}"
    return [*docs, refusal(node, pod, "survey", "timeout", why)]


def make_snapshot(node: str, docs: list[Doc]) -> dict[str, Any]:
    """Return a saved Snapshot of this moment."""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return {
        "format": FORMAT,
        "tool": __version__,
        "at": at,
        "sources": [f"node:{node}"],
        "asked": None,
        "after": None,
        "facts": docs,
    }


if __name__ == "__main__":
    # At once: a child that sleeps in the kernel is not waited for.
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)
