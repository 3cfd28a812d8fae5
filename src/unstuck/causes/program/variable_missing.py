"""The program ends because a setting that it needs is missing

## How it happens

The program reads a setting from its environment, finds none, and gives up: the variable is missing in the
Pod's template, its name is misspelled or was changed with a new version of the program, or it is set for
another container of the Pod.

## How to tell

The run ended with an error and was not ended from outside, and its last lines name the variable and say that
it is not set, missing or required. It is proven if the container's whole spec was seen, has no variable of
that name, and takes none from a whole ConfigMap or Secret (`envFrom`).

## Known limits

The image may set its own variables, which are not seen here; the program reports that this one is not among
them. A property of a framework (`payment.url`) may come from a file as well: it stays likely. So does a
variable that is set but empty, or that comes from a key: then the object, and whether it has that key, are
reported.

## References

- Documentation "Define Environment Variables for a Container"; bash(1) `${NAME:?}`; Spring
  PropertyPlaceholderHelper
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, negate, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Containers, Needs
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_MISSING: tuple[ProgramError, ...] = ("variable-missing", "setting-missing")
_VARIABLE = regex(r"[A-Z][A-Z0-9_]{1,100}")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        _MISSING,
        lambda one: _make_finding(pod, one, snap),
        {"the container's whole spec has no such variable": _unset_variables(pod, snap)},
    )


def _unset_variables(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    hits = find_program_messages(pod, snap, *_MISSING).hits
    return any_of([_unset(pod, t, snap) for t in hits]) if hits else Sign(None)


def _unset(pod: Ref, one: ProgramMessage, snap: Facts) -> Sign[ProgramMessage]:
    """Tell whether the Pod's spec, read as a whole, does not give the container this variable."""
    name, container = one.complaint.name, one.run.name
    if not _VARIABLE.fullmatch(name):
        return Sign(None)
    unnamed = some(
        snap,
        Containers,
        pod,
        lambda f: (
            [one] if f.whole and any(c.name == container and name not in c.env for c in f.items) else []
        ),
    )
    whole = some(
        snap, Needs, pod, lambda f: [n for n in f.items if n.by == "envFrom" and n.container == container]
    )
    return all_of((negate(whole), unnamed))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    name, container = one.complaint.name, one.run.name
    what = say("its setting {name} is missing", name=name)
    lacks = (
        say("; container {container} has no such variable", container=container)
        if _unset(pod, one, snap).value
        else NO_TEXT
    )
    alike = pick_nearest(name, one.run.spec.env) if one.run.spec else ()
    notes = (say("did you mean {alike}? That one is set", alike=alike[0]),) if alike else ()
    step = mend(say("set {name}", name=name))
    return make_finding(pod, one, what + lacks, (step,), notes=notes)


CAUSE = Cause(
    id="program.variable-missing",
    title=say("the program ends because a setting that it needs is missing"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Needs},
    rule=_rule,
)
