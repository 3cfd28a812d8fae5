"""The runtime does not set $PATH for images without one

## How it happens

An image may leave `PATH` out of its configuration; the runtime then sets the usual one. containerd 1.2.7 to
1.2.9 do not, so that a command without a path (`sh`) is not found although `/bin/sh` exists.

## How to tell

The container cannot start, `exec: "sh": executable file not found in $PATH`, on a Node whose containerd is
1.2.7, 1.2.8 or 1.2.9; the same image runs elsewhere.

## Known limits

A command that is really not in the image gives the same words: container.command-not-found. So the version
makes it no more than likely.

## References

- containerd/containerd issue 3597 (fixed in 1.2.10)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_VERSIONS = ("containerd://1.2.7", "containerd://1.2.8", "containerd://1.2.9")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = _starting.start_failures(pod, snap, _is_match)
    node = find_node_of_pod(pod, snap)
    old: Sign[str] = Sign(None, wants=(Want(Placement, pod),))
    if node:
        old = some(snap, NodeInfo, node, lambda f: [f.runtime] if f.runtime.startswith(_VERSIONS) else [])
    return Signs(
        necessary={
            "a command without a path was not found": said,
            "the runtime is one that sets no PATH": old,
        },
        decisive={"the image sets no PATH": Sign(None, said.hits, said.seen)},
        supporting={"both": said if said.value and old.value else Sign(None)},
        finding=lambda: _make_finding(pod, _starting.pick_latest(said.hits), (*old.hits, "?")[0], snap),
    )


def _is_match(f: Failure) -> bool:
    return (
        f.operation in ("container-start", "container-create")
        and f.error == "exec-not-found"
        and _starting.wants_search_path(f)
    )


def _make_finding(pod: Ref, f: Failure, runtime: str, snap: Facts) -> Finding:
    version = runtime.rpartition("/")[2]
    return Finding(
        say(
            "containerd {version} does not set $PATH for an image without one, so {key} is not found",
            version=version,
            key=f.key,
        ),
        culprit=Ref("Runtime", _starting.find_node_name(pod, snap), "containerd"),
        blocks=(pod,),
        notes=_starting.quote(f),
        help=(
            Step(
                say("use the command's full path, or set PATH in the container's env"),
                where="source",
                verify=say("the new Pod's container starts"),
            ),
            Step(
                say("upgrade containerd to 1.2.10 or later; its restart keeps running containers"),
                where=_starting.place_step(pod, snap),
            ),
        ),
        do_not=(
            DoNot(
                say("set PATH for the Node's whole runtime in its unit"),
                say(
                    "containers do not inherit the runtime's environment, and the restart delays new "
                    "containers for nothing"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.default-path-missing",
    title=say("the runtime does not set $PATH for images without one"),
    subjects=("Pod",),
    stages=_starting.CONTAINERS,
    reads=_starting.READS | {NodeInfo},
    rule=_rule,
)
