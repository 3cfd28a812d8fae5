"""The image does not exist for the Node's platform

## How it happens

The tag leads to a list of images, one for each platform, and none of them is for the architecture and
operating system of the Node: an image that was built on a developer's machine only (arm64 for amd64, or the
reverse), or a Windows image on a Linux Node.

## How to tell

`no match for platform in manifest`, `no matching manifest for linux/arm64 in the manifest list entries`, `no
image found in image index for architecture …`, in the kubelet's words about its own pull, repeated, with the
container still waiting for the image.

## Known limits

A tag that leads to one image without a list is pulled whatever its platform, and fails only when it is
started: that is container.wrong-architecture.

## References

- containerd core/images/image.go; moby distribution/pull_v2.go; containers/image
  internal/manifest/oci_index.go
"""

from __future__ import annotations

from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    make_image_ref,
    make_signs,
    name_image,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_TOLD = regex(
    r"no matching manifest for (?P<platform>[a-z0-9]+/[a-z0-9]+(?:/[a-z0-9]+)?)|architecture \"?"
    r"(?P<arch>[a-z0-9]+)\"?"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("platform-missing",))
    return make_signs("none for this platform", one, lambda failure: _make_finding(pod, failure, snap))


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    platform = _platform(failure, node, snap)
    where = say(" of Node {node}", node=node.name) if node else NO_TEXT
    name = name_image(failure)
    says = say("image {name} does not exist for the platform", name=name)
    if platform:
        says = say("image {name} does not exist for {platform}, the platform", name=name, platform=platform)
    return Finding(
        says + where,
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say("see which platforms it supports"),
                command=command("docker manifest inspect {image}", image=given.image(name)),
            ),
            Step(
                say("build and push the image for that platform too (one multi-platform tag)"),
                where="source",
                verify=RETRIES,
            ),
            Step(
                say(
                    "or schedule the Pods to nodes of a supported platform (nodeSelector kubernetes.io/arch)"
                ),
                where="source",
                verify=say("the new Pods are scheduled to such nodes"),
            ),
        ),
        do_not=(
            DoNot(
                say("use the digest of another platform's image as a workaround"),
                say("it can be pulled, but its program cannot start"),
            ),
        ),
        enrich=(Want(NodeShape, node),) if node and not platform else (),
    )


def _platform(failure: Failure, node: Ref | None, snap: Facts) -> str:
    """Return the platform from the message, else from the Node's own labels; "" if unknown."""
    told = _TOLD.search(failure.message)
    if told:
        return told["platform"] or told["arch"] or ""
    labels = {k: v for f in snap.of(NodeShape, node) for k, v in f.labels} if node else {}
    system, arch = labels.get("kubernetes.io/os"), labels.get("kubernetes.io/arch")
    return f"{system}/{arch}" if system and arch else ""


CAUSE = Cause(
    id="image.platform-missing",
    title=say("the image is not available for the node's platform"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement, NodeShape},
    rule=_rule,
)
