"""A driver does not prepare the devices that the Pod claims

## How it happens

The Pod's ResourceClaim is allocated, and the kubelet asks the DRA driver on its Node to prepare the devices
before it makes the sandbox. The driver is not registered there (its DaemonSet's Pod does not run), does not
answer, or answers with an error of its own.

## How to tell

`FailedPrepareDynamicResources` repeats with `DRA driver X is not registered`, `NodePrepareResources … rpc
error`, or `NodePrepareResources failed for ResourceClaim`.

## Known limits

A claim that was never allocated keeps the Pod from being placed: scheduling.dynamic-resource-unavailable. The
reason is in the driver's own log. The kubelet's message about one claim names the claim and not its driver.

## References

- Kubernetes pkg/kubelet/cm/dra/manager.go (PrepareResources), pkg/kubelet/kuberuntime/kuberuntime_manager.go
  (1.34)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import list_pods_on
from unstuck.causes.resources._claims import find_claim, look_for_driver, name_driver
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
    return f.operation == "resources-prepare"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    driver, claim = name_driver(f), find_claim(subject, f)
    who = say("driver {driver}", driver=driver) if driver else say("a driver")
    if claim is not None:
        who = say("the driver of ResourceClaim {claim}", claim=claim.name)
    what = {
        "driver-not-registered": say(" is not registered"),
        "driver-not-answering": say(" does not answer"),
    }.get(f.error, say(" answers with an error"))
    return Finding(
        say("{who}{what}, so the Pod's devices are not prepared", who=who, what=what)
        + _starting.say_on_node(subject, snap),
        # The kubelet's words about one claim name the claim and not its driver.
        culprit=claim or Ref("DRADriver", _starting.find_node_name(subject, snap), driver or None),
        blocks=(subject,),
        notes=_starting.quote(f),
        help=(
            *look_for_driver(subject, f),
            Step(
                say("check whether the driver's Pod is running on that node, and read its log"),
                command=list_pods_on(_starting.find_node_name(subject, snap)),
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the ResourceClaim or remove its finalizer"),
                say("the driver may have started with the device, and another Pod could get it too"),
            ),
        ),
    )


CAUSE = Cause(
    id="resources.claim-prepare-failed",
    title=say("a driver does not prepare the Pod's devices"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
