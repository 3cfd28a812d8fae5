"""The registry rate-limits the pull

## How it happens

The registry counts pulls, for each account or, without credentials, for each client address: all Nodes behind
one NAT share one count. A rollout on many Nodes, `imagePullPolicy: Always` with a crash loop, or a build
system in the same network uses it up. The kubelet has its own limit, `registryPullQPS`, which applies before
any request to a registry.

## How to tell

`toomanyrequests`, `429 Too Many Requests` or `You have reached your pull rate limit` in the kubelet's words
about its own pull, with the container still waiting; for the kubelet's own limit `pull QPS exceeded`.

## Known limits

The clients that used up the limit cannot be seen from here, nor the time of its reset; some registries send
it in a header of their answer. The image and its name are correct.

## References

- opencontainers/distribution-spec spec.md (TOOMANYREQUESTS); pkg/kubelet/images/helpers.go
  (throttledImageService)
"""

from __future__ import annotations

from unstuck.causes.image._pull import (
    READS,
    STAGES,
    make_registry_ref,
    make_signs,
    place_on_its_node,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_LATER = say("the kubelet retries the pull, and succeeds once the registry allows it")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("rate-limited", "pull-qps"))
    return make_signs("too many pulls", one, lambda failure: _make_finding(pod, failure, snap))


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    if failure.error == "pull-qps":
        return _make_own_limit_finding(pod, failure, snap)
    host = failure.host or "?"
    return Finding(
        say("registry {host} rejects the pull: too many pulls came from here", host=host),
        culprit=make_registry_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say(
                    "pull with an account: it has its own, higher limit (a Secret of type "
                    "kubernetes.io/dockerconfigjson, referenced "
                    "by imagePullSecrets)"
                ),
                where="source",
                verify=_LATER,
            ),
            Step(
                say(
                    "or have the nodes pull through your own mirror or cache, so that "
                    "each image is fetched once"
                ),
                where="cluster",
                verify=_LATER,
            ),
        ),
        do_not=(
            DoNot(
                say("keep deleting the Pod to force a retry"),
                say("each attempt counts: the limit lasts longer"),
            ),
            DoNot(
                say("prune images or replace nodes meanwhile"),
                say("images on the nodes need no pull; removed images do"),
            ),
        ),
    )


def _make_own_limit_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    """Return the finding for the kubelet's own limit: no registry was asked."""
    node = find_node_of_pod(pod, snap)
    name = (node.name if node else None) or "NODE"
    return Finding(
        say(
            "the kubelet of Node {name} is not starting more pulls for now: its own limit is reached",
            name=name,
        ),
        culprit=Ref("Kubelet", None, name),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say(
                    "wait: it retries automatically. If many Pods often start at once on a node, raise "
                    "registryPullQPS and registryBurst in the kubelet's configuration"
                ),
                where=place_on_its_node(pod, snap),
                verify=say("the image is pulled within minutes"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.rate-limited",
    title=say("the registry rate-limits the pull"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement},
    rule=_rule,
)
