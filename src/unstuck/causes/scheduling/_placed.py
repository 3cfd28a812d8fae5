"""The results of the scheduler's filters for a waiting Pod, from the objects: the decisive evidence for every
cause of this family.

The scheduler's own message must agree before the results prove a cause: the objects are current, the message
is from its last try.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from unstuck.causes.scheduling._said import Reason, find_condition, find_statement_reasons
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions, Event, Events, Names
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.pod import Life
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.listed import find_lists
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

T = TypeVar("T")
READS: frozenset[type[Fact]] = frozenset({Unschedulable, PlacingInputs, Conditions, Life, Events, Names})
_LONGEST = 300
CLUSTER = Ref("Cluster")
# Nodes that take only Pods made for them: cmd/kubeadm/app/constants/constants.go and rke's own; EKS on
# Fargate (one micro VM each); virtual-kubelet (pkg/node, and AKS' virtual nodes).
_NOT_MEANT = regex(
    r"taint \{(?:node-role\.kubernetes\.io/(?:master|control-plane|controlplane|etcd)"
    r"|virtual-kubelet\.io/provider"
    r"|eks\.amazonaws\.com/compute-type): "
)
# Properties of a Node alone, regardless of its Pods: such a Node may not be intended for the Pod. Unhealthy
# and cordoned Nodes are.
_OWN = regex(r"taint(?!.*\{node\.kubernetes\.io/)|node selector|Pod's node affinity")
# The scheduler's messages about a volume tied to other Nodes, 1.9 to 1.34:
# pkg/scheduler/framework/plugins/volumebinding, volumezone.
_OF_VOLUMES = regex(
    r"volume node affinity conflict|match PersistentVolume's node affinity|no available volume zone"
)
_BOUND_LATER = say(
    "a class with volumeBindingMode: WaitForFirstConsumer makes a new volume only where its Pod fits"
)
OBJECTS = Want(PlacingInputs, CLUSTER)


def find_known_analysis(pod: Ref, snap: Facts) -> PlacementAnalysis | None:
    """Return the analysis of a waiting Pod; None if the objects were not read, or do not have the Pod as
    waiting.
    """
    inputs = snap.one(PlacingInputs, CLUSTER)
    if inputs is None:
        return None
    from unstuck.scheduling.analysis import (
        find_analysis,
    )  # all filters: only where there are objects to hold against them

    return find_analysis(inputs, pod.within or "", pod.name or "")


def find_rejections(pod: Ref, snap: Facts, mine: Callable[[NodeRejection], bool]) -> Sign[NodeRejection]:
    """Return yes if a refusal that is `mine` keeps the Pod waiting, and the scheduler's last words give the
    same reasons.

    No if the objects are complete and the reason is another. Unknown while a decisive fact is, or the two
    differ.
    """
    inputs, at = snap.one(PlacingInputs, CLUSTER), find_known_analysis(pod, snap)
    if inputs is None or at is None or not at.certain:
        return Sign(None, seen=(inputs,) if inputs else (), wants=(OBJECTS,))
    hits = tuple(r for kind in at.blamed for r in at.of_kind(kind) if mine(r))
    if at.decision.held:
        return Sign(bool(hits), hits, (inputs,))
    statement = find_condition(pod, snap)
    if statement is None or not at.agrees(text for text, _ in statement.reasons):
        return Sign(None, hits, (inputs,) if hits else (), (Want(Conditions, pod),))
    return Sign(bool(hits), hits, (statement, inputs))


def fall_back_on(objects: Sign[NodeRejection], less: Sign[T]) -> Sign[NodeRejection] | Sign[T]:
    """Return the result of all objects and, while that is open, of fewer."""
    if objects.value is not None:
        return objects
    return (
        less
        if less.value is not None
        else Sign(None, objects.hits, objects.seen, unique((*objects.wants, *less.wants)))
    )


def combine_words_and_objects(said_: Sign[Reason], shown: Sign[NodeRejection]) -> Sign[Any]:
    """Return the common result of both: the scheduler names only the first refusal of a Node; if its message
    and the objects agree, the other refusals are equally true.

    If not, a message that the objects do not confirm is from an earlier try, and no "no".
    """
    if said_.value:
        return said_
    if shown.value:
        return shown
    return Sign(None, wants=shown.wants) if shown.value is None and shown.hits else said_


def find_current_reasons(
    said_: Sign[Reason], pod: Ref, snap: Facts, mine: Callable[[NodeRejection], bool]
) -> Sign[Reason]:
    """Find the scheduler's message, unless the objects, all known, have no refusal that is `mine` on any
    Node: then it is outdated, or about a Node whose kubelet had not reported yet. Unknown in that case.
    """
    at = find_known_analysis(pod, snap)
    if at is None or not at.certain or any(mine(r) for refusals in at.groups for r in refusals):
        return said_
    return Sign(None)


def make_signs(
    pod: Ref,
    snap: Facts,
    kind: str,
    words: Callable[[str], bool],
    finding: Callable[[PlacementAnalysis | None, tuple[NodeRejection, ...]], Finding],
    plain: Callable[[str], bool] | None = None,
) -> Signs:
    """Return the signs of a cause that is one kind of refusal.

    words: whether a reason of the scheduler may be this kind. plain: whether it can only be this kind; as
    `words` by default. finding: from the analysis, None if the objects were not read, and the refusals of
    this kind.
    """
    named = find_statement_reasons(pod, snap, words)
    shown = find_rejections(pod, snap, lambda r: r.kind == kind)
    alone = any(covers_every_node(f, plain or words) for f in snap.of(Unschedulable, pod))

    def told() -> Finding:
        return add_rest(
            _make_share_finding(finding(find_known_analysis(pod, snap), shown.hits), pod, snap, words),
            pod,
            snap,
            words,
        )

    return Signs(
        necessary={"the scheduler says so": combine_words_and_objects(named, shown)},
        decisive={
            "held against the objects, it is what keeps the Pod from the Nodes that come nearest": shown
        },
        supporting={
            "the scheduler says so of every Node": named if alone else Sign(None, named.hits, named.seen)
        },
        finding=lambda: add_scalers(told(), pod, snap),
    )


def add_rest(finding: Finding, pod: Ref, snap: Facts, words: Callable[[str], bool]) -> Finding:
    """Return the finding with the scheduler's other reasons, if its message is the only evidence: each is
    true, and none is left out.

    words: whether a reason is the finding's own.
    """
    statement = _statement_with(pod, snap, words)
    others = [(text, n) for text, n in statement.reasons if not words(text)] if statement else []
    if statement is None or not others:
        return finding
    rest = ", ".join(f"{n} {text}" for text, n in others)
    if (
        all(_OF_VOLUMES.search(text) for text, _ in others)
        and sum(n for _, n in statement.reasons) == statement.nodes
    ):
        # Each Node has one reason: the volume leaves no other choice.
        only = say(
            "; from the others its volume cannot be reached ({rest}), so it can be placed nowhere else",
            rest=rest,
        )
        return replace(finding, says=finding.says + only, notes=(*finding.notes, _BOUND_LATER))
    return replace(finding, says=finding.says + say("; the scheduler also says: {rest}", rest=rest))


def _make_share_finding(finding: Finding, pod: Ref, snap: Facts, words: Callable[[str], bool]) -> Finding:
    """Return the finding with the scheduler's number of Nodes, if it gives other reasons for the rest."""
    statement = _statement_with(pod, snap, words)
    mine = sum(n for text, n in statement.reasons if words(text)) if statement else 0
    if statement is None or mine >= (statement.nodes or 0):
        return finding
    return replace(
        finding, says=finding.says + say(" ({mine} of {nodes} Nodes)", mine=mine, nodes=statement.nodes)
    )


