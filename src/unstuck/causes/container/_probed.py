"""Shared parts of a failed liveness probe and a failed startup probe: the kubelet itself ends the container
for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.causes._commands import show_previous_log
from unstuck.causes.container._ends import (
    Run,
    find_last_runs,
    has_ended_at_once,
    join_runs,
    name_container,
    was_ended_by_probe,
    was_too_short,
)
from unstuck.causes.container._last_words import describe_restarts, quote_last_words, wrote_nothing
from unstuck.causes.container._probe_answers import (
    explain_answer,
    find_latest_answer,
    find_telling_answers,
)
from unstuck.causes.container._probe_kind import find_answer_meaning, list_lines
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Handler, LastLines, Life
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.derive.told_ports import find_told_ports
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS = frozenset({ContainerStatuses, Containers, Events, Failure, LastLines, Life})
PROBES = {"liveness": say("liveness"), "startup": say("startup"), "readiness": say("readiness")}


def probe_signs(pod: Ref, snap: Facts, probe: str) -> Signs:
    """Return the signs for a container that the kubelet ends because this probe (`liveness`, `startup`)
    failed.
    """
    runs = find_last_runs(pod, snap)
    judged_runs = (
        join_runs([(r, was_ended_by_probe(pod, snap, r, probe)) for r in runs.hits], runs.seen)
        if runs.hits
        else _drop_hits(runs)
    )
    if judged_runs.value is None and not any(f.operation == f"probe-{probe}" for f in snap.of(Failure, pod)):
        judged_runs = judged_runs._replace(hits=tuple(r for r in judged_runs.hits if _may_have(r, probe)))
    if judged_runs.value is None and not judged_runs.hits:
        judged_runs = Sign(None, wants=judged_runs.wants)
    said = hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == f"probe-{probe}" and f.error == "killed" else []
    )
    answers = find_telling_answers(pod, snap, probe)
    failed = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation == f"probe-{probe}" and f.error != "container-stopped" else [],
    )

    def finding() -> Finding:
        run = judged_runs.hits[0] if judged_runs.hits else None
        return _make_finding(
            pod, snap, run, run.name if run else (*said.hits, *answers.hits, *failed.hits)[0].container, probe
        )

    return Signs(
        decisive={f"the kubelet ended the last run for a failed {probe} probe": judged_runs},
        supporting={
            f"the kubelet says that it restarts a container for a failed {probe} probe": said,
            f"the answer to the {probe} probe tells why it fails": answers,
            f"the kubelet says that the {probe} probe failed, and not that it acts on it": Sign(
                None, failed.hits, failed.seen
            ),
        },
        finding=finding,
        notes=explain_answer(failed.hits),
    )


def _may_have(run: Run, probe: str) -> bool:
    """Tell whether the container, as far as shown, may have such a probe that had time to fail."""
    if run.spec is None:
        return not has_ended_at_once(run)
    handler = run.spec.liveness if probe == "liveness" else run.spec.startup
    return handler is not None and not was_too_short(run, handler)


def _drop_hits(runs: Sign[Run]) -> Sign[Run]:
    return Sign(runs.value, seen=runs.seen, wants=runs.wants)


def describe_target(handler: Handler | None) -> Text:
    """Return the probe's request: `HTTP GET :8080/healthz`, `a connection to :8080`, `the command cat`."""
    if handler is None:
        return NO_TEXT
    if handler.how == "exec" and handler.paths:
        return say("the command {what}, on {paths}", what=handler.what, paths=list_names(handler.paths))
    if handler.how == "exec":
        return say("the command {what}", what=handler.what)
    if handler.how == "http":
        return same_in_both(f"{handler.scheme or 'HTTP'} GET :{handler.port}{handler.what}")
    if handler.how == "grpc":
        return say("gRPC health at :{port}", port=handler.port)
    return say("a connection to :{port}", port=handler.port)


def probe_answers(pod: Ref, snap: Facts, container: str | None, probe: str) -> tuple[Text, ...]:
    """Return the probe's latest result, from the kubelet's message."""
    told = find_latest_answer(pod, snap, container, probe)
    if told is None or told.message.lower().rstrip(": ").endswith("probe failed"):
        return ()
    return (say("got: {words}", words=told.message),)


def describe_patience(handler: Handler | None) -> tuple[Text, ...]:
    """Return the probe's waiting time before it counts as failed."""
    if handler is None:
        return ()
    n, s = handler.failures, handler.period
    return (
        say(
            "probe: fails after {count} × every {s} s, timeout {timeout} s, initial delay {delay} s",
            count=n,
            s=s,
            timeout=handler.timeout,
            delay=handler.delay,
        ),
    )


def _find_told_ports(
    pod: Ref, name: str | None, handler: Handler | None, answer: Failure | None, snap: Facts
) -> tuple[int, ...]:
    """Return the ports on which a program says that it listens, if its probe is refused at another one."""
    if handler is None or answer is None or answer.error != "connection-refused" or not name:
        return ()
    told = find_told_ports(list_lines(pod, name, snap))
    return () if handler.port in map(str, told) or not handler.port.isdecimal() else told


def tell_logged_ports(ports: Iterable[int]) -> Text:
    """Return where the program listens, as a clause."""
    return say("; according to its log, it listens on port {ports}", ports=list_names(map(str, ports)))


def point_to(port: int) -> Text:
    """Return the change where the log gives one port."""
    return say("point the probe to port {port}: according to its log, the program listens there", port=port)


def _make_finding(pod: Ref, snap: Facts, run: Run | None, name: str | None, probe: str) -> Finding:
    spec = run.spec if run else find_container_spec(pod, name, snap)
    handler = None if spec is None else spec.liveness if probe == "liveness" else spec.startup
    asks = describe_target(handler)
    of = say(" ({asks})", asks=asks) if handler else NO_TEXT
    kind = PROBES[probe]
    words, enrich = quote_last_words(pod, snap, run) if run else ((), ())
    says = say(
        "the kubelet restarts {name} because its {kind} probe{of} fails",
        name=name_container(name),
        kind=kind,
        of=of,
    )
    latest = find_latest_answer(pod, snap, name, probe)
    meaning = find_answer_meaning(pod, latest, handler, name, snap) if latest else None
    if meaning:
        says += say(": {meaning}", meaning=meaning.says)
    told = _find_told_ports(pod, name, handler, latest, snap)
    if told:
        says += tell_logged_ports(told)
    look = (
        Step(
            say(
                "find out why it does not answer: it writes no log, so run the same check "
                "from inside the container"
            )
        )
        if run and wrote_nothing(pod, snap, run)
        else Step(
            say(
                "find out why it does not answer: read its last log lines, or run the same check from "
                "inside the container"
            ),
            command=show_previous_log(pod, name),
        )
    )
    other = say(
        "if the program is healthy but slow to start, add a startupProbe; if the probe uses the wrong port "
        "or path, correct it"
    )
    if probe == "startup":
        other = say(
            "if the program just needs longer to start, raise failureThreshold; if the probe uses the wrong "
            "port or path, correct it"
        )
    mend = Step(
        meaning.mend if meaning else point_to(told[0]) if len(told) == 1 else other,
        where="source",
        verify=say("no more Killing events, and the restarts stop"),
    )
    drop = DoNot(
        say("remove the {kind} probe", kind=kind),
        say("a hung program would then stay up and count as running"),
    )
    notes = (
        *(describe_restarts(run) if run else ()),
        *probe_answers(pod, snap, name, probe),
        *describe_patience(handler),
        *words,
    )
    return Finding(says, make_container_ref(pod, name), (pod,), notes, (look, mend), (drop,), enrich)
