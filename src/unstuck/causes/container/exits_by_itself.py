"""The container's main process exits on its own

## How it happens

The process that the container starts comes to an end: it encounters an error (a missing setting, a database
that does not answer, a bug) and exits, or it has simply done its work, exits with 0 and is restarted because
the Pod's restartPolicy is Always. The kubelet waits longer before each new start, up to 5 minutes:
CrashLoopBackOff.

## How to tell

The last run ended with exit code 0 to 128 (or one above the signals) and reason Error or Completed, and the
kubelet did not end it: there is no liveness or startup probe, or the run was too short for one to fail, or
all Events were seen and none reports a failed one, and the Pod was not evicted, and its container not changed
in place. The last lines of that run, quoted here, usually give the reason. 1 and 2 are the usual errors of a
program, 126 a command that cannot be run, 127 a shell that found no such command.

## Known limits

129 to 192 is also how a signal reads (137 is 128 + SIGKILL), and a program may return these numbers itself:
then this stays undecided, except for the signals of a program's own fault (139 is SIGSEGV, 134 SIGABRT), with
which it is likely. 255 is also the code that runtimes give to a run that ended with the machine: for a
container that runs again by now it is no evidence. The kubelet drops events of a Pod beyond 25 at once, so
that in a long loop with a probe the events prove nothing: undecided as well. A process that was stopped from
outside and answered with an ordinary exit code (a signal handler, a command run inside) is not recognised. A
log by itself, whose process 1 closes with a fatal message (klog's `F`), makes this likely: it does not show
the state of its Pod.

## References

- Kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff), documentation "Pod Lifecycle",
  restart policy; field notes
"""

from __future__ import annotations

from typing import Any

from unstuck.causes import _given
from unstuck.causes._capabilities import READS as _CAPABILITY_READS
from unstuck.causes._capabilities import find_capability
from unstuck.causes._commands import show_previous_log
from unstuck.causes._given import find_given
from unstuck.causes._log_file import READS as _LOG_READS
from unstuck.causes._node_words import READS as _NODE_READS
from unstuck.causes._node_words import ask_node
from unstuck.causes._value_source import NOTHING_GIVEN, ValueSource
from unstuck.causes.container._ends import (
    CRASHES,
    SIGNALS,
    STAGES,
    Run,
    find_last_runs,
    has_ended_at_once,
    join_runs,
    list_other_ends,
    name_container,
    was_too_short,
)
from unstuck.causes.container._last_words import (
    describe_restarts,
    find_own_log_file,
    quote_last_line,
    quote_last_words,
    read_deciding_line,
    read_quoted_lines,
)
from unstuck.causes.container._reported import advise_by_line
from unstuck.causes.program._answering import READS as _SERVER_READS
from unstuck.causes.program._answering import read_failing_server
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, confirm, hearsay, negate
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Life
from unstuck.facts.core import Ref, Want, quote_line
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_STAYS = say("the container stays up for more than a few minutes")
_LOST = 255
_REFUSED = regex(r"(?i)not permitted|\bEPERM\b|permission denied")
_BY_ITSELF = ("Error", "Completed", "")


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = find_last_runs(pod, snap)
    exits = (
        join_runs([(r, _is_own_exit(pod, snap, r)) for r in runs.hits], runs.seen)
        if runs.hits
        else Sign(runs.value, seen=runs.seen, wants=runs.wants)
    )

    fatal = _find_fatal(pod, snap)
    lone = fatal if exits.value is None and not exits.hits else Sign(None)

    def finding() -> Finding:
        if lone.value:
            return _make_finding_of_log(pod, lone.hits[-1])
        crashed = next((r for r in exits.hits if exits.value is None and r.end.code in CRASHES), None)
        return _make_finding(pod, crashed or exits.hits[0], snap)

    return Signs(
        decisive={
            "its process ended, and nothing stopped it": exits if exits.hits else confirm(exits, fatal)
        },
        supporting={
            "its description shows no probe that could end it": _runs_without_probe(pod, snap, exits),
            "it ended by a signal that a program's own fault raises": _find_crashes(pod, snap, runs, exits),
            "its log ends with a program's final message": lone,
        },
        finding=finding,
    )


def _find_fatal(pod: Ref, snap: Facts) -> Sign[Failure]:
    """Find a program's own fatal message: it shows one end, but not a repetition."""
    return hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == "program-run" and f.error == "fatal" else []
    )


def _runs_without_probe(pod: Ref, snap: Facts, exits: Sign[Run]) -> Sign[Run]:
    """Return the runs of containers that no probe can have ended. A description of a Pod shows its probes,
    but is not the whole object: it makes an ordinary exit code likely.

    A probe that could not have failed yet counts as none; if none was shown, so does a run that ended with an
    error at once.
    """
    open_ = exits.hits if exits.value is None else ()
    killed = {f.container for f in snap.of(Failure, pod) if f.error == "killed"}
    seen = tuple(r for r in open_ if _is_too_short_for_probes(r) and not killed & {r.name, None})
    plain = tuple(r for r in seen if r.end.code not in SIGNALS)
    return Sign(True, plain, exits.seen) if plain else Sign(None)


def _code_is_lost(run: Run) -> bool:
    """Tell whether the code may not be the program's: for a run ended by the machine or the runtime itself,
    runtimes report 255.

    A container in back-off ended more than once. Source: containerd internal/cri/server/helpers.go
    (unknownExitCode), cri-o internal/oci/runtime_oci.go (UpdateContainerStatus); moby issue 41349.
    """
    return run.end.code == _LOST and run.status.state == "running"


