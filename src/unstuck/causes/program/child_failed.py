"""A command that a program runs fails, or does not answer

## How it happens

A program starts another one, which ends with an exit code, or a master ends a worker that has not answered
for too long. The message reports only the end; the reason is in the child's own output, above.

## How to tell

`… failed exit status 2`, `Command '…' returned non-zero exit status 1`, `WORKER TIMEOUT (pid:19)`, Airflow's
task that finished while its state is queued.

## Known limits

The message does not give the reason for the end. It is never more than likely.

## References

- Go os/exec (`ExitError`); Gunicorn settings (`timeout`); Airflow scheduler_job.py
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SILENT = "WORKER TIMEOUT"
# By exit code: not executable, not found, killed (bash(1), EXIT STATUS).
_FIXES: Mapping[int, Text] = MappingProxyType(
    {
        126: say("make the file executable"),
        127: say("install the command in the image, or correct its name"),
        137: say("raise the memory limit of the container in which it runs"),
    }
)
_BY_HAND = say("run the command by hand in the same container, as the same user, and fix what it reports")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("child-failed",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    above = Step(say("read the lines above it: the reason is in the command's own output"))
    if c.resource:
        means = say(
            "a task ended with {end} before its program reported its start: its Pod or process was "
            "stopped, or did not start",
            end=c.verb,
        )
        look = Step(say("check how the Pod or worker of this task ended, and its log"))
        step = mend(say("give it the memory that it needs, and whatever its log says is missing"))
        return make_finding(pod, one, means, (look, step))
    if c.reason.startswith(_SILENT):
        means = say(
            "its master stopped a worker ({name}) that had not responded within the timeout", name=c.name
        )
        step = mend(
            say(
                "if the worker is only slow (a slow start, a CPU limit, swapping), raise the timeout or "
                "the limits; otherwise find out where it hangs"
            )
        )
        return make_finding(pod, one, means, (step,))
    if c.verb:
        means = say(
            "the command {name} was still running after its time limit of {limit}, and was stopped",
            name=c.name,
            limit=c.verb,
        )
        step = mend(
            say(
                "find out what it waits for, usually a repository that is unreachable or slow; raise the "
                "limit only if it is merely slow (Argo CD: ARGOCD_EXEC_TIMEOUT of argocd-repo-server)"
            )
        )
        return make_finding(pod, one, means, (step,))
    means = (
        say("the command {name} that it runs ended with code {code}", name=c.name, code=c.at)
        if c.at
        else say("the command {name} that it runs failed; the message does not say why", name=c.name)
    )
    step = mend(_FIXES.get(c.at, _BY_HAND))
    return make_finding(pod, one, means, (above, step))


CAUSE = Cause(
    id="program.child-failed",
    title=say("a command that a program runs fails, or does not answer"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
