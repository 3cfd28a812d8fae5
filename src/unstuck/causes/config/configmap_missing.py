"""The Pod references a ConfigMap that does not exist

## How it happens

The Pod names a ConfigMap in a volume, in `env` or in `envFrom`, and no ConfigMap of that name exists in the
Pod's Namespace: a typing error, another Namespace, a release that was not applied, or one that was removed
again. A controller creates a few in every Namespace by itself (`kube-root-ca.crt`): one of these is missing
if that controller does not run or is refused, as by a full quota.

## How to tell

With a volume the Pod stays ContainerCreating with `MountVolume.SetUp failed … configmap "x" not found`; with
`env` or `envFrom` the container waits with CreateContainerConfigError. The server's own answer to a GET of
that ConfigMap decides; the message may be older than the ConfigMap.

## Known limits

References marked `optional: true` are never the cause. A Pod that is not yet scheduled does not fail on it
yet.

## References

- Kubernetes pkg/volume/configmap/configmap.go, pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables)
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
    return make_missing_object_signs(pod, snap, "ConfigMap")


CAUSE = Cause(
    id="config.configmap-missing",
    title=say("the Pod references a ConfigMap that does not exist"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({Failure, Needs, Presence, Names, Quota, Makers}) | _copies.READS,
    rule=_rule,
)
