"""The reporter's side of the socket: sends a question to the collector, and returns its answer with the
missing facts.
"""

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
# The collector has to finish this many seconds before its client's own deadline.
_MARGIN = 0.5
_RETRY_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class CollectorAnswer:
    """The collector's answer. docs: facts as JSON. confirms_pod: the node shows that the Pod's name and
    uid belong together.
    """

    docs: list[Doc]
    confirms_pod: bool = False


def ask_collector(
    path: str,
    node: str,
    pod: Doc | None,
    seconds: float,
    vouched: bool = False,
    since: str | None = None,
    serving: Callable[[str], None] | None = None,
) -> CollectorAnswer:
    """Return its answer in at most `seconds`, with a Refused for `survey` if it did not finish. Never raises.

    vouched: the kubelet has confirmed that the Pod's name and uid belong together. since: when a deletion was
    asked for. serving: called with the fingerprint of the kubelet's serving certificate as soon as it
    arrives, "" if it cannot be read.
    """
    question = {"node": node, "pod": pod, "vouched": vouched, "since": since}
    return _exchange(path, question, seconds, serving)


def ask_single(path: str, node: str, wants: str, seconds: float) -> list[Doc]:
    """Return the facts about single things of the node, as `ask_collector` does. wants: as
    `facts/single_wants.py` writes them; nothing else is looked at.
    """
    return _exchange(path, {"node": node, "pod": None, "wants": wants}, seconds, None).docs


def _exchange(
    path: str, question: dict[str, Any], seconds: float, serving: Callable[[str], None] | None
) -> CollectorAnswer:
    docs: list[Doc] = []
    known = False
    end = time.monotonic() + seconds
    why = "the collector ended before it had answered"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            _connect(server, path, end)
            question["seconds"] = max(0.2, end - time.monotonic() - _MARGIN)
            server.sendall(json.dumps(question).encode() + b"\n")
            for line in _read_lines(server, end):
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
    node, pod = str(question["node"]), question["pod"]
    return CollectorAnswer([*docs, refusal(node, pod, "survey", "timeout", why)], known)


def _connect(server: socket.socket, path: str, end: float) -> None:
    """Connect, waiting for the other container if it starts later. Errors: OSError if it has not started
    by `end`.
    """
    while True:
        server.settimeout(max(0.001, end - time.monotonic()))
        try:
            server.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            if end - time.monotonic() < _RETRY_SECONDS:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


def _read_lines(server: socket.socket, end: float) -> Any:
    rest, left = b"", _LARGEST
    while left > 0:
        server.settimeout(max(0.001, end - time.monotonic()))
        part = server.recv(1 << 16)
        if not part:
            return
        left -= len(part)
        *whole, rest = (rest + part).split(b"\n")
        yield from whole


def refusal(node: str, pod: Doc | None, want: str, why: str, detail: str) -> Doc:
    """Return a Refused in its JSON form, about the Pod if there is one, else about the Node."""
    about = {"kind": "Node", "name": node}
    if pod is not None:
        about = {
            "kind": "Pod",
            "within": str(pod["namespace"]),
            "name": str(pod["name"]),
            "uid": str(pod["uid"]),
        }
    return {
        "type": "Refused",
        "about": about,
        "src": {"where": f"node:{node}"},
        "want": want,
        "why": why,
        "detail": detail,
    }
