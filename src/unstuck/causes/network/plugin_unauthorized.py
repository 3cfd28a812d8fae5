"""The API server does not accept the network plugin's credentials

## How it happens

The plugin that the runtime calls asks the API server with a kubeconfig of its own, which the add-on's agent
writes below `/etc/cni/net.d`. Its token has expired, its ServiceAccount was deleted, or the cluster's signing
key was changed: the agent's Pod does not run on this Node or does not renew the file, or an old kubeconfig of
a removed add-on is still used.

## How to tell

New sandboxes fail with `connection is unauthorized: Unauthorized` (Calico), `error waiting for pod:
Unauthorized` (Multus) or `the server has asked for the client to provide credentials`.

## Known limits

The reason for the missing renewal is not seen: it is in the log of the agent's Pod on the Node.

## References

- projectcalico/calico node/pkg/cni/token_watch.go; k8snetworkplumbingwg/multus-cni pkg/k8sclient
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import list_pods_on
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation in ("network-set-up", "sandbox-create") and f.error == "unauthorized"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    node = _starting.find_node_name(subject, snap)
    return Finding(
        say("the API server does not accept the credentials of the node's network plugin")
        + _starting.say_on_node(subject, snap),
        culprit=Ref("NetworkAgent", node, "cni"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "see whether the agent's Pod runs there and renews the plugin's kubeconfig below "
                    "/etc/cni/net.d; its log says why it does not"
                ),
                command=list_pods_on(node),
            ),
            Step(
                say(
                    "restart the agent's DaemonSet: it writes the kubeconfig with a new token; running Pods "
                    "keep their network"
                ),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("write a token without an end into the kubeconfig"),
                say("whoever reads the node's files then has it for good"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.plugin-unauthorized",
    title=say("the API server does not accept the network plugin's credentials"),
    subjects=("Pod", "Node"),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
