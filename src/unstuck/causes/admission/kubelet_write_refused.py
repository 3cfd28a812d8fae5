"""The API server refuses the kubelet's writes about the Pod

## How it happens

An admission webhook or a ValidatingAdmissionPolicy denies the kubelet's last writes: its status of the Pod
(`pods/status`), or its final DELETE. Rules that are meant for people ("nobody deletes Pods here") affect the
Nodes as well. The kubelet retries forever; no Event reports it. A refused status leaves the Pod `Running`
with containers that ended long ago, a refused DELETE leaves it in phase Failed or Succeeded.

## How to tell

The kubelet's log has `Failed to update status for pod` or `Failed to delete status for pod` with the name of
the webhook or policy that denied it. That webhook or policy exists, and covers this write.

## Known limits

`kubectl delete --dry-run=server` of a Pod that is being deleted skips admission and passes; only a forced
dry-run as the Node shows the refusal: `kubectl delete pod NAME --grace-period=0 --force --dry-run=server
--as=system:node:NODE --as-group=system:nodes`.

## References

- pkg/kubelet/status/status_manager.go (syncPod)
- Kubernetes documentation: Validating Admission Policy, Dynamic Admission Control
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.admission._refused import CLUSTER, WRITES, ask_in_turn, describe_write, write_refusals
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import Messages, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, AdmissionPolicy, Webhook, Webhooks
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = write_refusals(pod, snap, "admission-denied", "forbidden")
    denier = _find_denier(said, snap)
    # Unknown guards are no reason to leave the question out.
    guarded: Sign[Any] = (
        Sign(True) if said.value else ask_in_turn(_find_reviewers(pod, snap), said, pod, snap)
    )
    late: Sign[Any] = is_overdue(pod, snap)
    return Signs(
        applies=late if guarded.value is None else all_of([late, guarded]),
        decisive={
            "what refused it is there and covers the write": denier
            if denier.value is not None
            else _ask_guard(denier, guarded)
        },
        supporting={"the kubelet's log says so": said},
        finding=lambda: _make_finding(pod, snap, said.hits[0], (*denier.hits, said.hits[0].object)[0]),
    )


def _ask_guard(denier: Sign[Ref], guarded: Sign[Any]) -> Sign[Ref]:
    """Add the questions about guards to the denier's: the absence of guards decides it too."""
    return denier._replace(wants=unique((*denier.wants, *guarded.wants)))


def _find_denier(said: Sign[Failure], snap: Facts) -> Sign[Ref]:
    """Find the policy, or the configuration of the webhook, that the refusal names and that covers this
    write.
    """
    policies = [f for f in said.hits if f.object and f.object.kind == "ValidatingAdmissionPolicy"]
    if policies:
        named = {(f.object.name, WRITES[f.operation]) for f in policies if f.object}
        return some(
            snap,
            AdmissionPolicies,
            CLUSTER,
            lambda f: [p.ref for p in f.items if _names(p.ref.name, p, named)],
        )
    hooks = {
        (f.object.name, WRITES[f.operation]) for f in said.hits if f.object and f.object.kind == "Webhook"
    }
    if hooks:
        return some(
            snap, Webhooks, CLUSTER, lambda f: [h.configuration for h in f.items if _names(h.name, h, hooks)]
        )
    return Sign(None, wants=said.wants)


def _names(
    name: str | None, one: Webhook | AdmissionPolicy, said: set[tuple[str | None, tuple[str, str]]]
) -> bool:
    return any(name == n and one.covers("", *write) for n, write in said)


def _find_reviewers(pod: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether any webhook or policy reviews the kubelet's last writes in this Namespace."""

    def asks(one: Webhook | AdmissionPolicy) -> bool:
        return one.scope.reaches(pod.within) and any(one.covers("", *write) for write in WRITES.values())

    by_policy = some(snap, AdmissionPolicies, CLUSTER, lambda f: [p.ref for p in f.items if asks(p)])
    by_webhook = some(snap, Webhooks, CLUSTER, lambda f: [h.configuration for h in f.items if asks(h)])
    return any_of([by_policy, by_webhook])


def _make_finding(pod: Ref, snap: Facts, failure: Failure, denier: Ref | None) -> Finding:
    what = describe_write(failure)
    by = who(denier) if denier and denier.name else "the API server"
    node = find_node_of_pod(pod, snap)
    name = node.name if node and node.name else "NODE"
    dry_run = command(
        (
            "kubectl delete {pod} {space} --grace-period=0 --force "
            "--dry-run=server --as=system:node:{node} --as-group=system:nodes"
        ),
        pod=given.of(pod),
        space=given.namespace(pod.within),
        node=given.bare("Node", name),
    )
    return Finding(
        say("{by} refuses {what}", by=by, what=what),
        culprit=denier or Ref("Cluster"),
        blocks=(pod,),
        notes=(same_in_both(failure.message),) if failure.message else (),
        help=(
            Step(
                say(
                    "exclude nodes from its rules (users system:node:*, group system:nodes), with its "
                    "owner's consent"
                ),
                where="source",
                verify=say("the kubelet retries automatically, and the Pod is deleted within seconds"),
            ),
            Step(
                say("reproduce the rejection with the node's identity; nothing is written"),
                command=dry_run,
            ),
        ),
        do_not=(
            DoNot(
                say("force delete one Pod after another"),
                say(
                    "every Pod on every node is rejected alike, and a Pod that is still running would keep "
                    "running without an API object"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.kubelet-write-refused",
    title=say("the API server refuses the kubelet's writes"),
    subjects=("Pod",),
    stages=("containers-stopped", "phase-reported", "final-delete"),
    reads=frozenset({Deletion, Failure, LogSeen, Placement, PodCgroup, Webhooks, AdmissionPolicies}),
    rule=_rule,
)
