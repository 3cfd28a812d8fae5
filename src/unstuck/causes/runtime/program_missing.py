"""The program with which the Node's runtime starts containers is missing

## How it happens

containerd starts each container with a program of its configuration: runc, or the program of the default
runtime or of the handler of the Pod's RuntimeClass (`BinaryName`). That program is missing: its package was
removed and the configuration was left, an installer wrote another path, or an upgrade moved it.

## How to tell

Its sandbox fails with `unable to retrieve OCI runtime error`, followed by `fork/exec PATH: no such file or
directory` or `exec: "NAME": executable file not found`. A Pod without a runtimeClassName gets the default
runtime: then no new Pod of that kind starts on the Node.

## Known limits

The kernel has the same message for a script without its interpreter. The line of the configuration that has
the program shows only on the node.

## References

- containerd cmd/containerd-shim-runc-v2, docs/cri/config.md (`default_runtime_name`, `BinaryName`); execve(2)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "sandbox-create" and f.error == "runtime-program-missing"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    program = f.path or f.key or "?"
    where = _starting.place_step(subject, snap)
    return Finding(
        say("the container runtime cannot run its program {program}, which is missing", program=program)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("RuntimeHandler", _starting.find_node_name(subject, snap), program),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see which runtime has this program, and which one is the default"),
                where=where,
                command=command(
                    "grep -rsnE 'default_runtime|BinaryName|runtime_path' /etc/containerd /etc/crio"
                ),
            ),
            Step(
                say(
                    "install the program again; or, if it was removed on purpose, remove its runtime from "
                    "the configuration (default_runtime_name: the previous one, usually runc) and restart "
                    "the runtime"
                ),
                where=where,
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("link another runtime's program to this path"),
                say("workloads that need isolation or a device then run without it, unnoticed"),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.program-missing",
    title=say("the program with which the node's runtime starts containers is missing"),
    subjects=("Pod",),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
