"""An object did not become ready in time

## How it happens

`kubectl wait`, an installer or a controller waits until an object is ready or complete. The time is over
before it is. The wait itself is well: the reason is in the object's conditions, its Pods and its Events.

## How to tell

`timed out waiting for the condition on KIND/NAME`, or the same in other words with a kind and a name, or for
all objects of a kind.

## Known limits

The message names the object without a reason: that is the next question. Any other error in the text is
reported instead. A wait that names no kind is not read.

## References

- kubectl pkg/cmd/wait/wait.go
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Helm's word for an installation: no kind of the cluster.
_RELEASE = "release"
_GROUP = "node group"
# Words of operators for one of their kinds.
_KINDS: Mapping[str, str] = MappingProxyType(
    {"restic repository": "resticrepository.velero.io", "backup repository": "backuprepository.velero.io"}
)
_LONGER = Step(say("raise the timeout only if the object is making progress"))


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "wait-ended", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if not c.name:
        return _make_kind_finding(text, one)
    if c.resource == _GROUP:
        return _make_group_finding(text, one)
    space, slash, name = c.name.rpartition("/")
    means = say(
        "{object} did not reach the expected state in time; its own status says what is missing",
        object=f"{c.resource}/{name}",
    )
    if c.resource == _RELEASE:
        return make_finding(text, one, means, (_look_at_release(c), _LONGER))
    look = Step(
        say("check its conditions and Events, and those of its Pods"),
        command=command(
            "kubectl describe {object} {space}",
            object=given.obj(c.resource, name),
            space=given.namespace((space if slash else c.namespace) or None),
        ),
    )
    return make_finding(text, one, means, (look, _LONGER))


def _make_group_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a machine that its group was asked for and that never registered."""
    means = say(
        "no new machine of node group {name} became a Node in time: the cloud did not start it, or its "
        "kubelet did not register",
        name=one.complaint.name,
    )
    look = Step(
        say("check whether it is among the Nodes, and whether its kubelet requested a certificate"),
        command=command("kubectl get nodes,csr --sort-by=.metadata.creationTimestamp"),
    )
    step = Step(
        say(
            "check the group's activity at the cloud provider (capacity, quota, launch template); if the "
            "machine was started, read the logs of its kubelet and bootstrap script"
        )
    )
    return make_finding(text, one, means, (look, step))


def _look_at_release(said: Complaint) -> Step:
    """Return the look at the objects of a Helm release: it is ready once its Pods are."""
    return Step(
        say("check which of its Pods are not ready, which PVCs are not bound, and what the Events say"),
        command=command("kubectl get pods,pvc,jobs,events {space}", space=given.namespace(said.namespace)),
    )


def _make_kind_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding of a wait for all objects of a kind."""
    kind = _KINDS.get(one.complaint.resource, one.complaint.resource)
    if not kind.endswith("s"):
        which = Step(
            say("find out which one it was, and check its status and Events"),
            command=command("kubectl get {kind} -A -o wide", kind=given.kind_of(kind)),
        )
        return make_finding(
            text,
            one,
            say(
                "one {kind} did not reach the expected state in time; its own status and Events say why",
                kind=kind,
            ),
            (which, _LONGER),
        )
    means = say(
        "not all {kind} reached the expected state in time; their own status says what is missing",
        kind=kind,
    )
    look = Step(
        say("check which of them are unfinished, and what their status says"),
        command=command("kubectl get {kind} -A -o yaml", kind=given.kind_of(kind)),
    )
    return make_finding(text, one, means, (look, _LONGER))


CAUSE = Cause(
    id="program.wait-ended",
    title=say("an object did not become ready in time"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
