"""What is to be made is there already and belongs to somebody else

## How it happens

An object of this name was made by hand, by another release or by another controller. Helm takes over only what bears its marks; a release's
name can be used once in a Namespace; with server-side apply each field has a manager.

## How to tell

`exists and cannot be imported into the current release: invalid ownership metadata`, `cannot re-use a name that is still in use`,
`Apply failed with … conflicts: conflict with …`, `… already exists` as an error.

## Known limits

Words alone tell it: it is never more than likely. Whether it was mended since is not seen.
Of whose it is only what the words tell is known.

## References

- Helm pkg/action/validate.go; documentation "Server-Side Apply", "Conflicts"
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_object, mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_RELEASE = "re-use a name"
_FORCE = DoNot(
    say("delete the object to let this one in"),
    say("whoever made it may still need it, and what it holds is lost"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("already-there",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if _RELEASE in c.line:
        means = say("a release of this name is in this Namespace already, deployed or failed")
        look = Step(say("see every release, failed ones too"), command=command("helm list -A -a"))
        step = mend(say("upgrade that one (helm upgrade --install), take another name, or uninstall what is left of a failed install"))
        return finding(pod, one, means, (look, step))
    if c.group:
        means = say("the fields are managed by {manager}, which does not give them up", manager=c.group)
        step = mend(say("leave these fields to it, or take them over on purpose with --force-conflicts"))
        return finding(pod, one, means, (step,))
    what = f"{c.resource} {c.name}".strip()
    where = say(" in Namespace {namespace}", namespace=c.namespace) if c.namespace else NO_TEXT
    means = (say("{what} is there already", what=what) if what else say("an object of this name is there already")) + where
    step = mend(
        say("see whose it is; to hand it to Helm give it the label managed-by and the annotations of the release, else take another name")
        if "ownership" in c.line or "imported" in c.line
        else say("see whose it is, and take another name or update that one")
    )
    seen = look_at_object(c, say("see whose it is: its labels, annotations and owner"))
    return finding(pod, one, means, (*seen, step), do_not=(_FORCE,))


CAUSE = Cause(
    id="program.object-taken",
    title=say("what is to be made is there already and belongs to somebody else"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