def _statement_with(pod: Ref, snap: Facts, words: Callable[[str], bool]) -> Unschedulable | None:
    """Return the scheduler's message with such a reason; None if the objects were read, which are better
    evidence.
    """
    if find_known_analysis(pod, snap) is not None:
        return None
    return next(
        (f for f in snap.of(Unschedulable, pod) if f.nodes and any(words(text) for text, _ in f.reasons)),
        None,
    )


def add_scalers(finding: Finding, pod: Ref, snap: Facts) -> Finding:
    """Return the finding with an autoscaler's reason for adding no Nodes: the last word of each."""
    said = {
        who: e.message
        for f in snap.of(Events, pod)
        for e in sorted(f.items, key=_read_time)
        if (who := _scaler(e))
    }
    notes = tuple(
        say("{who}: {shortened}", who=who, shortened=shorten(words)) for who, words in sorted(said.items())
    )
    return replace(finding, notes=(*finding.notes, *notes))


def _scaler(event: Event) -> str:
    """Return the autoscaler behind an Event: the cluster autoscaler has its own reason, Karpenter uses the
    scheduler's.
    """
    if event.reason in ("NotTriggerScaleUp", "FailedToScaleUp"):
        return "cluster-autoscaler"
    return (
        "karpenter" if event.reason == "FailedScheduling" and event.reporter.startswith("karpenter") else ""
    )


