"""The last lines of the program of a failed run: the starting point of every cause of this family.

A line of an earlier run, or a warning of a program that continues, does not count: the run ended with an
error, and was not ended from outside.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from unstuck.causes import _capabilities, _given, _log_file, _node_words, _sources
from unstuck.causes._log_file import LogFile, find_log_file
from unstuck.causes.container._ends import (
    CRASHES,
    SIGNALS,
    STAGES,
    Run,
    find_last_runs,
    list_other_ends,
    name_container,
)
from unstuck.causes.container._last_words import describe_restarts
from unstuck.causes.program._peers import find_url
from unstuck.diagnosis.sign import Sign, any_of, hearsay, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.node_files import FileLines
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import (
    Complaint,
    Containers,
    ContainerStatus,
    ContainerStatuses,
    LastLines,
    Life,
    Termination,
)
from unstuck.facts.core import Fact, Ref, Want, quote_line
from unstuck.facts.derive.pods import make_container_ref, place_of_containers
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

__all__ = [
    "READS",
    "STAGES",
    "ProgramMessage",
    "find_last_words",
    "find_lone_messages",
    "find_program_messages",
    "make_finding",
    "write_address",
    "write_port",
]

READS: frozenset[type[Fact]] = (
    _node_words.READS
    | _log_file.READS
    | _sources.READS
    | _given.READS
    | _capabilities.READS
    | {
        ContainerStatuses,
        Containers,
        Events,
        Failure,
        LastLines,
        Life,
        Phase,
        ToldErrors,
    }
)
# The kubelet's reasons of an end that is the program's own.
_BY_ITSELF = ("Error", "")
# A table's status for a container whose program exits.
_ENDS = ("CrashLoopBackOff", "Error")
# The exit code of a run known only from its log.
_UNTOLD = -1
_NO_RUN = Run(ContainerStatus("", "main", "none"), Termination(_UNTOLD))
_ANY: tuple[ProgramError, ...] = get_args(ProgramError)
# The message may be about another client, with a reason of its own. apimachinery pkg/api/errors
# (NewUnauthorized), as client-go hands it on.
_REFUSED_BY_API = regex(r"(?:^|[│|: ] ?|=\"?)(?<!401 )Unauthorized\"?\s*$")
_SYMPTOMS: tuple[ProgramError, ...] = ("connection-cut", "connection-timed-out")


@record()
class ProgramMessage(Record):
    """One ended run, and its program's message about the reason.

    For an error that a text reports: by: the reporting program, "" if the text names none; of: the object it
    is about. file: the program's own log file, if the message is from there.
    """

    run: Run
    complaint: Complaint
    by: str = ""
    of: Ref | None = None
    file: FileLines | None = None


def find_program_messages(pod: Ref, snap: Facts, *errors: ProgramError) -> Sign[ProgramMessage]:
    """Return the failed runs with one of these messages in their last lines. No: the last lines of all runs
    were read, and none has it.

    Without any known run, a log that closes with a program's last message implies one.
    """
    if pod.kind == "Text":
        return find_lone_messages(pod, snap, *errors)
    runs = find_last_runs(pod, snap)
    if runs.hits:
        return any_of([_find_in_run(pod, snap, run, errors, runs.seen) for run in runs.hits])
    lone: Sign[ProgramMessage] = find_lone_messages(pod, snap, *errors) if runs.value is None else Sign(None)
    return lone if lone.value else Sign(runs.value, seen=runs.seen, wants=runs.wants)


def find_last_words(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    """Tell whether any known message is among the last lines: without one no cause of this family applies."""
    said = find_program_messages(pod, snap, *_ANY)
    lone = said if said.value is not None else find_lone_messages(pod, snap, *_ANY)
    # The program's end is open, and the message may support a cause.
    return Sign(True, lone.hits) if lone.hits else said


def find_lone_messages(pod: Ref, snap: Facts, *errors: ProgramError) -> Sign[ProgramMessage]:
    """Return the messages of a log without any known run. Yes: the program ends with its last line. Otherwise
    its end is open. For a text, return the errors reported in it; a symptom stays open.
    """
    if pod.kind == "Text":
        return _find_in_text(pod, snap, errors)
    if any(
        f.whole or s.ended or s.last or s.state == "running"
        for f in snap.of(ContainerStatuses, pod)
        for s in f.items
    ):
        return Sign(None)
    refs = unique(f.about for f in snap.every(LastLines) if f.about.within == place_of_containers(pod))
    said = [hearsay(snap, LastLines, ref, lambda f: _find_in_log(f, errors)) for ref in refs]
    hits, seen = unique(h for s in said for h in s.hits), unique(f for s in said for f in s.seen)
    # A container that ends with its last line comes first.
    hits = tuple(sorted(hits, key=lambda h: not h.complaint.final))
    ended = any(h.complaint.final for h in hits) or (bool(hits) and _ends_again_and_again(pod, snap))
    return Sign(True if ended else None, hits, seen, sure=False)


def _ends_again_and_again(pod: Ref, snap: Facts) -> bool:
    """Tell whether a row shows that the Pod's program ends with an error, without saying how it ended."""
    return any(
        s.state != "running" and s.reason in _ENDS for f in snap.of(ContainerStatuses, pod) for s in f.items
    )


def _find_in_text(text: Ref, snap: Facts, errors: tuple[ProgramError, ...]) -> Sign[ProgramMessage]:
    said = hearsay(
        snap,
        ToldErrors,
        text,
        lambda f: [
            ProgramMessage(_NO_RUN, i.complaint, i.by, i.of) for i in f.items if i.complaint.error in errors
        ],
    )
    return Sign(None, said.hits, said.seen) if all(_is_symptom(h.complaint) for h in said.hits) else said


