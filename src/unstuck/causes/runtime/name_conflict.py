"""The name of a container is still taken in the runtime

## How it happens

An earlier try to make this sandbox or container took longer than the kubelet waits. The kubelet gave up, the
runtime went on: its name stays reserved by that first one, which is still being made or is left over. The
slowness (a busy disk, a hung mount, a full node) came first.

## How to tell

`Conflict. The container name "/k8s_…" is already in use` with docker; `failed to reserve sandbox name`,
`failed to reserve container name … is reserved for` with containerd; `name is reserved` with CRI-O. It
follows a `context deadline exceeded` or `operation timeout`.

## Known limits

It usually clears itself once the first try has ended. Where it stays for long the runtime or the disk below
is the root; look for the first time-out. Where one was read, this is a sequel of it and no more than
possible.

## References

- containerd internal/registrar/registrar.go; moby daemon/errors.go; cri-o internal/registrar;
  containerd/containerd issue 4604
- Field notes: containers that are not created
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes import _starting
from unstuck.causes._commands import runs_docker
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    signs = _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))
    said = signs.necessary["the last attempt failed this way"]
    if said.value and _follows_timeout(said.hits):
        # The name is taken because the first try goes on: the slow step is the cause, and this message does
        # not name it.
        slow = Sign[Failure](None, said.hits, said.seen)
        return replace(signs, decisive={}, supporting={"a message says so": slow})
    return signs


def _follows_timeout(said: tuple[Failure, ...]) -> bool:
    """Tell whether the same message reports that an earlier try exceeded the kubelet's time-out."""
    return any("deadline exceeded" in f.src.quote or "timing out" in f.src.quote for f in said)


def _is_match(f: Failure) -> bool:
    return f.error == "name-conflict"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("the name of a container or sandbox of this Pod is still taken in the runtime")
        + _starting.say_on_node(subject, snap),
        culprit=Ref("Runtime", _starting.find_node_name(subject, snap), "name"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("check whether the first one is still being created, or is left over"),
                where=_starting.place_step(subject, snap),
                command=command("docker ps -a") if runs_docker(subject, snap) else command("crictl ps -a"),
            ),
            Step(
                say(
                    "if it is left over and none of its processes is alive: remove only that container, or "
                    "that sandbox"
                ),
                where=_starting.place_step(subject, snap),
                risk="reversible",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("restart the runtime at once"),
                say("the reason it is slow (disk, a hung mount) stays, and everything half done starts over"),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.name-conflict",
    title=say("the name of a container is still taken in the runtime"),
    subjects=("Pod",),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | {NodeInfo},
    rule=_rule,
)