def _is_too_short_for_probes(run: Run) -> bool:
    if _code_is_lost(run):
        return False
    if run.spec is None:
        return run.end.code > 0 and has_ended_at_once(run)
    return all(h is None or was_too_short(run, h) for h in (run.spec.liveness, run.spec.startup))


def _find_crashes(pod: Ref, snap: Facts, runs: Sign[Run], exits: Sign[Run]) -> Sign[Run]:
    """Return the runs that ended with the exit code of a crash. A program may also return such a code
    itself, which is the same cause.
    """
    open_ = exits.hits if exits.value is None else ()
    fell = [r for r in open_ if r.end.code in CRASHES and r.end.reason in _BY_ITSELF]
    seen = tuple(
        r
        for r in fell
        if _judge_without_other_end(pod, snap, r).value or (r.spec is None and has_ended_at_once(r))
    )
    return Sign(True, seen, runs.seen) if seen else Sign(None)


def _is_own_exit(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    """Return no for a start that failed, a kill for memory, a failed probe; open for a code that may be a
    signal's.
    """
    if run.end.reason not in _BY_ITSELF or run.end.code < 0:
        return Sign(False)
    left_alone = _judge_without_other_end(pod, snap, run)
    if left_alone.value is not False and (run.end.code in SIGNALS or _code_is_lost(run)):
        return Sign(
            None,
            (run,),
            left_alone.seen,
            (*left_alone.wants, Want(LastLines, make_container_ref(pod, run.name))),
        )
    return left_alone


def _judge_without_other_end(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    return all_of([negate(other) for other in list_other_ends(pod, snap, run)])


def _make_finding_of_log(pod: Ref, said: Failure) -> Finding:
    who, line = name_container(said.container), quote_line(said.message)
    return Finding(
        say("{who} wrote “{line}” as its last words and exited", who=who, line=line),
        make_container_ref(pod, said.container),
        (pod,),
        help=(
            Step(say("read its log from before it exited"), command=show_previous_log(pod, said.container)),
            *advise_by_line(said.message, pod.within, _STAYS),
        ),
        do_not=(_LOOP,),
    )


_LOOP = DoNot(
    say("wrap the command in a loop or a sleep to keep it running"),
    say("the Pod would look healthy while nothing works in it"),
)


def _make_finding(pod: Ref, run: Run, snap: Facts) -> Finding:
    code = run.end.code
    done = code == 0
    who = name_container(run.name or None)
    quotes = read_quoted_lines(pod, snap, run)
    given = _find_given(pod, run, quotes, snap)
    quoted = quote_last_line(pod, snap, run, given)
    says = (
        say("{who} exits with code 0, as if it had finished, and is restarted each time", who=who)
        if done
        else say("{who} exits with code {code}", who=who, code=code) + quoted
    )
    restart = next((f.restart for f in snap.of(Containers, pod)), "Always")
    once = run.status.kind == "init" or restart != "Always"
    words, enrich = quote_last_words(pod, snap, run)
    words = words[:-1] if quoted.en and not done else words
    meaning = {
        126: say("126: a shell could not run the command (no permission, or not executable)"),
        127: say("127: a shell could not find the command"),
        **{n: say("{count}: 128 + signal ", count=n) + says for n, says in CRASHES.items()},
    }
    notes = (*describe_restarts(run), *words, *((meaning[code],) if code in meaning else ()))
    # A run with its last line above needs no look-up first.
    read = quoted.en and not done
    logs = Step(
        say("read the lines before that one") if read else say("read its log from before it exited"),
        command=run.log(pod),
    )
    verify = say("the next run exits with 0") if once else _STAYS
    decides = read_deciding_line(pod, snap, run)
    by_node = ask_node(pod, run.name or None, quotes, snap, verify)
    file = find_own_log_file(pod, snap, run)
    server = read_failing_server(pod, decides, snap, verify)
    change = (Step(given.change, where="source", verify=verify),) if given.change.en else ()
    repair = by_node.help or server.help or change or advise_by_line(decides, pod.within, verify)
    if done:
        repair = (
            Step(
                say(
                    "if it is a one-off task, make it a Job; if it is a service, keep its "
                    "process in the foreground"
                ),
                where="source",
                verify=say("the Job completes, or the container stays up"),
            ),
        )
    hide = _LOOP
    if once and not done:
        hide = DoNot(
            say("end the command with `|| true`"),
            say("its work would count as done although it is not"),
        )
    return Finding(
        says if done else says + by_node.says + file.quote() + server.says,
        make_container_ref(pod, run.name or None),
        (pod,),
        notes,
        (*file.look(), *((*repair, logs) if read else (logs, *repair))),
        (hide,),
        (*enrich, *given.wants, *by_node.wants, *file.wants, *server.wants),
        () if done else (*by_node.seen, *((file.found,) if file.found else ()), *server.seen),
    )


def _find_given(pod: Ref, run: Run, quotes: str, snap: Facts) -> ValueSource:
    """Return what the Pod was given by a name of the quoted lines; a refusal of the kernel is first a matter
    of capabilities.
    """
    if run.end.code == 0:
        return NOTHING_GIVEN
    container = run.name or None
    refused = find_capability(pod, container, quotes, snap) if _REFUSED.search(quotes) else NOTHING_GIVEN
    return refused if refused.says.en else find_given(pod, container, quotes, snap)


CAUSE = Cause(
    id="container.exits-by-itself",
    title=say("the container's main process exits on its own"),
    subjects=("Pod",),
    stages=STAGES,
    reads=_NODE_READS
    | _LOG_READS
    | _SERVER_READS
    | _given.READS
    | _CAPABILITY_READS
    | {ContainerStatuses, Containers, Events, Failure, LastLines, Life, Phase},
    rule=_rule,
)
