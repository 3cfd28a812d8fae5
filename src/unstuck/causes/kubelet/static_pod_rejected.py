"""The kubelet does not accept the manifest of a static Pod

## How it happens

A file in the kubelet's directory of static Pods does not parse, is no valid Pod, or has a field that a static
Pod may not have: since Kubernetes 1.34 it may reference no Secret, ConfigMap, ServiceAccount, PVC or other
object of the API server, which earlier kubelets let through. After an upgrade the Pod is then simply missing.

## How to tell

The Node is Ready, the Pod and its mirror do not exist, and no Event reports it. The kubelet's log repeats
`"Could not process manifest file" err="static pods may not reference secrets"
path="/etc/kubernetes/manifests/…"` every 20 s, while the file exists.

## Known limits

A kubelet that reads its directory less often than every 45 s (`fileCheckFrequency`) leaves this open. A
static Pod that is accepted and then does not start is a Pod like any other, by its mirror.

## References

- Kubernetes pkg/kubelet/config/file.go, common.go (1.34); feature gate PreventStaticPodAPIReferences
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import StaticManifests
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.static_pods import find_rejected_manifests

say = Messages(__name__)

_REFERENCE = "static pods may not"


def _rule(node: Ref, snap: Facts) -> Signs:
    rejected = find_rejected_manifests(node, snap)
    return Signs(
        decisive={"the kubelet repeatedly says that it does not accept the file, which exists": rejected},
        finding=lambda: _make_finding(node, rejected.hits[0], snap),
    )


def _make_finding(node: Ref, said: Failure, snap: Facts) -> Finding:
    name, path = node.name or "NODE", said.path or ""
    pod = _find_pod(node, path, snap)
    says = say(
        "the kubelet of Node {name} does not start the static Pod of {path}: {message}",
        name=name,
        path=path,
        message=said.message,
    )
    reference = _REFERENCE in said.message.lower()
    if reference:
        fix = say(
            "remove the reference from the manifest: mount a file of the node by hostPath instead, or run "
            "the Pod in a DaemonSet, which may reference objects"
        )
    else:
        fix = say("correct the file there, or move it out of the directory")
    return Finding(
        says,
        culprit=Ref("File", node.name, path),
        blocks=(pod,) if pod else (),
        help=(
            Step(
                say("see the file"),
                where=place_on_node(node.name),
                command=command("cat {path}", path=given.path(path)),
            ),
            Step(fix, where="source", verify=say("the kubelet starts the Pod within 20 s")),
        ),
        do_not=(
            DoNot(
                say("create the object that it references, or restart the kubelet"),
                say("a kubelet of 1.34 or later accepts no such manifest, whatever exists"),
            ),
        )
        if reference
        else (),
    )


def _find_pod(node: Ref, path: str, snap: Facts) -> Ref | None:
    """Return the Pod as its mirror would be called."""
    told = (pod for f in snap.of(StaticManifests, node) for file, pod in f.pods if f"{f.path}/{file}" == path)
    namespace, _, name = next(told, "").partition("/")
    return Ref("Pod", namespace, f"{name}-{node.name}") if name else None


CAUSE = Cause(
    id="kubelet.static-pod-rejected",
    title=say("the kubelet does not accept the manifest of a static Pod"),
    subjects=("Node",),
    reads=frozenset({Failure, LogSeen, StaticManifests}),
    rule=_rule,
)
