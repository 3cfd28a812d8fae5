"""The program ends because the API server does not serve what it asks for

## How it happens

The program asks for a kind in a version that this cluster does not serve: the CustomResourceDefinition was not installed (or later than
the program), or a version was removed by an upgrade of the cluster, as `extensions/v1beta1` with 1.22.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `no matches for kind … in version …` or `the server could not find
the requested resource`.

## Known limits

What the cluster serves is not held against it: it stays likely.

## References

- apimachinery pkg/api/meta/errors.go; documentation "Deprecated API Migration Guide"
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("api-not-served",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    kind, version = one.complaint.name, one.complaint.group
    means = (
        say("the API server does not serve kind {kind} in version {version}", kind=kind, version=version)
        if kind
        else say("the API server does not serve what it asks for")
    )
    look = Step(say("see which versions are served"), command=command("kubectl api-versions"))
    step = mend(say("install the CustomResourceDefinition, or a version of the program that uses a served one"))
    return finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.api-version-not-served",
    title=say("the program ends because the API server does not serve what it asks for"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
