"""The child that looks at the node for one question and ends: a copy of the collector, or `python -S -m
unstuck.agent.look`.

Request (stdin of the program): `{"root", "node", "pod": {"namespace", "name", "uid"} or null, "vouched",
"since": a time or null, "wants": single questions about the whole node, or ""}`. Output: `{"serving":
"SHA-256"}`, the kubelet's serving certificate ("" if it cannot be read); `{"known": true}` if the node shows
that the Pod's name and uid belong together; a JSON line for each fact, the quick and certain ones first; at
last `{"end": true}`. It locks itself before it looks; if that fails, it reports that and does not look.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, TextIO

from unstuck.agent.pod_identity import is_known_here
from unstuck.agent.tenancy import redact_for_tenant
from unstuck.collect.node.answers import answer, survey
from unstuck.collect.node.certificates import serving_fingerprint
from unstuck.collect.node.logs import sdjournal
from unstuck.collect.node.look_starter import run_forked
from unstuck.collect.node.root import Root
from unstuck.collect.node.seccomp import NotLockedError, load_library, lock
from unstuck.collect.node.view import NodeView
from unstuck.facts.codec import find_fact_types, parse_time, to_json
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.single_wants import read_wants

NAME = "unstuck-node"
_FINGERPRINT_SECONDS = 0.5


def prepare() -> None:
    """Load the libraries and modules for the look once, in the process that will be forked."""
    with suppress(NotLockedError):
        load_library()
    sdjournal.load_library()
    find_fact_types()
    # Modules that a look loads on demand: by then the disk may not answer any more.
    for name in ("hashlib", "shutil", "tomllib", "unstuck.wording.program.read"):
        import_module(name)


def write_answer(request: dict[str, Any], out: TextIO) -> None:
    """Run the child from beginning to end; see the module."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.prctl(15, NAME.encode(), 0, 0, 0)  # PR_SET_NAME
        libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG
    for said in answer_question(request):
        out.write(json.dumps(to_json(said)) + "\n")
        out.flush()
    out.write('{"end": true}\n')
    out.flush()


def answer_question(request: dict[str, Any]) -> Iterator[Fact | dict[str, bool] | dict[str, str]]:
    """Yield the facts for a question; the process is locked from its first step on."""
    node = str(request["node"])
    pod = _find_pod(request.get("pod"))
    about = pod or Ref("Node", None, node)
    try:
        lock()
    except NotLockedError as e:
        yield refusal(about, node, f"the agent looks only when it is locked, and it cannot be: {e}")
        return
    view = NodeView(
        Root(host_root(request["root"])), datetime.now(UTC), node, since=parse_time(request.get("since"))
    )
    yield {"serving": _read_fingerprint(view)}
    if pod is None and (wants := read_wants(str(request.get("wants") or ""), node)):
        yield from answer(view, wants)
    elif pod is None:
        yield from survey(view, None)
    elif (known := is_known_here(view, pod)) or request.get("vouched"):
        yield {"known": known}
        yield from redact_for_tenant(survey(view, pod.uid), pod)
    else:
        yield refusal(
            pod,
            node,
            "nothing on this node says that the Pod of this name has this uid, so it may be somebody else's",
        )


def _read_fingerprint(view: NodeView) -> str:
    """Return the fingerprint of the kubelet's serving certificate, "" if it cannot be read in time: a
    hanging disk must not delay facts.
    """
    with suppress(OSError):
        for line in run_forked(lambda out: print(serving_fingerprint(view), file=out), _FINGERPRINT_SECONDS):
            return line.decode()
    return ""


def refusal(about: Ref, node: str, detail: str) -> Refused:
    """Return the Refused of a look that did not take place. detail: why."""
    return Refused(about=about, src=Source(f"node:{node}"), want="survey", why="denied", detail=detail)


def host_root(top: str) -> str:
    """Return the host's file system as its first process sees it; if that may not be read, only the mounts
    below `top`.

    Access through `/proc/1/root` mounts nothing of the host's in this Pod: it cannot keep a volume busy.
    """
    through = f"{top}/proc/1/root"
    try:
        os.stat(f"{through}/proc")  # a link of the kernel's that must not be resolved by name
    except OSError:
        return top
    return through


def _find_pod(doc: Any) -> Ref | None:
    return (
        Ref("Pod", str(doc["namespace"]), str(doc["name"]), str(doc["uid"]))
        if isinstance(doc, dict)
        else None
    )


if __name__ == "__main__":
    try:
        write_answer(json.load(sys.stdin), sys.stdout)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)
