"""The manifest of a static Pod that a Service without Pods is meant for: on its node it has the labels, and
in the API there is no such Pod.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.kubelet import StaticPod, StaticPods
from unstuck.facts.aspects.services import Pairs
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({StaticPods})
_IN_SIGHT = Ref("Cluster")
_QUOTED = 240
_LISTED = say("kubectl get endpointslices lists the Pods' addresses")


def tell_static_pod(service: Ref, selector: Pairs, snap: Facts) -> NodeWords:
    """Return the static Pod of a node in sight that has the labels, and why the API has no such Pod in the
    Service's Namespace.
    """
    want = Want(StaticPods, _IN_SIGHT)
    wants = () if snap.answered(want) else (want,)
    for found in snap.every(StaticPods):
        meant = [pod for pod in found.items if set(selector) <= set(pod.labels) and _explains(pod, service)]
        if not meant:
            continue
        pod = min(meant, key=lambda p: (not p.refused, p.left_out == "directory", p.file))
        says = say("; on Node {node} the manifest {file} has them", node=found.node, file=pod.file)
        says += _tell_why(pod, service, found)
        return NodeWords(says, _make_steps(pod, service, found), (found,), wants, decides=True)
    return NodeWords(wants=wants)


def _explains(pod: StaticPod, service: Ref) -> bool:
    return bool(pod.left_out or pod.refused or pod.kind != "Pod" or pod.pod.within != service.within)


def _tell_why(pod: StaticPod, service: Ref, found: StaticPods) -> Text:
    if pod.left_out == "dot":
        return say(", which the kubelet leaves out: its name begins with a dot")
    if pod.left_out and not found.path:
        return say(", and the kubelet there has no staticPodPath: it reads no manifest")
    if pod.left_out:
        return say(", and the kubelet there reads only {path} (staticPodPath)", path=found.path)
    if pod.kind != "Pod":
        return say(
            ": it is a {kind}, and the kubelet makes nothing but Pods from its manifests", kind=pod.kind
        )
    says = NO_TEXT
    if pod.pod.within != service.within:
        says = say(
            ", and is in Namespace {within}: a Service reaches only the Pods of its own, {own}",
            within=pod.pod.within,
            own=service.within,
        )
    if pod.refused:
        says += say(
            "; the kubelet there cannot create its mirror Pod in the API: “{message}”",
            message=pod.refused[:_QUOTED],
        )
    return says


def _make_steps(pod: StaticPod, service: Ref, found: StaticPods) -> tuple[Step, ...]:
    if pod.left_out == "dot":
        change = say("rename {file} without the leading dot", file=pod.file)
    elif pod.left_out:
        change = say(
            "move {file} to the directory of staticPodPath, or set staticPodPath in the kubelet's "
            "configuration and restart the kubelet",
            file=pod.file,
        )
    elif pod.kind != "Pod":
        change = say(
            "apply {file} with kubectl, and remove it there; or write a Pod in its place", file=pod.file
        )
    elif pod.pod.within != service.within:
        change = say("set namespace: {own} in {file}", own=service.within, file=pod.file)
    else:
        change = say("change {file} so that the API server accepts its mirror Pod", file=pod.file)
    return (
        Step(
            say("on Node {node}: ", node=found.node) + change,
            where=place_on_node(found.node),
            command=command("cat {file}", file=given.path(pod.file)),
            verify=_LISTED,
        ),
    )
