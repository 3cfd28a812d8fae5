"""The Node has reached its volume attach limit

## How it happens

The machine takes only so many disks, and this Pod's volume is one too many. The scheduler counts by the
driver's number in CSINode; where that is too high (disks and network cards that share the slots, volumes of
another driver, disks attached by hand) it places the Pod there and the attach fails.

## How to tell

`FailedAttachVolume` repeats with `ResourceExhausted`, `Attachment limit exceeded`, `max number of volumes`,
or `The maximum number of data disks allowed to be attached`. A kubelet from 1.34 on rejects such a Pod with
reason VolumeAttachmentLimitExceeded.

## Known limits

How many there may be depends on the machine's type; the message shows it only for some storages. A Pod that
was never placed for this reason is scheduling.volume-attach-limit.

## References

- CSI specification, ControllerPublishVolume (RESOURCE_EXHAUSTED); kubernetes-sigs/aws-ebs-csi-driver pull
  2500; kubernetes/kubernetes pull 132933
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
    return f.operation in ("volume-attach", "volume-set-up") and f.error == "attach-limit"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    node = _starting.find_node_name(subject, snap)
    return Finding(
        say("{name} cannot be attached: the node has reached its volume attach limit", name=name)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("Node", None, node) if node else _starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "cordon the node, then delete the Pod so that its owner recreates it elsewhere; the Pod "
                    "is down meanwhile"
                ),
                risk="disrupts",
                verify=say("the new Pod's volume is attached to another node"),
            ),
            Step(
                say(
                    "lower the limit the CSI driver reports for this machine type "
                    "(its volume-attach-limit option)"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("detach volumes of other Pods by hand"),
                say("their writers lose unwritten data"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.attach-limit",
    title=say("the node has reached its volume attach limit"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
