"""A network plugin does not return while it tears down a Pod's network

## How it happens

The runtime called the node's network plugin (CNI DEL) and waits for it. The plugin waits for its own backend:
a datastore, the API server, a lock file that another call of it holds. The runtime gives up after two
minutes, the kubelet retries, and each try waits again.

## How to tell

On the node a process of the plugin lives, a child of the runtime, far longer than the milliseconds that it
normally needs; it was called with DEL for this Pod (`CNI_COMMAND`, `CNI_ARGS`). After two minutes the
kubelet's log and an event `FailedKillPod` say `KillPodSandboxError … DeadlineExceeded`.

## Known limits

Until those two minutes are over the API shows no sign of it. The Event alone does not distinguish a hung
plugin from a hung runtime.

## References

- CNI specification 1.0; containerd internal/cri/server/sandbox_stop.go
- pkg/kubelet/kuberuntime (runtimeRequestTimeout, 2 min)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cni import NetworkPlugins, PluginCall
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_LONG = timedelta(seconds=20)


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    late = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation == "sandbox-stop" and f.error == "deadline-exceeded" else [],
    )
    waits = (
        _find_waiting(pod, node, snap, tried=bool(late.value))
        if node
        else Sign[PluginCall](None, wants=(Want(Placement, pod),))
    )
    told = [c for c in waits.hits if c.command == "DEL" and c.pod and _old(c, snap)]
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={"a plugin's process has not returned": waits},
        decisive={
            "it was called to take this Pod's network down": Sign(True, tuple(told), waits.seen)
            if told
            else Sign(None)
        },
        supporting={"stopping the sandbox ran out of time": late},
        finding=lambda: _make_finding(
            pod, snap, node or Ref("Node"), min(told or waits.hits, key=lambda c: c.proc.pid).proc
        ),
    )


def _find_waiting(pod: Ref, node: Ref, snap: Facts, *, tried: bool) -> Sign[PluginCall]:
    """Find a plugin's process that has run for long, or after an earlier try ran out of time; between two
    tries there is none to be seen.
    """
    found = some(
        snap,
        NetworkPlugins,
        node,
        lambda f: [c for c in f.running if _is_match(c, pod, snap) and (tried or _old(c, snap))],
    )
    between = tried and found.value is False and not any(f.running for f in snap.of(NetworkPlugins, node))
    return Sign(None, seen=found.seen, wants=(Want(NetworkPlugins, node),)) if between else found


def _old(call: PluginCall, snap: Facts) -> bool:
    return call.proc.start is not None and snap.now - call.proc.start >= _LONG


def _is_match(call: PluginCall, pod: Ref, snap: Facts) -> bool:
    """Tell whether the call may be this Pod's teardown: no other Pod and no other command is known."""
    return call.command in ("", "DEL") and call.pod in (None, snap.canon(pod).uid)


def _make_finding(pod: Ref, snap: Facts, node: Ref, process: Proc) -> Finding:
    span = format_duration(snap.now - process.start) if process.start else None
    since = say(" for {span}", span=span) if span else NO_TEXT
    return Finding(
        say(
            "The network plugin {comm} (pid {pid}) on {node} has not returned{since}",
            comm=process.comm,
            pid=process.pid,
            node=node.name,
            since=since,
        ),
        culprit=Ref("Process", node.name, f"{process.comm} {process.pid}"),
        blocks=(pod,),
        notes=(say("it waits in {waits_in}", waits_in=process.waits_in),)
        if process.waits_in not in ("", "0")
        else (),
        help=(
            Step(
                say(
                    "restore the service the plugin waits for: its datastore, its agent on that node, the "
                    "API server as reached from that node"
                ),
                verify=say("its process ends, and the Pod is deleted within minutes"),
            ),
        ),
        do_not=(
            DoNot(
                say("force delete the Pod"),
                say(
                    "its address stays in use and its sandbox stays on the node; every Pod that ends there "
                    "hits the same plugin"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="network.sandbox-teardown-hung",
    title=say("a network plugin does not return"),
    subjects=("Pod",),
    stages=("containers-stopped", "sandbox-stopped", "phase-reported"),
    reads=frozenset({Deletion, Failure, Placement, NetworkPlugins}),
    rule=_rule,
)
