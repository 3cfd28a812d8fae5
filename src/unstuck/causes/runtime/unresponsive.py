"""The container runtime accepts connections and does not respond

## How it happens

containerd, dockerd or CRI-O was stopped with a signal, hangs on a lock, or waits in the kernel for a disk or
a network file system that does not answer. The kubelet waits for every call: no sandbox is made, no container
is stopped, deleted Pods stay. The Node still shows Ready for some two minutes, with `/healthz` ok, because
the kubelet itself is healthy.

## How to tell

Its socket takes the connection, and the cheapest read-only call (the CRI's `Version`, docker's `/version`,
then the list of containers) stays without a reply twice, each time beyond its deadline; or its process is in
state T. The kubelet's `/metrics` and exec hang too, while its `/pods` answers. If its socket was not queried,
dockerd's own stacks make it likely: its first goroutine has waited for minutes in `daemon.restore`, so it
still starts (old shims or containerd below it may not answer, or one container's state waits).

## Known limits

Without the runtime's socket only a stopped process proves it; that some Pods wait does not. A daemon that
does not run at all refuses the connection: that is another fault. After some two minutes the kubelet's own
`/healthz` fails as well, which follows from this.

## References

- k8s.io/cri-api runtime/v1; docs.docker.com/engine/api
- pkg/kubelet/kubelet.go (syncLoop, "Skipping pod synchronization"), pkg/kubelet/runtime.go; field notes
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, make_text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease, NodeInfo
from unstuck.facts.aspects.host import DaemonState, Proc, WaitingMounts
from unstuck.facts.aspects.kubelet import KubeletEndpoints
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import RuntimeAnswer, Try
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation
from unstuck.knowledge.versions import DOCKERD_HANGS
from unstuck.knowledge.waits import find_wait
from unstuck.stages.runtime import (
    are_daemons_known,
    fails_elsewhere,
    find_daemons,
    find_hanging_endpoints,
    is_unresponsive,
    may_wait_for_runtime,
    waits_for_runtime,
    was_ready_since,
)
from unstuck.stages.waiting import find_node_under, reports

say = Messages(__name__)

_CALLS: tuple[Operation, ...] = (
    "container-stop",
    "sandbox-stop",
    "sandbox-create",
    "container-create",
    "container-start",
    "status-read",
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    hung: Sign[Any] = _hung(subject, node, snap) if node else Sign(None, wants=under.wants)
    timed_out = [
        hearsay(
            snap,
            Failure,
            about,
            lambda f: [f] if _speaks_for_it(f) and not was_ready_since(f, node, snap) else [],
        )
        for about in dict.fromkeys((subject, node))
        if about
    ]
    elsewhere = fails_elsewhere(subject, snap)
    hanging: Sign[Any] = find_hanging_endpoints(node, snap) if node else Sign(None)
    starts: Sign[Failure] = _find_starts(node, snap) if node and subject.kind == "Node" else Sign(None)
    # A failure reported elsewhere, or on a Node that does not report, raises this question only if the
    # runtime itself was queried.
    arises: Sign[Any] = Sign(False, seen=elsewhere.seen) if elsewhere.value else reports(subject, snap)
    return Signs(
        applies=Sign(True) if subject.kind == "Node" or hung.value else arises,
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its runtime": waits_for_runtime(subject, snap),
            # A call that timed out, or a page of the kubelet that hangs, has other causes too: they leave
            # this open and worth asking.
            "the runtime does not answer": accept_hearsay(hung, starts),
        },
        decisive={"the runtime does not answer": hung},
        supporting={
            "calls to the runtime timed out": any_of(timed_out),
            "the kubelet's calls that ask the runtime hang": hanging,
            "its own stacks show that its start hangs": starts,
        },
        finding=lambda: _make_finding(subject, node or Ref("Node"), hung.seen, snap),
    )


def _hung(subject: Ref, node: Ref, snap: Facts) -> Sign[Any]:
    """Find hung runtimes: on a Node any counts; for a Pod its kubelet's runtime, or any while that is
    unknown.
    """
    if subject.kind == "Node":
        return is_unresponsive(node, snap)
    hung, which = is_unresponsive(node, snap, find_daemons(node, snap)), are_daemons_known(node, snap)
    return hung if which.value or not hung.value else Sign(None, hung.hits, hung.seen, which.wants)


def _find_starts(node: Ref, snap: Facts) -> Sign[Failure]:
    """Return dockerd's own messages that it is still restoring its containers: until that is done it answers
    no client.
    """
    return hearsay(
        snap,
        Failure,
        node,
        lambda f: [f] if f.operation == "runtime-start" and f.error == "start-hangs" else [],
    )


def _speaks_for_it(failure: Failure) -> bool:
    return failure.operation == "runtime-ready" or (
        failure.operation in _CALLS and failure.error == "deadline-exceeded"
    )


def _make_finding(subject: Ref, node: Ref, seen: Sequence[Fact], snap: Facts) -> Finding:
    name = node.name or "NODE"
    refused = next((f for f in seen if isinstance(f, RuntimeAnswer) and f.answers is False), None)
    states = [f for f in seen if isinstance(f, DaemonState)]
    # Only dockerd's stacks are read for how it starts.
    daemon = refused.daemon if refused else states[0].daemon if states else "dockerd"
    silent = refused or next(
        (f for f in snap.of(RuntimeAnswer, node) if f.daemon == daemon and f.accepts and not f.answers), None
    )
    known = [*states, *(f for f in snap.of(DaemonState, node) if f.daemon == daemon)]
    proc = next((f.proc for f in known if f.daemon == daemon and f.proc), None)
    stopped = any(f.stopped for f in known if f.daemon == daemon)
    return Finding(
        _says(daemon, name, silent, stopped) if refused or states else _says_starts(daemon, name),
        culprit=Ref("Runtime", name, daemon),
        blocks=tuple(dict.fromkeys((node, subject))),
        notes=(*_list_notes(proc), *_find_known_bug(daemon, node, known, snap)),
        help=_help(daemon, node.name, proc, stopped, starts=not (refused or states)),
        # A thread of it that waits for a silent storage server makes that the root.
        enrich=(Want(DaemonState, node), Want(WaitingMounts, node)),
        do_not=(
            DoNot(
                say("force delete Pods of this node"),
                say(
                    "their containers keep running there and nothing stops them: a volume or a StatefulSet "
                    "would get a second writer"
                ),
            ),
            DoNot(
                say("restart {daemon} before the resource it waits for responds", daemon=daemon),
                say(
                    "it hangs again at startup, its stacks are lost, and dockerd without live-restore takes "
                    "all its containers down"
                ),
            ),
        ),
    )


def _says_starts(daemon: str, name: str) -> Text:
    return say(
        (
            "{daemon} of Node {name} hangs at startup while restoring its earlier containers: it does not "
            "respond until it is done"
        ),
        daemon=daemon,
        name=name,
    )


def _says(daemon: str, name: str, silent: RuntimeAnswer | None, stopped: bool) -> Text:
    if stopped:
        text = say("{daemon} of Node {name} is suspended (state T)", daemon=daemon, name=name)
        accepts = say(": it accepts connections but does not respond")
        return text + accepts if silent else text
    calls: tuple[Try, ...] = tuple(t for t in silent.tries if t.accepted and not t.answered) if silent else ()
    last = calls[-1] if calls else None
    tail = (
        say(": {call} had no reply in {seconds:g} s, twice", call=last.call, seconds=last.seconds)
        if last
        else NO_TEXT
    )
    return say(
        "{daemon} of Node {name} accepts connections but does not respond{tail}",
        daemon=daemon,
        name=name,
        tail=tail,
    )


def _list_notes(proc: Proc | None) -> tuple[Text, ...]:
    if proc is None or not proc.stuck_threads:
        return ()
    wait = find_wait(proc.waits_in)
    target = make_text(wait.name) if wait else say("something in the kernel")
    count = proc.stuck_threads
    return (
        say(
            "{count} of its threads are in an uninterruptible wait: for {target} ({waits_in})",
            count=count,
            target=target,
            waits_in=proc.waits_in or "?",
        ),
    )


def _find_known_bug(daemon: str, node: Ref, states: Sequence[Fact], snap: Facts) -> tuple[Text, ...]:
    """Return a note where this version of docker is known for it."""
    if daemon != "dockerd":
        return ()
    told = [f.version for f in states if isinstance(f, DaemonState)]
    told += [
        f.runtime.removeprefix("docker://")
        for f in snap.of(NodeInfo, node)
        if f.runtime.startswith("docker://")
    ]
    version = next((v for v in told if DOCKERD_HANGS.has(v)), None)
    if version is None:
        return ()
    return (
        say(
            "docker {version} is known to stop responding; 18.09 and later ship another containerd: upgrade",
            version=version,
        ),
    )


def _help(
    daemon: str, name: str | None, proc: Proc | None, stopped: bool, *, starts: bool
) -> tuple[Step, ...]:
    where, pid = place_on_node(name), str(proc.pid) if proc else "PID"
    cordon = Step(
        say("stop scheduling Pods there"),
        command=command("kubectl cordon {node}", node=given.obj("node", name)),
        risk="reversible",
        undo=command("kubectl uncordon {node}", node=given.obj("node", name)),
    )
    well = say("its Pods start and stop again automatically, within two minutes")
    if stopped:
        go_on = Step(
            say("resume it"),
            where=where,
            command=command("kill -CONT {pid}", pid=given.number(pid)),
            risk="reversible",
            undo=command("kill -STOP {pid}", pid=given.number(pid)),
            verify=well,
        )
        return (go_on,)
    stacks = Step(
        say("have it write its goroutine stacks to its log: they show what it waits for"),
        where=where,
        command=command("kill -USR1 {pid}", pid=given.number(pid)),
    )
    return (
        cordon,
        *(() if starts else (stacks,)),
        Step(
            say("restore the storage or end the process it waits for; then it continues automatically"),
            where=where,
            verify=well,
        ),
        Step(
            say(
                "if its stacks show an internal lock: restart {daemon} in a maintenance window; containers "
                "survive with containerd and CRI-O, with dockerd only where live-restore is on",
                daemon=daemon,
            ),
            where=where,
            command=command(
                "systemctl restart {unit}", unit=given.unit({"dockerd": "docker"}.get(daemon, daemon))
            ),
            risk="disrupts",
        ),
    )


CAUSE = Cause(
    id="runtime.unresponsive",
    title=say("the container runtime does not respond"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_runtime,
    reads=frozenset(
        {
            RuntimeAnswer,
            DaemonState,
            WaitingMounts,
            KubeletEndpoints,
            Failure,
            Events,
            NodeInfo,
            Conditions,
            Lease,
            Placement,
            Phase,
            Deletion,
            ContainerStatuses,
        }
    ),
    rule=_rule,
)
