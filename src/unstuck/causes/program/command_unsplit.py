"""A whole command line is used as the name of one program

## How it happens

A command in a manifest is a list: the program, then each of its arguments. Written as one string with blanks,
or as a list of one such string, all of it is looked for as the name of one file, and no image has a file of
that name. A shell would split it; none is involved.

## How to tell

`exec: "…": executable file not found in $PATH`, with a blank between the quotes, of a probe, a hook or
`kubectl exec`.

## Known limits

The message is the only evidence: it is never more than likely. A container that cannot start for that reason
is container.command-not-found.

## References

- Kubernetes documentation: Define a Command and Arguments for a Container, Configure Liveness, Readiness and
  Startup Probes
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_settings, make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "command-unsplit", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    means = say(
        "the whole line “{line}” is used as the name of one program: the command is written as one string",
        line=one.complaint.name,
    )
    step = mend(
        say("write the command as a list, one item for each word, or run the line with a shell: [sh, -c, …]")
    )
    return make_finding(text, one, means, (look_at_settings(), step))


CAUSE = Cause(
    id="program.command-unsplit",
    title=say("a whole command line is used as the name of one program"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
