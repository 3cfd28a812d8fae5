"""The Node does not have the seccomp profile that a container asks for

## How it happens

A container, or its Pod, asks for a profile of the Node (`seccompProfile.type: Localhost`), whose file lies
below the kubelet's directory `seccomp`, usually `/var/lib/kubelet/seccomp`. The file was not installed on
this Node, its name has a typing error, or it is no JSON that the runtime reads. The runtime creates no
container without it.

## How to tell

The container waits with CreateContainerError, and the message names the file: `cannot load seccomp profile
"/var/lib/kubelet/seccomp/ profiles/audit.json": open …: no such file or directory`.

## Known limits

A denial by a loaded profile shows in the program's own failures (exit code 159, `operation not permitted`),
not here.

## References

- Kubernetes documentation "Restrict a Container's Syscalls with seccomp"; containerd
  contrib/seccomp/seccomp.go (WithProfile)
"""

from __future__ import annotations

from unstuck.causes import _node_state, _starting
from unstuck.causes._node_config import add_node_words
from unstuck.causes._node_state import tell_node_file
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, lambda f: f.error == "seccomp-unusable", lambda f: _make_finding(subject, f, snap)
    )


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    directory = f.path.rpartition("/")[0] if f.path else ""
    there = tell_node_file(_starting.find_node_name(subject, snap), f.path, snap)
    found = Finding(
        say("the node cannot load the requested seccomp profile")
        + (say(": {path}", path=f.path) if f.path else NO_TEXT)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("File", _starting.find_node_name(subject, snap), f.path or "seccomp"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see which profiles the node has"),
                where=_starting.place_step(subject, snap),
                command=command("ls -l {directory}", directory=given.path(directory))
                if directory
                else NO_COMMAND,
            ),
            Step(
                say(
                    "correct localhostProfile (its path is relative to the kubelet's directory seccomp), or "
                    "put the file on every node the Pod may run on; RuntimeDefault needs no file"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("set the profile to Unconfined as a workaround"),
                say("the container then runs without the requested protection"),
            ),
        ),
    )
    return add_node_words(found, there)


CAUSE = Cause(
    id="security.seccomp-profile-unusable",
    title=say("the node cannot load the requested seccomp profile"),
    subjects=("Pod",),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | _node_state.READS,
    rule=_rule,
)
