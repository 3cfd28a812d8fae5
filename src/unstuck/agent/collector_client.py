"""The reporter's side of the socket: a question to the collector, and its answer with what was missing."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unstuck.agent.truncation import Doc

SOCKET = "/run/unstuck/collector"
_LARGEST = 32 << 20
# So much earlier than the one who asks the collector is to be done.
_MARGIN = 0.5
_AGAIN = 0.1


@dataclass(frozen=True, slots=True)
class CollectorAnswer:
    """What the collector told. docs: facts as JSON documents. known: the node itself says that the Pod's name and uid belong together."""

    docs: list[Doc]
    known: bool = False


def ask_collector(
    path: str,
    node: str,
    pod: Doc | None,
    seconds: float,
    vouched: bool = False,
    since: str | None = None,
    serving: Callable[[str], None] | None = None,
) -> CollectorAnswer:
    """Return its answer in at most `seconds`, with a Refused for `survey` where it did not come to its end. Never raises.

    vouched: the kubelet has said that the Pod's name and uid belong together. since: when a deletion was asked for.
    serving: is told the fingerprint of the kubelet's serving certificate as soon as it comes, "" where it cannot be read.
    """
    docs: list[Doc] = []
    known = False
    end = time.monotonic() + seconds
    question: dict[str, Any] = {"node": node, "pod": pod, "vouched": vouched, "since": since}
    why = "the collector ended before it had answered"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            _connect(asked, path, end)
            question["seconds"] = max(0.2, end - time.monotonic() - _MARGIN)
            asked.sendall(json.dumps(question).encode() + b"\n")
            for line in _lines(asked, end):
                doc = json.loads(line)
                if doc.get("end"):
                    return CollectorAnswer(docs, known)
                if serving is not None and "serving" in doc:
                    serving(str(doc["serving"]))
                known = known or bool(doc.get("known"))
                if "cut" in doc:
                    why = str(doc["cut"])
                elif "type" in doc:
                    docs.append(doc)
    except TimeoutError:
        why = f"the collector did not answer within {seconds:.1f} s"
    except (OSError, ValueError, AttributeError) as e:
        why = f"the collector cannot be asked: {e}"
    return CollectorAnswer([*docs, refused(node, pod, "survey", "timeout", why)], known)


def _connect(asked: socket.socket, path: str, end: float) -> None:
    """Connect, also where the other container begins later than this one. Errors: OSError where it has not begun by then."""
    while True:
        asked.settimeout(max(0.001, end - time.monotonic()))
        try:
            asked.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            if end - time.monotonic() < _AGAIN:
                raise
            time.sleep(_AGAIN)
        else:
            return


def _lines(asked: socket.socket, end: float) -> Any:
    rest, left = b"", _LARGEST
    while left > 0:
        asked.settimeout(max(0.001, end - time.monotonic()))
        part = asked.recv(1 << 16)
        if not part:
            return
        left -= len(part)
        *whole, rest = (rest + part).split(b"\n")
        yield from whole


def refused(node: str, pod: Doc | None, want: str, why: str, detail: str) -> Doc:
    """Return a Refused in its JSON form, about the Pod if there is one, else about the Node."""
    about = {"kind": "Node", "name": node}
    if pod is not None:
        about = {"kind": "Pod", "within": str(pod["namespace"]), "name": str(pod["name"]), "uid": str(pod["uid"])}
    return {"type": "Refused", "about": about, "src": {"where": f"node:{node}"}, "want": want, "why": why, "detail": detail}
