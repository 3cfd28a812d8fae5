"""The image is not on the Node and may not be pulled

## How it happens

`imagePullPolicy: Never` lets the kubelet use only images already on its Node, and this Node does not have it:
it was loaded on another Node or into another runtime's store (`docker load` where containerd runs, or
containerd's wrong namespace), under another name or tag, or it was removed when the disk ran full.

## How to tell

The container waits with ErrImageNeverPull, `Container image "x" is not present with pull policy of Never`.
The kubelet looks again each time it syncs the Pod, so the word is never older than that.

## Known limits

A kubelet that checks who may use an image (KubeletEnsureSecretPulledImages: 1.33 on, by default from 1.35)
gives the same message for an image on its Node that was pulled with credentials which this Pod lacks. The
message does not distinguish the two: the list of the Node's images does.

## References

- Kubernetes pkg/kubelet/images/image_manager.go (imageNotPresentOnNeverPolicyError); KEP-2535
"""

from __future__ import annotations

from unstuck.causes._commands import runs_docker
from unstuck.causes.image._pull import (
    READS,
    STAGES,
    make_image_ref,
    make_signs,
    name_image,
    place_on_its_node,
    pull,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod, read_kubelet_version
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Alpha and off in 1.33 and 1.34, on by default from 1.35: pkg/features/kube_features.go.
_CHECKS_SINCE = (1, 33)
_GUARDED = say(
    "kubelets that check who may use an image (KubeletEnsureSecretPulledImages: from 1.33, by "
    "default from 1.35) report the same for an image that is present but was pulled with "
    "credentials this Pod does not have"
)
_OWN_SECRET = Step(
    say(
        "if it is present under this exact name: add the Secret it was pulled with to "
        "the Pod's imagePullSecrets"
    ),
    where="source",
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("never-pulled",))
    return make_signs("not present, and never pulled", one, lambda failure: _make_finding(pod, failure, snap))


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    name = name_image(failure)
    version = read_kubelet_version(node, snap) if node else None
    plain = version is not None and version < _CHECKS_SINCE
    on = say("Node {node}", node=node.name) if node else say("the Node")
    return Finding(
        say("{on} has no image {name} that the Pod may use, and its pull policy is Never", on=on, name=name)
        if name != "?"
        else say("{on} does not have its image, and its pull policy is Never", on=on),
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=() if plain else (_GUARDED,),
        help=(
            Step(
                say("list the runtime's images there, by full name"),
                where=place_on_its_node(pod, snap),
                command=command("docker images") if runs_docker(pod, snap) else command("crictl images"),
            ),
            Step(
                say(
                    "load the image under this exact name into the runtime of every node the Pod may run on "
                    "(containerd: namespace k8s.io)"
                ),
                where=place_on_its_node(pod, snap),
                verify=say("the kubelet checks again within 2 min"),
            ),
            *(() if plain else (_OWN_SECRET,)),
            Step(
                say("or set imagePullPolicy: IfNotPresent in the Pod's template"),
                where="source",
                verify=say("the new Pods pull the image"),
            ),
        ),
        do_not=(
            DoNot(
                say("give another image this name as a workaround"),
                say("the Pod would start an unintended program"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.never-pull",
    title=say("the image is not on the node and must not be pulled"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {NodeInfo, Placement},
    rule=_rule,
)
