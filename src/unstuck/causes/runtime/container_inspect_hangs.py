"""The runtime does not return the state of one container, and the kubelet waits for it

## How it happens

The kubelet asks its runtime for all containers every second, and for the state of each that changed. A
runtime that waits for one of them (a shim that does not run, a runc that never returns, a task that hangs in
the kernel) while it holds that container's lock answers for all the others, and never for this one. With
containerd even the list of containers then stays without a reply, because it takes each lock in turn. After
three minutes the kubelet says `PLEG is not healthy` and the Node becomes NotReady, Pods on it neither start
nor end.

## How to tell

PLEG is never the cause: it is the loop that asks. Queried one by one, exactly one container, or a few, stay
without a reply twice, each time beyond two seconds, while the others are answered at once. The state of that
container's shim and processes shows the blocker.

## Known limits

Only the runtime's socket on the node decides it; a stopped or silent runtime is runtime.unresponsive. A hang
that ended before the look leaves only the kubelet's line as a trace. containerd reads a container's state
from memory: while no call holds its lock, it answers even if the shim does not run. Then this is ruled out,
and runtime.shim-hung is the cause to look for; where the shim keeps the state from being reported, both are
named, with this one below it.

## References

- pkg/kubelet/pleg/generic.go (Relist, Healthy); k8s.io/cri-api runtime/v1
- containerd internal/cri/server/container_update_resources.go (calls the shim under the container's status
  lock)
- moby daemon/inspect.go; kubernetes/kubernetes issue 45419; field notes (runc 1.0.0-rc93)
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, confirm, hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text, make_text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease, NodeInfo
from unstuck.facts.aspects.host import DaemonState, Proc
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import ContainerAnswers, RuntimeAnswer, SilentContainer
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.runtime import list_live_processes
from unstuck.facts.lookup import Facts
from unstuck.knowledge.waits import find_wait
from unstuck.stages.overdue import is_overdue
from unstuck.stages.runtime import are_daemons_known, find_daemons, waits_for_runtime
from unstuck.stages.waiting import find_node_under, reports

say = Messages(__name__)

_PLEG = "PLEG is not healthy"
_WAS_ACTIVE = (
    "pleg was last seen active"  # at its start every kubelet says that PLEG has yet to be successful
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    hung = _hung(subject, node, snap)
    pleg = _find_pleg(node, snap) if node else Sign(None, wants=under.wants)
    timed_out = _find_timeouts(subject, node, snap)
    return Signs(
        applies=_question_arises(subject, node, snap, hung, pleg, timed_out),
        necessary={
            "the state of one container is not told": hung,
            "it is the kubelet's own runtime": are_daemons_known(node, snap)
            if node
            else Sign(None, wants=under.wants),
            "the runtime answers for others": _find_others(node, snap, hung)
            if node
            else Sign(None, wants=under.wants),
        },
        decisive={"the state of one container is not told": hung},
        supporting={"the kubelet's own call for one container timed out": timed_out},
        finding=lambda: _make_finding(subject, node or Ref("Node"), hung.hits, snap),
    )


def _hung(subject: Ref, node: Ref | None, snap: Facts) -> Sign[SilentContainer]:
    """Find silent containers of the kubelet's own runtime; for a Pod only its own."""
    if node is None:
        return Sign(None)
    mine = find_daemons(node, snap)
    if subject.kind == "Node":
        return some(snap, ContainerAnswers, node, lambda f: [s for s in f.silent if s.daemon in mine])
    own = some(snap, ContainerAnswers, subject, lambda f: [s for s in f.silent if s.daemon in mine])
    listed = some(
        snap,
        ContainerAnswers,
        node,
        lambda f: [s for s in f.silent if s.daemon in mine and s.pod == subject.uid],
    )
    return listed if listed.value is not None and not own.value else own


def _find_pleg(node: Ref, snap: Facts) -> Sign[Any]:
    """Return whether the PLEG is unhealthy, by the kubelet's own condition; a line of its log may be an
    old one.
    """
    condition = some(
        snap,
        Conditions,
        node,
        lambda f: [c for c in f.items if c.type == "Ready" and c.status == "False" and _PLEG in c.message],
    )
    said = hearsay(
        snap,
        Failure,
        node,
        lambda f: [f] if f.operation == "runtime-ready" and _WAS_ACTIVE in f.message else [],
    )
    return confirm(condition, said)


