"""The Node has no address range for its Pods

## How it happens

kube-controller-manager gives each Node its range (`spec.podCIDR`), where it runs with `--allocate-node-cidrs`
and a `--cluster-cidr` that has ranges left. With `--pod-network-cidr` forgotten at `kubeadm init`, or more
Nodes than ranges, a Node has none, and an add-on that depends on it (flannel, kubenet, kube-router, the
cloud's routes) does not set the Node's network up.

## How to tell

The add-on says `node "x" pod cidr not assigned`, kubenet `lack of PodCIDR`; and the Node's `spec.podCIDR` is
empty. If only the controller manager reports it (`no remaining CIDRs left to allocate`, `CIDRNotAvailable`)
and the Node's network is not ready, it is likely.

## Known limits

Add-ons with their own address management (Calico, Cilium in most modes, the clouds' own) need no such range:
an empty field alone is no evidence, and a controller manager that runs with `--allocate-node-cidrs` beside
them reports `CIDRNotAvailable` for healthy Nodes.

## References

- Kubernetes pkg/controller/nodeipam; flannel pkg/subnet/kube/kube.go; documentation of kubeadm init,
  `--pod-network-cidr`
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(node: Ref, snap: Facts) -> Signs:
    said = hearsay(
        snap,
        Failure,
        node,
        lambda f: [f.message] if f.error == "pod-cidr-missing" and not _allocators(f.message) else [],
    )
    words = hearsay(
        snap,
        Failure,
        node,
        lambda f: [f.message] if f.error == "pod-cidr-missing" and _allocators(f.message) else [],
    )
    event = hearsay(
        snap, Events, node, lambda f: [e.message for e in f.items if e.reason == "CIDRNotAvailable"]
    )
    told: Sign[str] = only_yes(any_of([words, event]))
    none = some(snap, NodeInfo, node, lambda f: ["none"] if f.pod_cidrs == () else [])
    offline = some(snap, Conditions, node, _list_without_network)
    needed: Sign[str] = all_of([none, said])
    if needed.value is None and told.value and none.value is not False:
        needed = Sign(None, told.hits, told.seen, none.wants)
    lacking: Sign[str] = all_of([none, offline, told])
    return Signs(
        decisive={"the network add-on needs the Node's range, and it has none": needed},
        supporting={
            "the network add-on says that the Node has no range": said,
            "the controller has no range left for it, and its network is not ready": only_yes(lacking),
        },
        finding=lambda: _make_finding(node, (*said.hits, *told.hits)),
    )


def _allocators(message: str) -> bool:
    """Tell whether the message is from the controller that allocates ranges, even if no add-on uses them."""
    return "no remaining CIDRs" in message or "CIDRNotAvailable" in message


def _list_without_network(f: Conditions) -> list[str]:
    """Return the message of the kubelet, or of the route controller, about a missing network."""
    return [
        c.type
        for c in f.items
        if (c.type == "Ready" and c.status != "True" and "NetworkReady=false" in c.message)
        or (c.type == "NetworkUnavailable" and c.status == "True")
    ]


def _make_finding(node: Ref, said: tuple[str, ...]) -> Finding:
    name = node.name or "NODE"
    full = any("remaining" in text or "CIDRNotAvailable" in text for text in said)
    mend = (
        say(
            "free ranges: a smaller range for new nodes (--node-cidr-mask-size), or delete Nodes that are "
            "gone for good"
        )
        if full
        else say(
            "run kube-controller-manager with --allocate-node-cidrs=true and the --cluster-cidr that the "
            "add-on expects"
        )
    )
    return Finding(
        say("Node {name} has no address range for its Pods", name=name),
        culprit=Ref("PodCIDR", node.name, "podCIDR"),
        blocks=(node,),
        help=(
            Step(
                say("see which nodes have a range"),
                command=command("kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR"),
            ),
            Step(mend, where="source", verify=say("the Node's spec.podCIDR is set")),
        ),
        do_not=(
            DoNot(
                say("set spec.podCIDR to a range another node may have"),
                say("two nodes would assign the same addresses to their Pods, and the field is immutable"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.pod-cidr-missing",
    title=say("the node has no Pod CIDR"),
    subjects=("Node",),
    reads=frozenset({Conditions, Failure, Events, NodeInfo}),
    rule=_rule,
)
