"""The Node's image policy rejects the image

## How it happens

CRI-O asks /etc/containers/policy.json (in OpenShift written from ClusterImagePolicy, ImagePolicy and the
cluster's image configuration) before it takes an image: images of a registry must be signed by a certain key,
or are refused altogether. The image has no signature, or one of another key or identity; a mirror copied the
image without its signatures; the registry is on the blocked list. Or the policy file itself cannot be read,
and then no image can be pulled.

## How to tell

The container waits with SignatureValidationFailed, ErrImagePull or ImagePullBackOff, and the runtime's words
are `Source image rejected: A signature was required, but no signature exists`, `… None of the signatures were
accepted`, `… is rejected by policy`, or `invalid policy in "/etc/containers/policy.json"`.

## Known limits

The policy and the keys are not read. The message does not distinguish a missing signature from a Node that
does not look for it (registries.d).

## References

- containers/image signature/policy_eval.go; containers-policy.json(5), containers-registries.d(5)
- Kubernetes pkg/kubelet/images/types.go (ErrSignatureValidationFailed); OpenShift documentation:
  ClusterImagePolicy
"""

from __future__ import annotations

from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    make_image_ref,
    make_signs,
    name_image,
    place_on_its_node,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_FILE = "/etc/containers/policy.json"


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("policy-rejected",))
    return make_signs(
        "the runtime's policy refuses the image", one, lambda failure: _make_finding(pod, failure, snap)
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    why = failure.key or "?"
    unread = failure.path is not None
    says = say("the node's image policy rejects {image_of}: {why}", image_of=name_image(failure), why=why)
    if unread:
        says = say("the node's image policy, {path}, cannot be read: {why}", path=failure.path, why=why)
    return Finding(
        says,
        culprit=Ref("File", None, failure.path) if unread else make_image_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(_look(pod, failure, snap), _repair_file() if unread else _sign()),
        do_not=(
            DoNot(
                say("accept every image (`insecureAcceptAnything` as the default) as a workaround"),
                say("anyone who can push to a registry then decides what runs on the nodes"),
            ),
        ),
    )


def _look(pod: Ref, failure: Failure, snap: Facts) -> Step:
    return Step(
        say("on that node, see what the policy requires for this registry"),
        where=place_on_its_node(pod, snap),
        command=command("cat {file}", file=given.path(failure.path or _FILE)),
    )


def _sign() -> Step:
    return Step(
        say(
            "sign the image with the key and identity required by the policy, copy it together with its "
            "signatures, or use a signed one; if the policy is wrong, ask its owner to correct it"
        ),
        where="source",
        verify=RETRIES,
    )


def _repair_file() -> Step:
    return Step(
        say(
            "correct the file, or upgrade a runtime that is too old for its content; until then nothing can "
            "be pulled there"
        ),
        where="source",
        verify=RETRIES,
    )


CAUSE = Cause(
    id="image.policy-rejected",
    title=say("the node's image policy rejects the image"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement},
    rule=_rule,
)
