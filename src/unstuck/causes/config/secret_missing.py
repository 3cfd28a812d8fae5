"""The Pod references a Secret that does not exist

## How it happens

The Pod names a Secret in a volume, in `env` or in `envFrom`, and no Secret of that name exists in the Pod's
Namespace: a typing error, a Secret that lies in another Namespace (Secrets are not shared between
Namespaces), an operator or a certificate issuer that has not made it yet, or a release that was applied
without it.

## How to tell

With a volume the Pod stays ContainerCreating with `MountVolume.SetUp failed … secret "x" not found`; with
`env` or `envFrom` the container waits with CreateContainerConfigError. The server's own answer to a GET, or a
whole list of the Namespace's Secrets, decides; the message may be older than the Secret. Only names are read,
never a value.

## Known limits

References marked `optional: true` are never the cause, and neither is a missing pull secret: pulling
continues without it. Without the right to read Secrets the answer is at most `likely`, from the kubelet's
message.

## References

- Kubernetes pkg/volume/secret/secret.go, pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables)
"""

from __future__ import annotations

from unstuck.causes import _copies
from unstuck.causes.config._missing import STAGES, make_missing_object_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Failure, Names, Presence
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.references import Makers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_missing_object_signs(pod, snap, "Secret")


CAUSE = Cause(
    id="config.secret-missing",
    title=say("the Pod references a Secret that does not exist"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({Failure, Needs, Presence, Names, Quota, Makers}) | _copies.READS,
    rule=_rule,
)
