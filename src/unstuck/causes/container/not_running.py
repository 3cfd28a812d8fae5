"""A command cannot run because its container is not running

## How it happens

`kubectl exec`, `attach`, `cp` and `port-forward` need a container that runs at this moment. It has not
started yet, crashed between two starts, has completed, or has another name.

## How to tell

`unable to upgrade connection: container not found ("NAME")`, or `cannot exec into a container in a completed
pod`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- kubelet pkg/kubelet/server/server.go; kubectl pkg/cmd/exec/exec.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "container-not-running", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    name, phase = one.complaint.name, one.complaint.resource
    means = say(
        "the container is not running at this moment (not begun yet, or ended), so nothing can be run in it"
    )
    if name:
        means = say(
            (
                "container {name} is not running at this moment (not begun yet, or ended), so nothing can "
                "be run in it"
            ),
            name=name,
        )
    if phase:
        means = say("the Pod has ended ({phase}): nothing can be run in it any more", phase=phase)
    look = Step(
        say("see what its containers are called and the state of each"),
        command=command("kubectl describe pod POD"),
    )
    log = Step(
        say("if it has run before: read its log"),
        command=command("kubectl logs POD --all-containers --previous"),
    )
    return make_finding(text, one, means, (look, log))


CAUSE = Cause(
    id="container.not-running",
    title=say("a command cannot run because its container is not running"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