def _is_symptom(said: Complaint) -> bool:
    """Tell whether many causes end in this message: a refused login is little evidence without a user or a
    server.
    """
    return said.error in _SYMPTOMS or (
        said.error == "credentials-refused"
        and not said.name
        and not find_url(said.line)
        and not is_of_api_server(said.line)
    )


def write_address(said: Complaint) -> str:
    """Return the server that the message names, `db:5432`; "" if it names none."""
    return f"{said.name}:{said.port}" if said.name and said.port else said.name


def write_port(said: Complaint) -> tuple[str, ...]:
    """Return the port that the message names, as a word; empty if it names none."""
    return (str(said.port),) if said.port else ()


def is_of_api_server(line: str) -> bool:
    """Tell whether a line ends in the API server's own word for a login that it refuses."""
    return _REFUSED_BY_API.search(line) is not None


def _find_in_log(log: LastLines, errors: tuple[ProgramError, ...]) -> list[ProgramMessage]:
    """Return the messages about a run that is known from this log alone."""
    if log.complaint is None or log.complaint.error not in errors:
        return []
    status = ContainerStatus(log.about.name or "", "main", "none" if log.previous else "terminated")
    end = Termination(_UNTOLD)
    return [ProgramMessage(Run(status if log.previous else replace(status, ended=end), end), log.complaint)]


def _find_in_run(
    pod: Ref, snap: Facts, run: Run, errors: tuple[ProgramError, ...], statuses: tuple[Fact, ...]
) -> Sign[ProgramMessage]:
    if not _badly(run) or any(s.value for s in list_other_ends(pod, snap, run)):
        return Sign(False, seen=statuses)
    ref = make_container_ref(pod, run.name)
    logs = [f for f in snap.of(LastLines, ref) if f.previous or run.status.state != "running"]
    said: list[tuple[Complaint, Fact]] = [(f.complaint, f) for f in logs if f.complaint]
    if not said and run.end.complaint:
        said = [(run.end.complaint, f) for f in statuses]
    file = None if said else _find_log_file(pod, run, logs, snap)
    if file and file.found and (complaint := file.find_complaint()):
        said = [(complaint, file.found)]
    if hits := [(c, f) for c, f in said if c.error in errors]:
        seen = unique(f for _, f in hits)
        return Sign(
            True,
            unique(ProgramMessage(run, c, file=f if isinstance(f, FileLines) else None) for c, f in hits),
            unique((*seen, *statuses)),
            sure=any(snap.sure(f) for f in seen),
        )
    if logs or said:
        return Sign(False, seen=tuple(logs) or statuses)
    return Sign(None, wants=(Want(LastLines, ref),))


def _find_log_file(pod: Ref, run: Run, logs: list[LastLines], snap: Facts) -> LogFile | None:
    """Return the program's own log file, if its output was read and gives no reason."""
    if not logs:
        return None
    return find_log_file(pod, run.name or None, logs[0].lines, run.end.started, snap)


def _badly(run: Run) -> bool:
    """Tell whether the run ended with a program's own error: a signal that others send is none."""
    code = run.end.code
    return run.end.reason in _BY_ITSELF and code > 0 and (code not in SIGNALS or code in CRASHES)


def make_finding(  # noqa: PLR0913 - the parts of a finding, each by its name
    pod: Ref,
    one: ProgramMessage,
    means: Text,
    help_: tuple[Step, ...],
    *,
    notes: tuple[Text, ...] = (),
    do_not: tuple[DoNot, ...] = (),
    culprit: Ref | None = None,
    enrich: tuple[Want, ...] = (),
    seen: tuple[Fact, ...] = (),
) -> Finding:
    """Return the finding, which quotes the line first and then explains it. culprit: the faulty object; None:
    the program itself.
    """
    if pod.kind == "Text":
        return _make_finding_in_text(pod, one, means, help_, notes, do_not, culprit)
    run, who = one.run, name_container(one.run.name or None)
    container = make_container_ref(pod, run.name or None)
    line = quote_line(one.complaint.line)
    if one.complaint.detail:
        line = f"{line}; {quote_line(one.complaint.detail)}"
    says = (
        say("{who} wrote “{line}” and exited: ", who=who, line=line)
        if run.end.code == _UNTOLD
        else say("{who} wrote “{line}” and exited with code {code}: ", who=who, line=line, code=run.end.code)
    )
    if one.file is not None:
        node = one.file.about.within or ""
        means += say("; it wrote this to its log file {path} on Node {node}", path=one.file.path, node=node)
    log = (Step(say("read its earlier lines"), command=run.log(pod)),)
    return Finding(
        says + means,
        culprit or Ref("Program", container.within, container.name),
        unique((container, pod)),
        (*(() if run.end.code == _UNTOLD else describe_restarts(run)), *notes),
        (*help_, *(LogFile(one.file).look() or log)),
        do_not,
        enrich,
        seen,
    )


def _make_finding_in_text(
    text: Ref,
    one: ProgramMessage,
    means: Text,
    help_: tuple[Step, ...],
    notes: tuple[Text, ...],
    do_not: tuple[DoNot, ...],
    culprit: Ref | None,
) -> Finding:
    """Return the finding for an error that a text reports: its meaning first, since the error itself is
    obvious.
    """
    by = (say("{by} reports it", by=one.by),) if one.by else ()
    return Finding(means, culprit or text, (one.of,) if one.of else (), (*by, *notes), help_, do_not)
