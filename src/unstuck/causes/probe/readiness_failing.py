"""A running container is not ready because its readiness probe fails

## How it happens

The container runs, and its readiness probe does not get the expected answer: the program is still loading or
waits for a dependency (a database, a migration, a peer), it listens on another port or path than the probe
asks, or it answers too late. While it fails, the Pod gets no traffic from Services, and a rollout that waits
for it stands still. A failing readiness probe restarts no container.

## How to tell

The container is running and not ready, its spec has a readiness probe, and since its start the kubelet has
reported `Readiness probe failed`, with the answer. The kubelet is the authority here: it probes, and it
decides.

## Known limits

Readiness gates of the Pod, which other controllers fulfil, and containers without a readiness probe are not
covered here. A container that ends repeatedly fails its probe meanwhile: with `Back-off restarting failed
container` beside it this is no more than possible. So it is with a message alone and no status, for every
program fails its probe while it starts, unless the answer itself gives the reason: a path that does not exist
or requires a login, a rejected request, or repeated silence. A probe of a container that is down by then
(`container is in CONTAINER_EXITED state`, `no running task found`) is no evidence. Until a startup probe has
succeeded, the readiness probe does not run. The reason is in the program's log, not in the probe: its last
line is quoted, and an object that it or the probe names is followed; of a server that it names as failing, or
as what it waits for, the log of a ready Pod is read. A fix is proposed only if the line or
the answer names it (a status code, a time-out of a command); otherwise looks are proposed that distinguish a
waiting program, a hung one and a blocked connection. A wrong scheme is probe.scheme-wrong.

## References

- Kubernetes pkg/kubelet/prober, documentation "Configure Liveness, Readiness and Startup Probes"; field notes
  (one of which says wrongly that a failing readiness probe restarts the container)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes._commands import logs
from unstuck.causes._log_file import READS as _LOG_READS
from unstuck.causes._log_file import LogFile, find_log_file
from unstuck.causes._neighbour_log import NeighbourWords
from unstuck.causes._node_words import READS as _NODE_READS
from unstuck.causes._node_words import ask_node
from unstuck.causes._path_volume import tell_place
from unstuck.causes._stale_mounts import READS as _STALE_READS
from unstuck.causes._stale_mounts import tell_stale_mount
from unstuck.causes._stopped import READS as _STOPPED_READS
from unstuck.causes._stopped import tell_stopped
from unstuck.causes._told_by_node import NodeWords, join_words
from unstuck.causes._waiting_calls import READS as _CALL_READS
from unstuck.causes._waiting_calls import tell_waiting_call
from unstuck.causes.container._ends import name_container
from unstuck.causes.container._probe_answers import explain_answer, find_telling_answers
from unstuck.causes.container._probe_kind import find_answer_meaning
from unstuck.causes.container._probed import describe_target
from unstuck.causes.probe._answers import advise_by_answer, says_why
from unstuck.causes.program._answering import READS as _PARTNER_READS
from unstuck.causes.program._answering import read_awaited_server, read_failing_server
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Event, Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatus, ContainerStatuses, LastLines
from unstuck.facts.core import Ref, Want, quote_line
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_DONE = say("the Pod becomes Ready at the next success of the probe")
_SLACK = timedelta(seconds=5)
# The probe itself could not run, so the program was not asked.
_NOT_RUN: tuple[ErrorWord, ...] = ("exec-not-found", "not-executable", "exec-format")


def _rule(pod: Ref, snap: Facts) -> Signs:
    probed = some(snap, Containers, pod, lambda f: [c for c in f.items if c.readiness])
    names = tuple(c.name for c in probed.hits)
    waiting = some(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.name in names and _is_not_ready(s)]
    )
    # A row of a table names no container.
    unready = hearsay(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if _is_not_ready(s)])
    said = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation == "probe-readiness" and f.error != "container-stopped" else [],
    )
    unfit = hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == "probe-readiness" and f.error in _NOT_RUN else []
    )
    since = any_of([_find_since_start(s, said.hits, pod, snap) for s in waiting.hits])
    falls = some(snap, Events, pod, lambda f: [e for e in f.items if _is_restarted(e)])

    def finding() -> Finding:
        return _make_finding(pod, (*since.hits, *said.hits)[0], probed.hits, snap)

    return Signs(
        decisive={
            "a container is running but not ready, and the kubelet has said so since its start": all_of(
                [waiting, since]
            )
            if waiting.value
            else waiting
        },
        supporting={
            (
                "a container is seen to be not ready, and the kubelet says that a readiness probe failed"
            ): _require_unready(said, unready),
            "the command of the probe cannot run in it": _require_alone(unfit, falls),
            "the answer to the probe tells why it fails": _require_alone(
                find_telling_answers(pod, snap, "readiness"), falls
            ),
        },
        finding=finding,
        notes=_find_open_meaning(said.hits),
    )


def _read_last_line(pod: Ref, name: str | None, snap: Facts) -> str:
    logs_read = snap.of(LastLines, make_container_ref(pod, name)) if name else ()
    return next((line.strip() for f in logs_read for line in reversed(f.lines) if line.strip()), "")


def _ask_node(pod: Ref, name: str | None, snap: Facts) -> NodeWords:
    """Return a stopped process; else a volume that differs from the Node's current mount; else the Node's
    explanation of the container's last line; else the call that its process waits in, if the line is no
    explanation.
    """
    stopped = tell_stopped(pod, name, snap, _DONE)
    if stopped.seen:
        return stopped
    line = _read_last_line(pod, name, snap)
    stale = join_words(stopped, tell_stale_mount(pod, name, line, snap, _DONE))
    if stale.seen:
        return stale
    of_line = join_words(stale, ask_node(pod, name, line, snap, _DONE))
    if of_line.seen or says_why(line):
        return of_line
    return join_words(of_line, tell_waiting_call(pod, name, snap))


def _read_partner(pod: Ref, line: str, got: str, snap: Facts) -> NeighbourWords:
    """Return the log of the server that the program's last line, or the answer to its probe, names."""
    read = read_awaited_server if says_why(line) else read_failing_server
    told = read(pod, line, snap, _DONE)
    return told if told.says.en or told.wants or not got else read_failing_server(pod, got, snap, _DONE)


