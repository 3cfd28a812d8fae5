"""A deleted mirror Pod of a static Pod is recreated from its manifest on the node

## How it happens

A static Pod is run by a node's kubelet from a manifest in a directory of the node (`staticPodPath`, usually
`/etc/kubernetes/manifests`). The Pod in the API is only its mirror. Deleting the mirror, by force or not,
ends no container: the kubelet sees that it is missing and recreates it at once, under the same name with
another uid.

## How to tell

The Pod has the annotation `kubernetes.io/config.mirror`, and its object is younger than the containers that
it shows, on a Node that had been there long before: so it was recreated while they ran. On the node the
manifest declares the Pod's name without the Node's.

## Known limits

A mirror that is being deleted and stays is another cause: its Node does not report, or something refuses the
kubelet's writes. For a static Pod that is not Ready only the reason for that is reported. If its containers
were restarted after the deletion, it looks like a Pod that was never deleted. A mirror that could not be
created for long, because the API server did not answer or its Namespace did not exist, looks like a recreated
one.

## References

- Kubernetes documentation: Create static Pods
- pkg/kubelet/pod/mirror_client.go; pkg/kubelet/kubelet.go (tryReconcileMirrorPods, syncPod)
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, all_of, negate, some
from unstuck.diagnosis.text import Messages, Text, format_duration, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kubelet import StaticManifests
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, list_statuses
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# The kubelet makes a mirror before the containers, within seconds where the API server answers.
_MEANWHILE = timedelta(seconds=30)
# A kubelet that starts before its API server (kubeadm's first Node) makes mirrors after the containers: as
# soon as the Node object exists.
_SETTLED = timedelta(minutes=3)
_SOURCE = "kubernetes.io/config.source"


def _rule(pod: Ref, snap: Facts) -> Signs:
    mirror = some(snap, Life, pod, lambda f: [f] if f.mirror else [])
    going = some(snap, Deletion, pod, lambda f: [f] if f.requested else [])
    ready = some(
        snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"]
    )
    return Signs(
        applies=all_of([mirror, negate(going)]),
        necessary={"it is Ready": ready, "its Node had been there long before": _find_node_older(pod, snap)},
        decisive={"it is younger than the containers that it shows": _find_remade(pod, snap)},
        finding=lambda: _make_finding(pod, snap),
    )


def _find_start(pod: Ref, snap: Facts) -> datetime | None:
    """Return the start of the static Pod: the earliest of its own start and its running containers'
    starts.
    """
    told = [f.started for f in snap.of(Life, pod)] + [
        s.since for s in list_statuses(pod, snap) if s.state == "running"
    ]
    return min((t for t in told if t), default=None)


def _find_remade(pod: Ref, snap: Facts) -> Sign[Life]:
    began = _find_start(pod, snap)
    if began is None:
        return Sign(None, wants=(Want(ContainerStatuses, pod), Want(Life, pod)))
    return some(snap, Life, pod, lambda f: [f] if f.created and f.created - began >= _MEANWHILE else [])


def _find_node_older(pod: Ref, snap: Facts) -> Sign[Presence]:
    node = find_node_of_pod(pod, snap)
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    made = [f.created for f in snap.of(Life, pod) if f.created]
    return some(
        snap, Presence, node, lambda f: [f] if made and f.created and made[0] - f.created >= _SETTLED else []
    )


def _make_finding(pod: Ref, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap) or Ref("Node")
    manifest = _name_manifest(pod, node, snap)
    made, began = next((f.created for f in snap.of(Life, pod) if f.created), None), _find_start(pod, snap)
    notes = []
    if made and began:
        new, old = format_duration(snap.now - made), format_duration(snap.now - began)
        notes.append(say("this object is {new} old, its containers have run for {old}", new=new, old=old))
    notes.append(
        say("its manifest on {node}: {manifest}", node=who(node), manifest=manifest.name)
        if manifest
        else _describe_manifest_source(pod, snap)
    )
    path = manifest.name if manifest and manifest.name else ""
    aside = f"/root/{path.rpartition('/')[2]}"
    return Finding(
        say(
            (
                "{pod} is the mirror Pod of a static Pod on {node}: once deleted it is recreated, and its "
                "containers keep running"
            ),
            pod=who(pod),
            node=who(node),
        ),
        culprit=manifest or Ref("Manifest", node.name, pod.name),
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            Step(
                say(
                    "only if its containers may stop (for a control plane Pod: that part of the control "
                    "plane): on its node, move the manifest out of the static Pod directory; moving it "
                    "back starts the Pod again"
                ),
                where=f"node:{node.name or 'NODE'}",
                command=command(
                    "mv --backup=numbered {path} {aside}", path=given.path(path), aside=given.path(aside)
                )
                if path
                else NO_COMMAND,
                risk="disrupts",
                undo=command("mv {aside} {path}", path=given.path(path), aside=given.path(aside))
                if path
                else NO_COMMAND,
                verify=say("the kubelet stops its containers within a minute, and the mirror Pod is deleted"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete it again, or by force"),
                say("nothing changes on the node: the kubelet recreates the mirror Pod every time"),
            ),
        ),
        enrich=() if manifest else (Want(StaticManifests, node),),
    )


def _name_manifest(pod: Ref, node: Ref, snap: Facts) -> Ref | None:
    """Return the file that declares it: the mirror's name is the manifest's, a hyphen and the Node's
    (pkg/kubelet/config/common.go).
    """
    names = {
        Ref("File", node.name, f"{f.path}/{file}")
        for f in snap.of(StaticManifests, node)
        for file, declared in f.pods
        if f"{declared}-{(node.name or '').lower()}" == f"{pod.within}/{pod.name}"
    }
    return names.pop() if len(names) == 1 else None


def _describe_manifest_source(pod: Ref, snap: Facts) -> Text:
    sources = {value for f in snap.of(Labels, pod) for key, value in f.annotations if key == _SOURCE}
    if sources == {"http"}:
        return say("its kubelet has the manifest from a URL (staticPodURL)")
    return say("its manifest is in its kubelet's staticPodPath, usually /etc/kubernetes/manifests")


CAUSE = Cause(
    id="deletion.mirror-pod",
    title=say("a deleted mirror Pod of a static Pod is recreated"),
    subjects=("Pod",),
    stages=(),
    reads=frozenset(
        {Life, Deletion, Conditions, ContainerStatuses, Placement, Presence, Labels, StaticManifests}
    ),
    rule=_rule,
    intended=True,
)
