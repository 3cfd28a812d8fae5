"""Chooses the manifest that a remedy changes: a static Pod's is a file on its node; changes to a custom
resource's workload would be overwritten by the controller, so the resource itself is changed. Names what
applies the manifest, where its labels tell.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, called
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.aspects.objects import Labels, Owners
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Pod, ReplicaSet, Deployment, and the Deployment's owner.
_LONGEST = 5
# fluxcd/pkg runtime/controller and kustomize-controller, helm-controller: the labels of what they apply.
_FLUX = (
    ("Kustomization.kustomize.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io"),
    ("HelmRelease.helm.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"),
)
# Argo CD documentation "Resource Tracking": `APPLICATION:GROUP/KIND:NAMESPACE/NAME`.
_ARGO_CD, _HELM = "argocd.argoproj.io/tracking-id", "meta.helm.sh/release-name"


def place_remedies(finding: Finding, subject: Ref, snap: Facts) -> Finding:
    """Return the finding with its remedies pointed at the true source, if that is no owner's template: the
    file of a static Pod, or the custom resource from which a controller creates the workload.
    """
    if not any(step.where == "source" for step in finding.help):
        return finding
    top = _find_topmost_owner(subject, snap)
    if top is not None and "." in top.kind and top.name:
        return replace(finding, help=tuple(_make_in_custom_step(step, top) for step in finding.help))
    node = _find_node_of_static(subject, snap)
    if node is None or not node.name:
        return _name_delivery(finding, _find_delivery(top or subject, snap))
    name = (subject.name or "").removesuffix(f"-{node.name}")
    look = Step(
        say(
            "see which files define this static Pod: the kubelet reads each file in that directory, also a "
            "copy with another ending"
        ),
        where=f"node:{node.name}",
        command=command("grep -ls -e {name} /etc/kubernetes/manifests/*", name=given.bare("Pod", name)),
    )
    done = say("the kubelet recreates the Pod within about 20 s")
    steps = (
        replace(
            step,
            says=say("in its file on {node}: ", node=node.name) + step.says,
            where=look.where,
            verify=step.verify or done,
        )
        if step.where == "source"
        else step
        for step in finding.help
    )
    return replace(finding, help=(look, *steps))


def _name_delivery(finding: Finding, by: Text | None) -> Finding:
    """Return the finding whose first change of a manifest tells what applies that manifest: a change of the
    object alone would be undone.
    """
    if by is None:
        return finding
    at = next(i for i, step in enumerate(finding.help) if step.where == "source")
    first = finding.help[at]
    told = replace(first, says=first.says + say("; that manifest comes from {source}", source=by))
    return replace(finding, help=(*finding.help[:at], told, *finding.help[at + 1 :]))


def _find_delivery(ref: Ref, snap: Facts) -> Text | None:
    """Return what applies an object, by the marks that it leaves; None without any."""
    for fact in snap.of(Labels, ref):
        labels, notes = dict(fact.items), dict(fact.annotations)
        for kind, mark in _FLUX:
            if name := labels.get(f"{mark}/name"):
                return called(Ref(kind, labels.get(f"{mark}/namespace"), name))
        if tracked := notes.get(_ARGO_CD):
            return say("Argo CD's Application {name}", name=tracked.partition(":")[0])
        if release := notes.get(_HELM):
            return say("Helm release {name}", name=release)
    return None


def _make_in_custom_step(step: Step, owner: Ref) -> Step:
    if step.where != "source":
        return step
    says = say("in {owner}, whose controller makes this: ", owner=called(owner)) + step.says
    return replace(step, says=says, where="cluster" if step.verify else "source")


def _find_topmost_owner(subject: Ref, snap: Facts) -> Ref | None:
    """Return the last known owner above a Pod or workload; None if it has none."""
    owner: Ref | None = None
    at = subject
    for _ in range(_LONGEST):
        above = next((f.controller for f in snap.of(Owners, at) if f.controller), None)
        if above is None:
            break
        owner = at = snap.canon(above)
    return owner


def _find_node_of_static(pod: Ref, snap: Facts) -> Ref | None:
    """Return the Node that a mirror Pod belongs to; None for any other object."""
    if pod.kind != "Pod":
        return None
    return next(
        (f.controller for f in snap.of(Owners, pod) if f.controller and f.controller.kind == "Node"), None
    )
