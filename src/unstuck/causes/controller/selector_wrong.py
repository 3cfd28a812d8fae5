"""A workload's selector matches everything, or not its own Pods

## How it happens

The template has no labels, or the selector is empty: old API groups (`extensions/v1beta1`) took the selector
from the template, and with no labels there it selects all Pods of the Namespace. The controller then refuses
to act at all rather than to take over strangers' Pods.

## How to tell

The controller's own event is SelectingAll, `This controller is selecting all pods. Skipping sync.` or `… is
selecting all pods. A non-empty selector is required.`, and the workload has made no Pod.

## Known limits

`apps/v1` requires a selector that fits the template, so that a server refuses such an object at once: then
there is no workload to ask about.

## References

- Kubernetes pkg/controller/daemon/daemon_controller.go (SelectingAllReason),
  pkg/controller/deployment/deployment_controller.go
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(workload: Ref, snap: Facts) -> Signs:
    said = hearsay(
        snap,
        Events,
        workload,
        lambda f: [
            e.message for e in f.items if e.reason == "SelectingAll" or "is selecting all pods" in e.message
        ],
    )
    none: Sign[Any] = some(snap, Workload, workload, lambda f: [f] if not f.created else [])
    return Signs(
        decisive={"its controller skips it for its selector, and it has made no Pod": all_of([none, said])},
        supporting={"its controller says that it selects all Pods": said},
        finding=lambda: _make_finding(workload, said.hits[0]),
    )


def _make_finding(workload: Ref, message: str) -> Finding:
    name = workload.name or "?"
    kind = workload.kind
    return Finding(
        say(
            "the selector of {kind} {name} matches all Pods, so its controller does nothing",
            kind=kind,
            name=name,
        ),
        culprit=workload,
        blocks=(),
        notes=(say("controller: {message}", message=message[:200]),),
        help=(
            Step(
                say(
                    "give the template its own labels and the selector the same (apps/v1), and recreate the "
                    "workload: its selector is immutable"
                ),
                where="source",
                verify=say("its controller creates Pods"),
            ),
        ),
        do_not=(
            DoNot(
                say("use labels of another workload's Pods"),
                say("two controllers would adopt and delete each other's Pods"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.selector-wrong",
    title=say("a workload's selector matches everything, or not its own Pods"),
    subjects=("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"),
    reads=frozenset({Events, Workload}),
    rule=_rule,
)
