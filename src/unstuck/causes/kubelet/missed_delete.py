"""The kubelet missed the deletion of the Pod

## How it happens

The kubelet learns of a deletion by watching the API server. When that watch loses an event and is never
restarted (bugs of client-go and of kubelets around 1.8, a proxy or load balancer that swallows the stream),
the API object has a deletionTimestamp and the kubelet's own copy has none. It keeps running the Pod and is
healthy in every other respect.

## How to tell

Half a minute after the grace period the kubelet's own list (`/pods`) holds the Pod without a
deletionTimestamp, while the kubelet reports to the API server, its `/healthz` is ok and the runtime answers.
No event reports it.

## Known limits

A hung runtime looks exactly the same: the kubelet then processes no changes at all, with `/healthz` ok for
two minutes. So without a sign that the runtime answers (its own reply, or `kubelet_pleg_last_seen_seconds` of
the last minute) this stays open. A log without `SyncLoop DELETE` is no proof below verbosity 2, and
`observedGeneration` also lags when a status update is refused.

## References

- pkg/kubelet/config/apiserver.go, pkg/kubelet/kubelet.go (syncLoop, "Skipping pod synchronization")
- pkg/kubelet/pod/pod_manager.go (the list that `/pods` gives); field notes
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, negate, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease, NodeInfo
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.kubelet import KubeletEndpoints, KubeletHealth, KubeletMetrics, KubeletPod
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.aspects.pod import Life, Placement
from unstuck.facts.aspects.runtime import RuntimeAnswer
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.knowledge.versions import KUBELET_LOSES_DELETES
from unstuck.stages.overdue import is_overdue
from unstuck.stages.runtime import find_daemons, find_hanging_endpoints, is_unresponsive
from unstuck.stages.waiting import reports

say = Messages(__name__)

_PLEG = "kubelet_pleg_last_seen_seconds"
# The kubelet looks at its runtime's containers every second, and calls the PLEG unhealthy after three
# minutes.
_FRESH = timedelta(minutes=1)


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    unaware = some(
        snap, KubeletPod, pod, lambda f: [f] if f.listed and not f.static and f.deleting is None else []
    )
    return Signs(
        applies=reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            # A mirror is the kubelet's own work: it recreates it, and a deletion of it is no order to the
            # kubelet.
            "it is not the mirror of a static Pod": negate(
                some(snap, Life, pod, lambda f: [f] if f.mirror else [])
            ),
            "the kubelet is healthy": _find_healthy(node, snap)
            if node
            else Sign(None, wants=(Want(Placement, pod),)),
            "its runtime answers": _runtime_answers(node, snap)
            if node
            else Sign(None, wants=(Want(Placement, pod),)),
        },
        decisive={"the kubelet's own list contains it without a deletionTimestamp": unaware},
        finding=lambda: _make_finding(pod, node, snap),
    )


def _find_healthy(node: Ref, snap: Facts) -> Sign[Any]:
    """Decide by its `/healthz?verbose` from inside the cluster, or by the answer of its local port on the
    node.
    """
    own = some(snap, KubeletHealth, node, lambda f: [f] if f.answered and f.ok else [])
    facts = tuple(f for f in snap.of(DaemonState, node) if f.daemon == "kubelet" and f.answers is not None)
    local: Sign[Any] = (
        Sign(facts[0].answers, facts if facts[0].answers else (), facts) if facts else Sign(None)
    )
    known = [s for s in (own, local) if s.value is not None]
    if any(s.value is False for s in known):
        return Sign(False, seen=tuple(f for s in known if s.value is False for f in s.seen))
    return any_of(known) if known else own


def _runtime_answers(node: Ref, snap: Facts) -> Sign[Any]:
    silent = is_unresponsive(node, snap, find_daemons(node, snap))
    hanging = find_hanging_endpoints(node, snap)
    last = [(f, s.value) for f in snap.of(KubeletMetrics, node) for s in f.items if s.name == _PLEG]
    old = tuple(f for f, at in last if abs(snap.now.timestamp() - at) > _FRESH.total_seconds())
    if silent.value or hanging.value or old:
        return Sign(False, seen=(*silent.seen, *hanging.seen, *old))
    fresh: Sign[Any] = (
        Sign(True, tuple(f for f, _ in last), tuple(f for f, _ in last))
        if last
        else Sign(None, wants=(Want(KubeletMetrics, node),))
    )
    return any_of([s for s in (negate(silent), fresh) if s.value] or [fresh, negate(silent)])


def _make_finding(pod: Ref, node: Ref | None, snap: Facts) -> Finding:
    name = (node.name if node else None) or "NODE"
    info = snap.one(NodeInfo, node) if node else None
    version = f" ({info.kubelet})" if info and info.kubelet else ""
    return Finding(
        say(
            (
                "The kubelet{version} of Node {name} missed the Pod's deletion: in its own list the Pod has "
                "no deletionTimestamp"
            ),
            version=version,
            name=name,
        ),
        culprit=Ref("Kubelet", node.name if node else None, "kubelet"),
        blocks=(pod,),
        notes=(
            say(
                "the kubelet is healthy and its runtime responds: its watch on the API "
                "server has lost this change"
            ),
            *_find_known_bug(info),
        ),
        help=(
            Step(
                say(
                    "save its log first, then restart the kubelet: it lists all its Pods again; containers "
                    "keep running"
                ),
                where=f"node:{name}",
                command=command("systemctl restart kubelet"),
                risk="reversible",
                verify=say("within a minute the Pod ends in its grace period"),
            ),
            Step(
                say(
                    "if it happens again: upgrade the kubelet, and check proxies and load balancers between "
                    "it and the API server"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("force delete the Pod"),
                say(
                    "its containers are running, and a kubelet unaware of the deletion would not stop them: "
                    "a second writer is possible"
                ),
            ),
        ),
    )


def _find_known_bug(info: NodeInfo | None) -> tuple[Text, ...]:
    """Return a note if this version is known for it."""
    if info is None or not KUBELET_LOSES_DELETES.has(info.kubelet):
        return ()
    return (say("1.8 kubelets are known to lose a deletion"),)


CAUSE = Cause(
    id="kubelet.missed-delete",
    title=say("the kubelet missed a Pod's deletion"),
    subjects=("Pod",),
    stages=("kubelet-saw-it",),
    reads=frozenset(
        {
            KubeletPod,
            KubeletHealth,
            KubeletMetrics,
            KubeletEndpoints,
            RuntimeAnswer,
            DaemonState,
            Deletion,
            Life,
            Placement,
            NodeInfo,
            Conditions,
            Lease,
        }
    ),
    rule=_rule,
)
