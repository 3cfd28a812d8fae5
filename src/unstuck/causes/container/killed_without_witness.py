"""The container was killed by a signal; the sender left no trace

## How it happens

The last run ended with code 137 (128 + SIGKILL) or 143 (128 + SIGTERM), and none of the usual senders of
these signals reports it: no probe failed, the kernel does not report a kill for memory, the Pod was not
evicted and is not being deleted. The remaining possibilities are a person with a shell on the Node or in the
container, a security or monitoring agent, a restart of the container runtime or of the machine, a kill for
memory of a parent whose report was missed, and a program, often a shell, that returns such a number itself:
`exit 137`, or the code of a child.

## How to tell

Exit code 137 alone is not a kill for memory: the kubelet writes the reason OOMKilled for that. The kernel's
log on the Node records kills for memory; the container's last lines show a shell that saw a child die.

## Known limits

No trace distinguishes a signal from a program that returns its number. With 143 this is likely if the
container ended so more than once, all of Kubernetes' own reasons to end containers are ruled out, and the log
names no failure. With 137, which scripts return as well, it is no more than possible, beside
container.exits-by-itself, unless a log below /var/log of its node reports a signal to its port or its name.

## References

- containerd and runc: exit status of a signalled process is 128 + signal; field notes on code 137
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.causes.container._ends import (
    STAGES,
    Run,
    find_last_runs,
    join_runs,
    kills_of,
    list_other_ends,
    name_container,
    was_ended_by_probe,
    was_pod_terminated,
)
from unstuck.causes.container._last_words import describe_restarts
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, only_yes
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Life, Placement
from unstuck.facts.aspects.signals import SignalLine, SignalTraces
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KILL, _TERM = 137, 143
_SIGNAL: Mapping[int, str] = MappingProxyType({_KILL: "SIGKILL", _TERM: "SIGTERM"})
# A single end may be a restarted daemon; repeatedly it has a sender.
_MANY = 2
# Shorter names are in many lines.
_TELLING = 5


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = find_last_runs(pod, snap)
    killed = (
        join_runs([(r, _judge_without_witness(pod, snap, r)) for r in runs.hits], runs.seen)
        if runs.hits
        else Sign(runs.value, seen=runs.seen, wants=runs.wants)
    )
    again = tuple(r for r in killed.hits if killed.value is None and _comes_from_outside(pod, snap, r))
    traced = _find_traced(pod, killed.hits if killed.value is None else (), snap)

    def finding() -> Finding:
        return _make_finding(pod, (*traced.hits, *again, *killed.hits)[0], snap)

    return Signs(
        decisive={"its process was killed, and nothing shows by whom": killed},
        supporting={
            "SIGTERM ends it repeatedly, and no known sender in Kubernetes sent it": only_yes(
                Sign(bool(again), again, runs.seen)
            ),
            (
                "a program of its Node writes that it sends signals to what serves on its port, or bears "
                "its name"
            ): traced,
        },
        finding=finding,
    )


def _find_traced(pod: Ref, runs: tuple[Run, ...], snap: Facts) -> Sign[Run]:
    """Return the runs whose ender is named in a log of the node, by port or name."""
    hits = tuple(r for r in runs if _list_traces_of(pod, r, snap))
    node = find_node_of_pod(pod, snap)
    if hits or not runs or node is None:
        return Sign(True if hits else None, hits, tuple(snap.every(SignalTraces)) if hits else ())
    return Sign(None, wants=(Want(SignalTraces, node),))


def _list_traces_of(pod: Ref, run: Run, snap: Facts) -> tuple[SignalLine, ...]:
    """Return the lines about signals, written since the run began, with a port that it declares, its Pod's
    name or its container's id.
    """
    node = find_node_of_pod(pod, snap)
    marks = [rf"\bport\W{{1,3}}{n}\b" for _, n in (run.spec.ports if run.spec else ())]
    marks += [
        re.escape(mark)
        for mark in (pod.name, pod.uid or snap.canon(pod).uid)
        if mark and len(mark) >= _TELLING
    ]
    if node is None or not marks:
        return ()
    named = re.compile("|".join(marks), re.IGNORECASE)
    lines = (i for f in snap.of(SignalTraces, node) for i in f.items)
    return tuple(
        i for i in lines if named.search(i.line) and not (i.at and run.end.started and i.at < run.end.started)
    )


def _make_finding(pod: Ref, run: Run, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    if traces := _list_traces_of(pod, run, snap):
        return _make_trace_finding(pod, run, node, traces[-1])
    says = say(
        "{who} ends with code {code}, that of {signal}, and no probe, hook, deletion or eviction asked for "
        "it: a process of its node or in the container sends it",
        who=name_container(run.name or None),
        code=run.end.code,
        signal=_SIGNAL[run.end.code],
    )
    if node is not None and node.name:
        says += say("; the Pod runs on Node {node}", node=node.name)
    look = Step(
        say(
            "see which program of that node writes that it sent a signal: an agent for security or "
            "monitoring, a script"
        ),
        where=place_on_node(node.name if node else None),
        command=command(
            "grep -rIiE -e 'sig(term|kill)|sent signal|kill(ed|ing) process' /var/log | tail -n 20"
        ),
    )
    log = Step(
        say("read its earlier output: a shell reports a child that was killed this way"), command=run.log(pod)
    )
    asked = (Want(SignalTraces, node),) if node is not None else ()
    enrich = tuple(w for w in asked if not snap.answered(w))
    return Finding(
        says,
        make_container_ref(pod, run.name or None),
        (pod,),
        describe_restarts(run),
        (look, log),
        enrich=enrich,
    )


def _make_trace_finding(pod: Ref, run: Run, node: Ref | None, trace: SignalLine) -> Finding:
    """Return the finding that quotes the program of the node which ends it."""
    name = node.name if node else None
    says = say(
        (
            "{who} ends with code {code}, that of {signal}: a program of Node {node} sends it, as its log "
            "{path} says: “{line}”"
        ),
        who=name_container(run.name or None),
        code=run.end.code,
        signal=_SIGNAL[run.end.code],
        node=name or "?",
        path=trace.path,
        line=trace.line,
    )
    look = Step(
        say("see what it writes, and which program that is"),
        where=place_on_node(name),
        command=command("tail -n 20 {path}", path=given.path(trace.path)),
    )
    spare = Step(
        say(
            "have it spare this port or program in its own settings, with its owner's consent; else move "
            "the Pod to a node without it"
        ),
        where=place_on_node(name),
        verify=say("the container stays up for more than a few minutes"),
    )
    return Finding(
        says, make_container_ref(pod, run.name or None), (pod,), describe_restarts(run), (look, spare)
    )


def _comes_from_outside(pod: Ref, snap: Facts, run: Run) -> bool:
    """Tell whether one of several runs ended by SIGTERM, and all of Kubernetes' own reasons to end it are
    ruled out.
    """
    told = any(
        f.complaint
        for f in snap.of(LastLines, make_container_ref(pod, run.name))
        if f.previous or run.status.state != "running"
    )
    none = (
        all(other.value is False for other in list_other_ends(pod, snap, run))
        and not kills_of(pod, snap, run).value
    )
    # Held against events, which an end without its times cannot be.
    timed = run.end.started is not None and run.end.finished is not None
    return run.end.code == _TERM and timed and run.status.restarts >= _MANY and not told and none


def _judge_without_witness(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    """Return no for another code, or if a program that ends containers reports it; never yes."""
    if run.end.code not in _SIGNAL or run.end.reason not in ("Error", ""):
        return Sign(False)
    witnesses = (
        was_ended_by_probe(pod, snap, run, "liveness"),
        was_ended_by_probe(pod, snap, run, "startup"),
        kills_of(pod, snap, run),
        was_pod_terminated(pod, snap),
    )
    found: Sign[Any] = any_of([w for w in witnesses if w.value])
    if found.value:
        return Sign(False, seen=found.seen)
    wants = tuple(w for s in witnesses if s.value is None for w in s.wants)
    return Sign(None, (run,), (), (*wants, Want(LastLines, make_container_ref(pod, run.name))))


CAUSE = Cause(
    id="container.killed-without-witness",
    title=say("a signal ended the container, and its sender left no trace"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset(
        {
            ContainerStatuses,
            Containers,
            Events,
            Failure,
            OomKills,
            Phase,
            LastLines,
            Life,
            Placement,
            SignalTraces,
        }
    ),
    rule=_rule,
)