def _find_timeouts(subject: Ref, node: Ref | None, snap: Facts) -> Sign[Failure]:
    """Find the kubelet's or the runtime's own message that such a call took too long; never a no."""
    about = unique(r for r in (subject, node) if r)

    def pick(f: Failure) -> list[Failure]:
        return (
            [f] if f.operation == "container-inspect" and f.error in ("deadline-exceeded", "timeout") else []
        )

    return any_of([hearsay(snap, Failure, r, pick) for r in about])


def _question_arises(
    subject: Ref,
    node: Ref | None,
    snap: Facts,
    hung: Sign[SilentContainer],
    pleg: Sign[Any],
    timed_out: Sign[Failure],
) -> Sign[Any]:
    """Tell whether the question arises: from silent containers, a runtime that returns its version and not
    its containers, or a Node's PLEG.
    """
    if hung.value:
        return Sign(True)
    partly = _find_partly_silent(node, snap) if node else Sign(None)
    spoken = next((s for s in (partly, timed_out) if s.value), None)
    about = spoken or pleg
    if subject.kind == "Node":
        return about
    return all_of(
        [is_overdue(subject, snap), waits_for_runtime(subject, snap), reports(subject, snap), about]
    )


def _find_partly_silent(node: Ref, snap: Facts) -> Sign[RuntimeAnswer]:
    """Find a daemon that answered one cheap call and left another without a reply twice; never a no."""
    mine = find_daemons(node, snap)
    return hearsay(
        snap,
        RuntimeAnswer,
        node,
        lambda f: (
            [f]
            if f.daemon in mine and f.accepts and f.answers is False and any(t.answered for t in f.tries)
            else []
        ),
    )


def _find_others(node: Ref, snap: Facts, hung: Sign[SilentContainer]) -> Sign[Any]:
    """Tell whether the same runtime answered any other call: another container, its version. No if even that
    stayed without a reply.
    """
    facts = tuple(f for f in hung.seen if isinstance(f, ContainerAnswers) and f.answered)
    if facts:
        return Sign(True, facts, facts)
    answers = [f for f in snap.of(RuntimeAnswer, node) if f.daemon in {s.daemon for s in hung.hits}]
    well = tuple(f for f in answers if any(t.answered for t in f.tries))
    if well:
        return Sign(True, well, well)
    silent = tuple(f for f in answers if f.accepts and f.answers is False)
    return Sign(False, seen=silent) if silent else Sign(None, wants=(Want(RuntimeAnswer, node),))


def _make_finding(subject: Ref, node: Ref, hung: tuple[SilentContainer, ...], snap: Facts) -> Finding:
    first = min(hung, key=lambda s: s.id)
    name = node.name or "NODE"
    task = Ref("Task", node.name, first.id[:12])
    pods = [snap.canon(Ref("Pod", uid=s.pod)) for s in hung if s.pod]
    last = first.tries[-1]
    more = len(hung) - 1
    says = say(
        "{daemon} of Node {name} does not return the state of container {named}: {call} got no reply in "
        "{seconds:g} s, twice, while other calls succeed",
        daemon=first.daemon,
        name=name,
        named=_container_title(first),
        call=last.call,
        seconds=last.seconds,
    )
    if more:
        says += say(" (and {more} more such containers)", more=more)
    return Finding(
        says,
        culprit=task,
        # The list of all containers waits for this one, and PLEG for the list.
        blocks=tuple(dict.fromkeys((subject, node, Ref("Runtime", node.name, first.daemon), *pods))),
        notes=(*_list_notes(first), *_list_versions(node, snap)),
        help=_help(first, f"node:{name}", _pid_of(first.daemon, node, snap)),
        do_not=(
            DoNot(
                say("restart the kubelet because of PLEG, or reboot the node at once"),
                say(
                    "PLEG only waits for the runtime: a new kubelet waits just the same; a reboot destroys "
                    "the stacks that show why"
                ),
            ),
            DoNot(
                say("force delete its Pod"),
                say("the container stays, and the runtime keeps waiting for it"),
            ),
        ),
        enrich=(Want(DaemonState, node), Want(NodeInfo, node)),
    )


def _container_title(silent: SilentContainer) -> str:
    name = silent.seen.name if silent.seen else ""
    return f'"{name}" ({silent.id[:12]})' if name else silent.id[:12]


