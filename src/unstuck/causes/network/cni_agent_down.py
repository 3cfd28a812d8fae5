"""The Node's network agent is not running

## How it happens

The plugin that the runtime calls is only the arm of an agent that runs as a DaemonSet: it asks the agent over
a socket, or reads a file that the agent writes when it is ready. The agent's Pod on this Node is missing,
crashes, waits for the API server, or has not come up yet.

## How to tell

New sandboxes fail with `open /run/flannel/subnet.env: no such file`, `check that the calico/node container is
running`, `unable to connect to Cilium`, or a refused connection to the agent's socket (`127.0.0.1:50051` of
the Amazon VPC plugin, multus, OVN).

## Known limits

Right after a Node was started this is normal for a minute. The agent's own Pod shows why it does not run: ask
about that Pod.

## References

- projectcalico/calico cni-plugin/pkg/plugin/plugin.go; flannel-io/cni-plugin; cilium plugins/cilium-cni;
  kubernetes/kubernetes issue 62451
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

_AGENTS = {
    "flannel": "flannel",
    "calico-node": "calico-node",
    "calico/node": "calico-node",
    "cilium": "cilium",
    "50051": "aws-node",
    "6784": "weave",
}


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation in ("network-set-up", "sandbox-create") and f.error == "agent-down"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("the node's network agent does not respond to the plugin") + _starting.say_on_node(subject, snap),
        culprit=Ref(
            "NetworkAgent", _starting.find_node_name(subject, snap), _AGENTS.get((f.key or "").lower(), "cni")
        ),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "check whether the agent's Pod is running there, and if not, why; then run unstuck on "
                    "that Pod"
                ),
                command=list_pods_on(_starting.find_node_name(subject, snap)),
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("write the missing file by hand"),
                say("the plugin continues without routes, and Pods start without connectivity"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.cni-agent-down",
    title=say("the node's network agent is not running"),
    subjects=("Pod", "Node"),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
