"""A Pod cannot be evicted from a cordoned Node: its PodDisruptionBudget allows none

## How it happens

A drain cordons a Node and asks for the eviction of each of its Pods; a Pod whose budget allows no disruption
stays, and the drain asks again forever. One Pod of the set is not Ready and uses up the budget, or the budget
requires all existing Pods (one replica with `minAvailable: 1`, `maxUnavailable: 0`), so that none can ever
go. A Pod that more than one budget selects can never be evicted, regardless of the budgets. It leaves no
trace: no Event, no condition, no deletionTimestamp.

## How to tell

The Node is cordoned (`spec.unschedulable`). A Pod on it is selected by a PodDisruptionBudget with
`status.disruptionsAllowed: 0`, and is not one that a drain skips (finished, of a DaemonSet, a mirror). The
drain prints `Cannot evict pod as it would violate the pod's disruption budget`.

## Known limits

A cordoned Node need not be in a drain: the only proof is that this Pod would not be evicted now. A budget
allows none for a moment whenever one of its Pods has moved, so the Node is called stuck only after a minute
of it, and at once where it can never allow any. From the output of `kubectl drain` alone it is likely: the
budgets show which one it is, and why.

## References

- Kubernetes documentation: Safely Drain a Node, Specifying a Disruption Budget; KEP-3017
- pkg/registry/core/pod/storage/eviction.go
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.disruption import DisruptionBudget, Evictions, Guarded
from unstuck.facts.aspects.objects import Failure, Names
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import find_pasted
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_ALLOWS = say("`kubectl get pdb` shows ALLOWED DISRUPTIONS above 0")
_PAST_IT = DoNot(
    say("delete the Pod, or drain with --disable-eviction"),
    say("deletion bypasses the budget: the protected service or quorum may be lost"),
)


def _rule(node: Ref, snap: Facts) -> Signs:
    held = some(snap, Evictions, node, lambda f: f.items)
    said = hearsay(
        snap, Failure, node, lambda f: [f] if f.operation == "evict" and f.error == "budget-blocked" else []
    )
    return Signs(
        applies=some(snap, NodeShape, node, lambda f: ["cordoned"] if f.cordoned else []),
        decisive={"a Pod on it has a budget that allows no disruption": held},
        supporting={"a drain reports it": said},
        finding=lambda: (
            _make_finding(node, held.hits) if held.hits else _make_finding_by_words(node, said.hits, snap)
        ),
    )


def _make_finding_by_words(node: Ref, said: tuple[Failure, ...], snap: Facts) -> Finding:
    """Return the finding from a drain's output alone, with the budget that guards the Pod, if it was seen
    beside them.
    """
    pods = unique(f.object for f in said if f.object)
    first = pods[0] if pods else Ref("Pod")
    others = ", ".join(who(p) for p in pods[1:5])
    also = (say("also: {others}", others=others),) if others else ()
    guard = _find_guard(first, snap)
    if guard is None:
        return _make_finding_without_budgets(node, first, pods, also, _find_listed_budget(first, snap))
    return Finding(
        say(
            "{pod} cannot be evicted: {budget} allows no disruption now; it requires {desired} of "
            "{expected} Pods, and {healthy} {healthy:is|are} healthy",
            pod=who(first),
            budget=who(guard.budget),
            desired=guard.desired,
            expected=guard.expected,
            healthy=guard.healthy,
        ),
        culprit=guard.budget,
        blocks=(node, *pods),
        notes=also,
        help=(_make_room(guard) if guard.every else _heal(guard),),
        do_not=(_PAST_IT,),
    )


def _find_guard(pod: Ref, snap: Facts) -> Guarded | None:
    """Return the Pod with the budget of this name that allows no disruption; None if none was seen, or
    several may be meant.
    """
    seen = [
        f
        for f in snap.every(DisruptionBudget)
        if f.allowed <= 0 and f.about.name and pod.within in (None, f.about.within)
    ]
    named = [f for f in seen if (pod.name or "").startswith(f"{f.about.name}-")] or seen
    if len(named) != 1:
        return None
    (f,) = named
    return Guarded(pod, f.about, f.healthy, f.desired, f.expected)


def _find_listed_budget(pod: Ref, snap: Facts) -> str:
    """Return the name of the listed budget that begins the Pod's name, the longest one; "" if none does."""
    names = find_pasted("PodDisruptionBudget", pod.within, snap)
    return max((n for n in names if (pod.name or "").startswith(f"{n}-")), key=len, default="")


def _heal(guard: Guarded) -> Step:
    return Step(
        say(
            "make the Pods that it selects and that are not Ready healthy; the drain continues automatically"
        ),
        command=command("kubectl get pods {space} -o wide", space=given.space(guard.budget)),
        verify=_ALLOWS,
    )