def _stuck(silent: SilentContainer) -> Proc | None:
    """Return the process that the runtime probably waits for: a stopped shim, a process in D, a runc that has
    not returned.
    """
    if silent.seen is None:
        return None
    procs = [*([silent.seen.shim] if silent.seen.shim else []), *list_live_processes(silent.seen)]
    still = (p for p in procs if p.state in ("T", "t", "D") or p.stuck_threads)
    return next(still, next((p for p in procs if p.comm.startswith("runc")), None))


def _list_notes(silent: SilentContainer) -> tuple[Text, ...]:
    if silent.seen is None:
        return ()
    shim, procs, stuck = silent.seen.shim, list_live_processes(silent.seen), _stuck(silent)
    told = ", ".join(f"{p.pid} {p.comm} {p.state}" for p in procs[:5])
    notes = [
        say("its shim is process {pid}, in state {state}", pid=shim.pid, state=shim.state)
        if shim
        else say("its shim was not found"),
        say("its processes: {told}", told=told) if told else say("none of its processes is alive"),
    ]
    if stuck and stuck.state in ("T", "t"):
        notes.append(say("process {pid} is suspended: the runtime waits for it", pid=stuck.pid))
    elif stuck and (wait := find_wait(stuck.waits_in)):
        notes.append(say("process {pid} waits for {wait}", pid=stuck.pid, wait=make_text(wait.name)))
    return tuple(notes)


def _list_versions(node: Ref, snap: Facts) -> tuple[Text, ...]:
    """Return a note that such hangs depend on the versions of the runtime, of runc and of the kernel."""
    info = snap.one(NodeInfo, node)
    if info is None or not (info.runtime or info.kernel):
        return ()
    both = ", ".join(v for v in (info.runtime, f"Linux {info.kernel}" if info.kernel else "") if v)
    return (say("versions: {both}; compare with `runc --version`", both=both),)


def _pid_of(daemon: str, node: Ref, snap: Facts) -> str:
    return next((str(f.proc.pid) for f in snap.of(DaemonState, node) if f.daemon == daemon and f.proc), "PID")


def _help(silent: SilentContainer, where: str, daemon_pid: str) -> tuple[Step, ...]:
    stuck = _stuck(silent)
    shim = silent.seen.shim if silent.seen else None
    pids = [
        str(p.pid)
        for p in (*((shim,) if shim else ()), *(list_live_processes(silent.seen)[:3] if silent.seen else ()))
    ]
    well = say("within a minute the node is Ready, and its Pods start and stop again")
    keep = (
        Step(
            say(
                "first save the evidence: have {daemon} write its goroutine stacks to its log",
                daemon=silent.daemon,
            ),
            where=where,
            command=command("kill -USR1 {pid}", pid=given.number(daemon_pid)),
        ),
        Step(
            say("and the kernel stacks of the container's shim and processes"),
            where=where,
            command=command(
                "cat /proc/{pids}/stack", pids=given.together(given.number(p) for p in pids or ["PID"])
            ),
        ),
    )
    return (*keep, _free(stuck, where, well))


def _free(stuck: Proc | None, where: str, well: Text) -> Step:
    if stuck and stuck.state in ("T", "t"):
        return Step(
            say("resume process {pid}", pid=stuck.pid),
            where=where,
            command=command("kill -CONT {pid}", pid=given.number(stuck.pid)),
            risk="reversible",
            undo=command("kill -STOP {pid}", pid=given.number(stuck.pid)),
            verify=well,
        )
    if stuck and (stuck.state == "D" or stuck.stuck_threads):
        return Step(
            say(
                "restore the resource process {pid} waits for; no signal reaches it until then", pid=stuck.pid
            ),
            where=where,
            verify=well,
        )
    if stuck:
        return Step(
            say("then end that runc, process {pid}: this container fails and is recreated", pid=stuck.pid),
            where=where,
            command=command("kill {pid}", pid=given.number(stuck.pid)),
            risk="disrupts",
            verify=well,
        )
    return Step(
        say(
            "then resolve the wait shown in these stacks; otherwise restart the runtime in a maintenance "
            "window (dockerd without live-restore stops all containers)"
        ),
        where=where,
        risk="disrupts",
        verify=well,
    )


CAUSE = Cause(
    id="runtime.container-inspect-hangs",
    title=say("the runtime does not return the state of one container"),
    subjects=("Pod", "Node"),
    reads=frozenset(
        {
            ContainerAnswers,
            RuntimeAnswer,
            Failure,
            Conditions,
            Lease,
            Placement,
            Deletion,
            Phase,
            ContainerStatuses,
            NodeInfo,
            DaemonState,
        }
    ),
    rule=_rule,
)
