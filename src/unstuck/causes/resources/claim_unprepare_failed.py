"""The driver does not release a Pod's claimed devices

## How it happens

A Pod that uses a ResourceClaim (dynamic resource allocation) ends. Before it reports the Pod's end the
kubelet asks the driver's plugin on the Node to unprepare the devices. The driver was uninstalled or crashed,
or its call fails. The kubelet retries forever; the Pod is still shown as Running, with all of its containers
ended, and no event is written.

## How to tell

The kubelet's log repeats `unprepare dynamic resources`, with `DRA driver NAME is not registered`, with
`connection refused` or `no such file` of its socket, after 45 s with `context deadline exceeded`, or with the
driver's own error for the claim. No plugin of that name has a socket in the kubelet's `plugins_registry`, or
below its `plugins`. The API shows a Pod that is Running, all its containers ended.

## Known limits

If the driver's socket exists and the driver fails by itself, the kubelet's message is the only evidence, and
that is likely only. A message about a claim names the claim and not the driver.

## References

- KEP-4381; pkg/kubelet/cm/dra/manager.go (UnprepareResources); pkg/kubelet/kubelet.go (SyncTerminatingPod)
"""

from __future__ import annotations

from unstuck.causes.resources._claims import look_for_driver, name_driver
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Demands, Placement
from unstuck.facts.aspects.storage import PluginSockets
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_HOW: dict[ErrorWord, Text] = {
    "driver-not-registered": say("is not registered"),
    "driver-not-answering": say("does not answer"),
    "deadline-exceeded": say("does not return from unpreparing"),
}


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    said = hearsay(snap, Failure, pod, lambda f: [f] if f.operation == "resources-unprepare" else [])
    gone = _find_absent_drivers(pod, node, said.hits, snap)
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={"it claims devices": said if said.value else _find_claims(pod, node, snap)},
        decisive={
            "the driver has no socket with the kubelet": gone if gone.value else Sign(None, wants=gone.wants)
        },
        supporting={"the kubelet says that unpreparing failed": said},
        finding=lambda: _make_finding(pod, node, _first(said.hits, gone.hits)),
    )


def _find_absent_drivers(pod: Ref, node: Ref | None, said: tuple[Failure, ...], snap: Facts) -> Sign[str]:
    """Find drivers that the kubelet misses and that left no socket: neither for registration, nor, if it
    calls one, for calls.
    """
    unregistered = sorted({d for f in said if f.error == "driver-not-registered" and (d := name_driver(f))})
    silent = sorted({d for f in said if f.error == "driver-not-answering" and (d := name_driver(f))})
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    if not (unregistered or silent):
        return Sign(None)
    return some(
        snap,
        PluginSockets,
        node,
        lambda f: (
            [d for d in unregistered if f.whole and not any(d in s for s in f.registered)]
            + [d for d in silent if f.whole and d not in f.drivers]
        ),
    )


def _first(said: tuple[Failure, ...], gone: tuple[str, ...]) -> Failure:
    """Return the failure to report: one of a missing driver, else one that names its driver, else the
    first.
    """
    return next(
        (f for f in said if name_driver(f) in gone), next((f for f in said if name_driver(f)), said[0])
    )


def _find_claims(pod: Ref, node: Ref | None, snap: Facts) -> Sign[Demands]:
    """Return no for a Pod without claims; else the kubelet's log would tell whether it fails."""
    listed = tuple(f for f in snap.of(Demands, pod) if f.claims is not None)
    if any(f.claims for f in listed):
        return Sign(None, seen=listed, wants=(Want(LogSeen, node),) if node else ())
    return (
        Sign(False, seen=listed) if any(f.whole for f in listed) else Sign(None, wants=(Want(Demands, pod),))
    )


def _make_finding(pod: Ref, node: Ref | None, said: Failure) -> Finding:
    on = node.name if node and node.name else "its Node"
    driver = name_driver(said)
    who = say("DRA driver {driver}", driver=driver) if driver else say("The DRA driver")
    how = _HOW.get(said.error, say("fails"))
    quoted = (
        (say("driver: {message}", message=said.message),) if said.error in ("call-failed", "other") else ()
    )
    return Finding(
        say("{who} {how} on {on}, so the Pod's devices cannot be released", who=who, how=how, on=on),
        culprit=Ref("DRADriver", node.name if node else None, driver or None),
        notes=quoted,
        blocks=(pod,),
        help=(
            *(() if driver else look_for_driver(pod, said)),
            Step(
                say(
                    "restore the driver's DaemonSet on that node, or fix the problem in its log; the "
                    "kubelet retries automatically"
                ),
                where="source",
                verify=say("the Pod reaches a terminal phase and is deleted"),
            ),
        ),
        do_not=(
            DoNot(
                say("force delete the Pod"),
                say(
                    "the ResourceClaim is allocated again while the device is still set up for the "
                    "old Pod: two Pods may use one device, and a recreated ResourceClaim of that "
                    "name is rejected on that node"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="resources.claim-unprepare-failed",
    title=say("a driver does not release the Pod's devices"),
    subjects=("Pod",),
    stages=("phase-reported",),
    reads=frozenset({Deletion, Placement, Demands, Failure, LogSeen, PluginSockets}),
    rule=_rule,
)
