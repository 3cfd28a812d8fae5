"""The last log lines of a container's ended run, and how often it was restarted, as clauses."""

from __future__ import annotations

from unstuck.causes._given import join_given
from unstuck.causes._log_file import LogFile, find_log_file
from unstuck.causes._path_volume import tell_place
from unstuck.causes._value_source import NOTHING_GIVEN, ValueSource
from unstuck.causes.container._deciding import find_deciding_line, find_first_error
from unstuck.causes.container._ends import Run
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, format_duration, join_texts
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Ref, Want, quote_line
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def describe_restarts(run: Run) -> tuple[Text, ...]:
    """Return `restarted 4 times; the last run lasted 2 s`."""
    again = run.status.restarts
    told: list[Text] = []
    if again:
        told.append(say("restarted {again} times", again=again))
    elif run.status.state == "terminated" and run.status.last is None:
        # A piece that was cut shows a container that waits after a run, and not how often it was started.
        told.append(say("not restarted"))
    if run.end.started and run.end.finished and run.end.finished >= run.end.started:
        span = format_duration(run.end.finished - run.end.started)
        told.append(say("its last run lasted {span}", span=span))
    return (join_texts(told, "; ", "；"),) if told else ()


def quote_last_line(pod: Ref, snap: Facts, run: Run, given: ValueSource = NOTHING_GIVEN) -> Text:
    """Return the container's last log line as a clause, without closing words below it; empty if none was
    read.

    A path in the line is followed by the object mounted there, a name by the place that sets it (given).
    """
    lines = _read_last_lines(pod, snap, run)
    said = find_deciding_line(lines)
    if not said:
        return NO_TEXT
    quoted = quote_line(said)
    told = say("; its last log line: “{said}”", said=quoted)
    if first := find_first_error(lines, said):
        told = say(
            "; its log ends with errors, of which the first is “{first}” and the last “{said}”",
            first=quote_line(first),
            said=quoted,
        )
        return told + join_given(tell_place(pod, run.name or None, first, snap), given)
    if said != lines[-1]:
        told = say("; its log, above its closing words: “{said}”", said=quoted)
    return told + join_given(tell_place(pod, run.name or None, said, snap), given)


def read_deciding_line(pod: Ref, snap: Facts, run: Run) -> str:
    """Return the line that `quote_last_line` quotes, as it was written; "" if none was read."""
    return find_deciding_line(_read_last_lines(pod, snap, run))


def read_quoted_lines(pod: Ref, snap: Facts, run: Run) -> str:
    """Return the lines that `quote_last_line` quotes, unshortened, the first of several errors first; "" if
    none was read.
    """
    lines = _read_last_lines(pod, snap, run)
    said = find_deciding_line(lines)
    return "\n".join(filter(None, (find_first_error(lines, said), said)))


def find_own_log_file(pod: Ref, snap: Facts, run: Run) -> LogFile:
    """Return the log file that the run's program wrote itself; empty if its output was not read, or already
    explains the end.
    """
    log = _find_log(pod, snap, run)
    if log is None or log.complaint is not None or run.end.code == 0:
        return LogFile()
    return find_log_file(pod, run.name or None, log.lines, run.end.started, snap)


def _find_log(pod: Ref, snap: Facts, run: Run) -> LastLines | None:
    """Return the log of that run: the previous one's if it was read."""
    logs = snap.of(LastLines, make_container_ref(pod, run.name))
    return next((f for f in logs if f.previous), logs[0] if logs else None)


def _read_last_lines(pod: Ref, snap: Facts, run: Run) -> list[str]:
    """Return the last lines that are not empty."""
    log = _find_log(pod, snap, run)
    lines = log.lines if log and log.lines else tuple(run.end.message.splitlines())
    return [line.strip() for line in lines if line.strip()]


def wrote_nothing(pod: Ref, snap: Facts, run: Run) -> bool:
    """Tell whether the log of that run was read, and is empty."""
    log = _find_log(pod, snap, run)
    return log is not None and not log.lines


def quote_last_words(
    pod: Ref, snap: Facts, run: Run, lines: int = 3
) -> tuple[tuple[Text, ...], tuple[Want, ...]]:
    """Return the container's last lines as notes, and the questions to ask if its log was not read."""
    told = [line.strip() for line in run.end.message.splitlines() if line.strip()][-lines:]
    last = tuple(say("its termination message: {line}", line=line[:200]) for line in told)
    log = _find_log(pod, snap, run)
    if log is None:
        return last, (Want(LastLines, make_container_ref(pod, run.name)),)
    if not log.lines:
        return last or (say("its log is empty"),), ()
    return tuple(say("its log: {line}", line=line[:200]) for line in log.lines[-lines:]), ()