def _find_log_file(pod: Ref, name: str | None, snap: Facts) -> LogFile:
    """Return the program's own log file, if its output was read and the last line gives no reason."""
    log = next(iter(snap.of(LastLines, make_container_ref(pod, name))), None) if name else None
    if log is None or says_why(_read_last_line(pod, name, snap)):
        return LogFile()
    since = next((s.since for f in snap.of(ContainerStatuses, pod) for s in f.items if s.name == name), None)
    return find_log_file(pod, name, log.lines, since, snap)


def _require_unready(said: Sign[Failure], unready: Sign[ContainerStatus]) -> Sign[Failure]:
    """Return the kubelet's words, open unless a container is seen to be not ready: each container fails its
    probe while it starts.
    """
    return said if unready.value else Sign(None, said.hits, said.seen, unready.wants)


def _find_open_meaning(said: tuple[Failure, ...]) -> tuple[Text, ...]:
    """Return the meaning of the words while the cause is open."""
    if meaning := explain_answer(said):
        return meaning
    return (
        (say("as it starts, any program fails its probe; if it is still not ready, its own log says why"),)
        if said
        else ()
    )


def _is_restarted(event: Event) -> bool:
    """Tell whether its container is restarted repeatedly: a probe during a restart fails as well."""
    return event.reason == "BackOff" and "restarting failed container" in event.message


def _require_alone(said: Sign[Failure], falls: Sign[Event]) -> Sign[Failure]:
    return Sign(None, said.hits, said.seen, falls.wants) if falls.value else said


def _is_not_ready(s: ContainerStatus) -> bool:
    return s.state == "running" and not s.ready and s.started is not False


def _find_since_start(s: ContainerStatus, said: tuple[Failure, ...], pod: Ref, snap: Facts) -> Sign[Failure]:
    mine = tuple(
        f
        for f in said
        if f.container in (s.name, None)
        and f.src.at is not None
        and s.since is not None
        and f.src.at >= s.since - _SLACK
    )
    return (
        Sign(True, mine, mine)
        if mine
        else Sign(None, seen=said, wants=() if snap.of(Events, pod) else (Want(Events, pod),))
    )