def _read_time(event: Event) -> float:
    return event.last.timestamp() if event.last else 0.0


def shorten(words: str) -> str:
    """Return the text in one line, cut between two words."""
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0]} …"


def covers_every_node(statement: Unschedulable, mine: Callable[[str], bool]) -> bool:
    """Tell whether reasons that are `mine` hold for each Node intended for such a Pod: some taints exclude a
    Node.

    If some Nodes pass all filters that look at a Node by itself, they come nearest: the Pod waits for their
    refusals. Without a number of Nodes, the reasons hold if there are no others.
    """
    meant = [r for r in statement.reasons if not _NOT_MEANT.search(r[0])] or list(statement.reasons)
    if statement.nodes and sum(n for _, n in statement.reasons) == statement.nodes:
        meant = [r for r in meant if not _OWN.search(r[0])] or meant
    found = [r for r in meant if mine(r[0])]
    left = (statement.nodes or 0) - sum(n for text, n in statement.reasons if (text, n) not in meant)
    return bool(found) and (sum(n for _, n in found) == left if statement.nodes else len(found) == len(meant))


def name_nodes(at: PlacementAnalysis | None, kind: str) -> Text:
    """Return `2 of 3 Nodes`; "the Nodes" if they were not read, or cannot be told apart."""
    n, total = (len(at.blamed.get(kind, ())), at.decision.nodes) if at else (0, 0)
    if not n:
        return say("the Nodes")
    return say("{count} of {total} Nodes", count=n, total=total)


def find_only_node(pod: Ref, snap: Facts) -> str | None:
    """Return the one Node that the Pod may go to by its required affinity, as a DaemonSet's; None if that
    leaves a choice.
    """
    at = find_known_analysis(pod, snap)
    if at is None or at.pod.shape.spec.node_affinity is None:
        return None
    from unstuck.scheduling.filters.node_affinity import nodes_named

    names = nodes_named(at.pod.shape.spec.node_affinity)
    return next(iter(names)) if names and len(names) == 1 else None


def list_closed_nodes(at: PlacementAnalysis | None, kind: str) -> tuple[str, ...]:
    """Return the Nodes that this keeps closed, in order."""
    return tuple(sorted(at.blamed.get(kind, ()))) if at else ()


def make_nodes_ref(names: tuple[str, ...]) -> Ref:
    """Return one culprit for several Nodes: equal for every Pod that they keep waiting."""
    if len(names) == 1:
        return Ref("Node", None, names[0])
    return Ref(
        "Nodes",
        None,
        f"{', '.join(names[:3])} (+{len(names) - 3})" if len(names) > 3 else ", ".join(names) or None,
    )


PLACED = say("the scheduler retries automatically, and the Pod is scheduled within seconds")


def quote_taints(hits: tuple[NodeRejection, ...]) -> Text:
    """Return the taints in brackets."""
    shown = ", ".join(dict.fromkeys(r.what for r in hits if r.what))
    return say(" ({shown})", shown=shown) if shown else NO_TEXT


def tell_unlisted_labels(snap: Facts) -> Text:
    """Return what a pasted list of the Nodes with some labels says, if it is empty: nobody asks for other
    labels than the Pod's.
    """
    labels = next((f.selector for f in find_lists("Node", None, snap) if f.selector and not f.names), "")
    return say("; no Node has {labels}, as a list beside it shows", labels=labels) if labels else NO_TEXT
