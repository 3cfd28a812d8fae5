"""A Pod's network cannot be torn down

## How it happens

The runtime calls the node's network plugin (CNI DEL) before it removes a sandbox. The plugin's program or its
configuration went first (an agent was uninstalled or is being upgraded), or the plugin fails because its own
backend does not answer. The runtime refuses to stop the sandbox, the kubelet retries forever, and the Pod
stays with all of its containers ended.

## How to tell

Events `FailedKillPod` and the kubelet's log say `KillPodSandboxError … failed to destroy network for
sandbox`. On the node the first file of the configuration directory names a plugin whose program is missing,
or the directory is empty.

## Known limits

If the plugin exists and fails by itself, its own message is the only evidence, and that is likely only.
containerd 1.6 notices a rewritten configuration file, but not one that is moved back.

## References

- CNI specification 1.0; containerd internal/cri/server/sandbox_stop.go; kubernetes/kubernetes issue 89440
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.objects import Deletion, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    failed = hearsay(snap, Failure, pod, lambda f: [f] if f.operation == "network-tear-down" else [])
    said: Sign[Failure] = failed if failed.value else Sign(None, wants=(Want(Events, pod),))
    broken: Sign[NetworkPlugins] = (
        _find_broken(node, snap) if node else Sign(None, wants=(Want(Placement, pod),))
    )
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={"the sandbox's network could not be taken down": said},
        decisive={
            "the plugin's program or configuration is not there": broken
            if broken.value
            else Sign(None, wants=broken.wants)
        },
        supporting={"the runtime says so": failed},
        finding=lambda: _make_finding(pod, node or Ref("Node"), failed.hits[-1], broken.hits),
    )


def _find_broken(node: Ref, snap: Facts) -> Sign[NetworkPlugins]:
    return some(snap, NetworkPlugins, node, lambda f: [f] if f.whole and (f.missing or not f.configs) else [])


def _make_finding(pod: Ref, node: Ref, failure: Failure, broken: tuple[NetworkPlugins, ...]) -> Finding:
    says, help_ = _explain(node, failure, broken[0] if broken else None)
    return Finding(
        says,
        culprit=Ref("NetworkPlugin", node.name, failure.object.name if failure.object else None),
        blocks=(pod,),
        notes=(same_in_both(failure.message),) if failure.message else (),
        help=help_,
        do_not=(
            DoNot(
                say("force delete the Pod"),
                say(
                    "its address stays in use and its sandbox stays on the node; "
                    "later Pods hit the same plugin"
                ),
            ),
        ),
    )


def _explain(node: Ref, failure: Failure, found: NetworkPlugins | None) -> tuple[Text, tuple[Step, ...]]:
    again = say("the kubelet retries automatically; the Pod is deleted within a minute")
    if found and found.missing:
        name, where = (
            next((n for n in found.missing if f'"{n}"' in failure.message), found.missing[0]),
            ", ".join(found.bin_dirs),
        )
        return say(
            "The binary of network plugin {name} is missing on {node}: {where}",
            name=name,
            node=node.name,
            where=where,
        ), (
            Step(
                say("restore the binary {name} (the network agent's installer does this)", name=name),
                where=f"node:{node.name}",
                verify=again,
            ),
        )
    if found:
        return say(
            "There is no network configuration left on {node} in {conf_dir}",
            node=node.name,
            conf_dir=found.conf_dir,
        ), (
            Step(
                say(
                    (
                        "write the network configuration in {conf_dir} again (containerd 1.6 does not "
                        "notice a file that was moved back)"
                    ),
                    conf_dir=found.conf_dir,
                ),
                where=f"node:{node.name}",
                verify=again,
            ),
        )
    on = same_in_both(f"{node.name}") if node.name else say("its Node")
    return say("The network plugin on {on} fails to tear down the Pod's network", on=on), (
        Step(say("fix the problem the plugin reports, and its agent on that node"), verify=again),
    )


CAUSE = Cause(
    id="network.sandbox-teardown-failed",
    title=say("the Pod's network cannot be torn down"),
    subjects=("Pod",),
    stages=("containers-stopped", "sandbox-stopped", "phase-reported"),
    reads=frozenset({Deletion, Failure, Events, Placement, NetworkPlugins}),
    rule=_rule,
)