def _make_finding(pod: Ref, failure: Failure, probed: tuple[ContainerSpec, ...], snap: Facts) -> Finding:
    spec = next((c for c in probed if c.name == failure.container), None)
    name = failure.container or (probed[0].name if len(probed) == 1 else None)
    who = name_container(name)
    handler = spec.readiness if spec else None
    asks = say(" ({what})", what=describe_target(handler)) if handler else NO_TEXT
    got = "" if failure.message.lower().rstrip(": ").endswith("probe failed") else failure.message
    notes = [say("a failing readiness probe removes the Pod from its Services; it never restarts it")]
    if got and (handler is None or handler.how != "exec"):
        notes.insert(0, say("got: {got}", got=got))
    logs_read = snap.of(LastLines, make_container_ref(pod, name)) if name else ()
    line = _read_last_line(pod, name, snap)
    by_node = _ask_node(pod, name, snap)
    file = _find_log_file(pod, name, snap)
    partner = NeighbourWords() if by_node.help else _read_partner(pod, line, got, snap)
    says = say("{who} is running, but its readiness probe{asks} fails", who=who, asks=asks)
    if failure.error in _NOT_RUN:
        says = say(
            "{who} is running, but the command of its readiness probe{asks} cannot run in it",
            who=who,
            asks=asks,
        )
    if meaning := find_answer_meaning(pod, failure, handler, name, snap):
        says += say(": {meaning}", meaning=meaning.says)
    elif got and handler is not None and handler.how == "exec":
        # Its own words are the only ones that a command's failure has.
        says += say(": “{got}”", got=quote_line(_strip_prefix(got)))
    if by_node.help and line:
        says += (
            say("; its last log line: “{line}”", line=quote_line(line))
            + tell_place(pod, name, line, snap)
            + by_node.says
        )
    elif by_node.help:
        says += by_node.says
    elif says_why(line) or (line and partner.says.en):
        says += say("; its last log line: “{line}”", line=quote_line(line))
    elif line:
        notes.insert(0, say("its last line: {line}", line=quote_line(line)))
    says += file.quote() + partner.says
    return Finding(
        says,
        culprit=make_container_ref(pod, name),
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            *by_node.help,
            *partner.help,
            *file.look(),
            *_help(
                pod,
                failure,
                name,
                ()
                if by_node.help or partner.help
                else advise_by_answer(pod, failure, handler, line, name, _DONE, snap),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the readiness probe"),
                say("traffic would be sent to a program that cannot serve it"),
            ),
        ),
        # Its log names its dependency.
        enrich=(
            *((Want(LastLines, make_container_ref(pod, name)),) if name and not logs_read else ()),
            *by_node.wants,
            *file.wants,
            *partner.wants,
        ),
        seen=(*partner.seen, *(by_node.seen if by_node.help else ()), *((file.found,) if file.found else ())),
    )


def _strip_prefix(message: str) -> str:
    return " ".join(message.partition("probe failed: ")[2].split()) or message


def _help(pod: Ref, failure: Failure, name: str | None, of_answer: tuple[Step, ...]) -> tuple[Step, ...]:
    if failure.error in _NOT_RUN:
        mend = say(
            "use a command that exists in the image and is executable (full path), or use an http, tcp or "
            "grpc probe"
        )
        return (Step(mend, where="source", verify=_DONE),)
    return (
        *of_answer,
        Step(say("see what the program is waiting for or listening on"), command=logs(pod, name)),
    )


CAUSE = Cause(
    id="probe.readiness-failing",
    title=say("a running container is not ready because its readiness probe fails"),
    subjects=("Pod",),
    stages=("ready",),
    reads=_STALE_READS
    | _PARTNER_READS
    | _STOPPED_READS
    | _NODE_READS
    | _CALL_READS
    | _LOG_READS
    | {Failure, Events, Containers, ContainerStatuses, LastLines},
    rule=_rule,
)