def _make_finding_without_budgets(
    node: Ref, first: Ref, pods: tuple[Ref, ...], also: tuple[Text, ...], listed: str
) -> Finding:
    """Return the finding without budgets, which were not seen. also: the other Pods that are held. listed:
    the name of its budget in a list, "" if none.
    """
    says = say(
        "{first} cannot be evicted from {node}: a PodDisruptionBudget allows no disruption now",
        first=who(first),
        node=who(node),
    )
    if listed:
        says += say("; by its name it is {listed}", listed=listed)
    return Finding(
        says,
        culprit=first,
        blocks=(node, *pods),
        notes=also,
        help=(
            Step(
                say(
                    "see which budget selects it: if fewer Pods are healthy than it requires, one of them "
                    "is not Ready; make that one Ready"
                ),
                command=command("kubectl get pdb {space}", space=given.space(first))
                if first.within
                else command("kubectl get pdb -A"),
                verify=_ALLOWS,
            ),
            Step(
                say(
                    "if it requires every Pod, add one replica while the node is drained, or ask its owner "
                    "to allow one disruption"
                ),
                where="source",
            ),
        ),
        do_not=(_PAST_IT,),
    )


def _make_finding(node: Ref, held: tuple[Guarded, ...]) -> Finding:
    several = next((g for g in held if g.besides), None)
    if several is not None:
        return _make_finding_of_several(node, several, held)
    first = held[0]
    budget = who(first.budget)
    unready = next(iter(first.unready), None)
    pods = tuple(dict.fromkeys(g.pod for g in held))
    counts = say(
        "{budget} requires {desired} healthy, has {healthy} of {expected}",
        budget=budget,
        desired=first.desired,
        healthy=first.healthy,
        expected=first.expected,
    )
    why: tuple[Text, ...] = (counts,)
    if unready:
        why += (say("{unready} counts towards it and is not Ready", unready=who(unready)),)
    elif first.every:
        why += (say("it requires every Pod, so none can ever be evicted"),)
    if len(pods) > 1:
        others = ", ".join(who(p) for p in pods[1:5])
        why += (say("also: {others}", others=others),)
    return Finding(
        say(
            "{node} is cordoned, and {pod} cannot be evicted from it: {budget} allows no disruption now",
            node=who(node),
            pod=who(first.pod),
            budget=budget,
        ),
        culprit=unready or first.budget,
        blocks=(node, *pods),
        notes=why,
        help=(_repair(unready) if unready else _make_room(first),),
        do_not=(_PAST_IT,),
    )


def _make_finding_of_several(node: Ref, first: Guarded, held: tuple[Guarded, ...]) -> Finding:
    """Return the finding about a Pod that more than one budget selects: neither more replicas nor healthy
    ones help.
    """
    budgets = (first.budget, *first.besides)
    names, pod = ", ".join(b.name or "?" for b in budgets), who(first.pod)
    return Finding(
        say(
            (
                "{node} is cordoned, and {pod} cannot be evicted from it: {count} PodDisruptionBudgets "
                "select it ({names})"
            ),
            node=who(node),
            pod=pod,
            count=len(budgets),
            names=names,
        ),
        culprit=first.budget,
        blocks=(node, *dict.fromkeys(g.pod for g in held)),
        notes=(
            say(
                "the eviction subresource supports one budget for a Pod, and refuses "
                "whatever each of them allows"
            ),
        ),
        help=(
            Step(
                say(
                    "narrow the selectors until one budget alone selects the Pod, or "
                    "merge them; in their source"
                ),
                where="source",
                command=command("kubectl get pdb {space}", space=given.space(first.budget)),
                verify=say("the drain's next try evicts the Pod"),
            ),
        ),
        do_not=(_PAST_IT,),
    )


def _repair(unready: Ref) -> Step:
    return Step(
        say("make {unready} Ready; the drain continues automatically", unready=who(unready)),
        command=ask_why(unready),
        verify=_ALLOWS,
    )


def _make_room(held: Guarded) -> Step:
    return Step(
        say("add one replica while the node is drained, or ask its owner to allow one disruption"),
        where="source",
        command=command(
            "kubectl describe {budget} {space}",
            budget=given.obj("pdb", held.budget.name),
            space=given.space(held.budget),
        ),
        verify=_ALLOWS,
    )


CAUSE = Cause(
    id="deletion.eviction-blocked",
    title=say("a PodDisruptionBudget allows no eviction"),
    subjects=("Node",),
    stages=(),
    reads=frozenset({NodeShape, DisruptionBudget, Evictions, Failure, Names}),
    rule=_rule,
)
