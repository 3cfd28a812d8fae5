"""The registry requires credentials, and the Pod has none for it

## How it happens

The image is in a private registry. The kubelet offers the credentials in the Pod's `imagePullSecrets` for
that server: none is named; a Secret was made but not linked, or linked to the ServiceAccount after the Pod
was made; the Secret is in another Namespace, or its name is mistyped; it is of another type than
`kubernetes.io/dockerconfigjson`; or its entry is for another server: another host, no port, a scheme too
many, another path.

## How to tell

`no basic auth credentials` is the runtime's own report that it had none to offer. `401 Unauthorized` leaves
open whether credentials were offered and refused; then the Pod's pull Secrets decide, each judged as the
kubelet judges it: does it exist, is its type right, does the key of one of its servers fit the image. Of a
Secret only its type and the names of its servers are read, never a value.

## Known limits

A registry that hides private images gives the same answer for a name that does not exist (`pull access
denied, repository does not exist or may require authorization`): without a pull Secret that fails to serve
it, this stays open beside image.not-found. Credentials of the Node itself (a credential provider, the
kubelet's `config.json`) cannot be seen. Without the right to list Secrets an unlinked one cannot be named.

## References

- Kubernetes pkg/credentialprovider/keyring.go, secrets/secrets.go; pkg/kubelet/kubelet_pods.go
  (getPullSecretsForPod); plugin/pkg/admission/serviceaccount; containerd core/remotes/docker/authorizer.go;
  distribution registry/client/auth
"""

from __future__ import annotations

from unstuck.causes.image._credentials import READS as OF_SECRETS
from unstuck.causes.image._credentials import Linked, find_serving_secret, pull_secrets
from unstuck.causes.image._missing_texts import make_finding
from unstuck.causes.image._name import parse_image
from unstuck.causes.image._pull import READS, STAGES, Pull, name_image, pull
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pulls import PullSecrets
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_NONE: ErrorWord = "no-credentials"
_WANTED: ErrorWord = "unauthorized"
_OPEN: tuple[ErrorWord, ...] = ("not-found-or-denied", "forbidden")


def _rule(pod: Ref, snap: Facts) -> Signs:
    none = pull(pod, snap, (_NONE,))
    one = pull(pod, snap, (_NONE, _WANTED, *_OPEN))
    told = next((f for word in (_NONE, _WANTED, *_OPEN) for f in one.mine.hits if f.error == word), None)
    given: Sign[Linked] = (
        find_serving_secret(pod, parse_image(name_image(told)), snap) if told else Sign(None)
    )
    return Signs(
        necessary={
            "the registry refuses whom it does not know, and the Pod brings nothing for it": _find_lacking(
                pod, one, told, given, snap
            )
        },
        decisive={
            (
                "the runtime says again and again that it had none to offer, and a container still waits"
            ): none.repeated
        },
        supporting={"a message says that the registry requires credentials": one.mine},
        finding=lambda: make_finding(pod, told or one.mine.hits[0], given, snap),
    )


def _find_lacking(
    pod: Ref, one: Pull, told: Failure | None, given: Sign[Linked], snap: Facts
) -> Sign[Failure]:
    """Return the runtime's own report of missing credentials; for other refusals the Pod's Secrets decide, as
    far as they can.
    """
    if told is None or told.error == _NONE:
        return one.ended
    if given.value is not False:
        # Credentials from a fitting Secret of the Pod were offered and refused, which is another cause.
        return Sign(False, seen=given.seen) if given.value else Sign(None, (told,), (told,), given.wants)
    if told.error == _WANTED or pull_secrets(pod, snap).value:
        return Sign(True, (told,), unique((*one.mine.seen, *given.seen)), sure=one.mine.sure and given.sure)
    return Sign(None, (told,), (told,))


CAUSE = Cause(
    id="image.credentials-missing",
    title=say("the registry requires credentials, and the Pod has none for it"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | OF_SECRETS | {PullSecrets},
    rule=_rule,
)
