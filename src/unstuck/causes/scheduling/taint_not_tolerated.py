"""Every eligible Node has a taint that the Pod does not tolerate

## How it happens

An administrator reserves Nodes for certain Pods by a taint (`dedicated=gpu:NoSchedule`), or a tool taints
them until they are ready (a cloud provider's `uninitialized`, a network plugin's own), and the Pod has no
toleration for it. If the Pod has Nodes without such a taint left, this is not the cause: then look for their
obstacle.

## How to tell

The condition says `node(s) had untolerated taint(s)` (older schedulers name the taint). Compared with the
objects, every Node that the Pod's selector and affinity choose has a custom taint; the taint is named, with
the toleration that lacks.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.34)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._said import Reason, find_statement_reasons
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.startup_taints import STARTUP_TAINTS

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "taint-not-tolerated"
# `{key: value}`, 1.18–1.33: without its effect.
_SAID = regex(r"taint \{(?P<key>[\w./-]{1,316}): (?P<value>[\w.-]{0,63})\}")
# The controller that adds such a taint removes it once its Node is fit for Pods.
_OWNED = {
    **{t.key: t.by for t in STARTUP_TAINTS},
    "node.cloudprovider.kubernetes.io/shutdown": "cloud-controller-manager",
    "karpenter.sh/disrupted": "karpenter",
    "karpenter.sh/disruption": "karpenter",
    "ToBeDeletedByClusterAutoscaler": "cluster-autoscaler",
}
# Whose effect is known: cmd/kubeadm/app/constants/constants.go.
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def _words(text: str) -> bool:
    return "taint" in text and "node.kubernetes.io/" not in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    def finding(at: PlacementAnalysis | None, hits: tuple[NodeRejection, ...]) -> Finding:
        return _make_finding(
            pod,
            at,
            tuple(r.what for r in hits) or _list_taints(find_statement_reasons(pod, snap, _names_taint).hits),
        )

    return _placed.make_signs(pod, snap, _KIND, _words, finding, _names_taint)


def _names_taint(text: str) -> bool:
    return _words(text) and "{" in text


def _list_taints(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return the taints that the scheduler names, the most frequent first."""
    by_count = sorted(reasons, key=lambda r: (-r[1], r[0]))
    found = [(m["key"], m["value"]) for text, _ in by_count if (m := _SAID.search(text))]
    return tuple(f"{k}={v}" if v else k for k, v in dict.fromkeys(found))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, taints: tuple[str, ...]) -> Finding:
    taint = taints[0] if taints else ""
    says = _placed.name_nodes(at, _KIND) + (
        say(" have taint {taint}, which the Pod does not tolerate", taint=taint)
        if taint
        else say(" have a taint the Pod does not tolerate")
    )
    others = tuple(say("others have {t}", t=t) for t in taints[1:4])
    return Finding(
        says,
        culprit=Ref("Taint", None, taint or None),
        blocks=(pod,),
        notes=others,
        help=_help(taint),
        do_not=(
            DoNot(
                say("tolerate everything (operator: Exists without a key)"),
                say("the Pod would also stay on failing nodes"),
            ),
        ),
    )


def _help(taint: str) -> tuple[Step, ...]:
    if owner := _OWNED.get(_key(taint)):
        return (
            Step(
                say(
                    "check that {owner} is running and what it logs about these nodes: it removes the taint "
                    "automatically once they are ready for Pods",
                    owner=owner,
                ),
                command=command("kubectl get pods -A -o wide"),
                verify=_placed.PLACED,
            ),
        )
    toleration = Step(_describe_toleration(taint), where="source", verify=_placed.PLACED)
    look = Step(
        say("see which nodes have it, and with what effect"),
        command=command("kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints"),
    )
    whole = taint if ":" in taint else f"{taint}:NoSchedule" if taint in _CONTROL_PLANE else ""
    lift = Step(
        say("or remove the taint from an intended node (replace NODE with its name)"),
        command=command("kubectl taint node NODE {taint}-", taint=given.taint(whole)),
        risk="reversible",
        undo=command("kubectl taint node NODE {taint}", taint=given.taint(whole)),
        verify=_placed.PLACED,
    )
    return (*([look] if taint and ":" not in taint else []), toleration, *([lift] if whole else []))


def _key(taint: str) -> str:
    return taint.rpartition(":")[0].partition("=")[0] if ":" in taint else taint.partition("=")[0]


def _describe_toleration(taint: str) -> Text:
    if not taint:
        return say("add the missing toleration to the owner's template")
    pair, _, effect = taint.rpartition(":") if ":" in taint else (taint, "", "")
    key, _, value = pair.partition("=")
    parts = [
        f"key: {key}",
        *(["operator: Equal", f"value: {value}"] if value else ["operator: Exists"]),
        *([f"effect: {effect}"] if effect else []),
    ]
    shown = "{" + ", ".join(parts) + "}"
    return say("if the Pod is meant for these nodes, add to its owner's tolerations: {shown}", shown=shown)


CAUSE = Cause(
    id="scheduling.taint-not-tolerated",
    title=say("every eligible node has a taint the Pod does not tolerate"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
