"""The Node's runtime does not have the handler of the Pod's RuntimeClass

## How it happens

The Pod names a RuntimeClass, its `handler` is a name in the runtime's configuration of each Node, and on this
Node that name is missing: it was never installed, the installer wrote it to a file that this runtime does not
read (k3s, k0s and microk8s have their own), or an upgrade rewrote the file.

## How to tell

Its sandbox fails with `no runtime for "X" is configured` (containerd), `failed to find runtime handler X from
runtime list` (CRI-O), or `RuntimeHandler "X" not supported` (docker).

## Known limits

A RuntimeClass that does not exist at all is refused when the Pod is made. Where only some Nodes have the
handler, `scheduling.nodeSelector` of the RuntimeClass keeps Pods from the others.

## References

- containerd internal/cri/config/config.go (GetSandboxRuntime); cri-o internal/oci/oci.go
  (ValidateRuntimeHandler); Kubernetes documentation "Runtime Class"
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "sandbox-create" and f.error == "handler-missing"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("the runtime has no handler {key}, required by the Pod's RuntimeClass", key=f.key or "?")
        + _starting.say_on_node(subject, snap),
        culprit=Ref("RuntimeHandler", _starting.find_node_name(subject, snap), f.key or "?"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "add the handler to this runtime's configuration, and restart the runtime; running "
                    "containers survive with containerd and CRI-O, new ones wait meanwhile"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
            Step(
                say(
                    "or correct the Pod's runtimeClassName, or make the RuntimeClass select nodes that have "
                    "the handler"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("point the handler to plain runc"),
                say("workloads that need isolation or a device then run without it, unnoticed"),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.handler-missing",
    title=say("the node's runtime lacks the handler of the Pod's RuntimeClass"),
    subjects=("Pod",),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
