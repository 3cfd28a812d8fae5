"""The object to be created already exists and belongs to another owner

## How it happens

An object of this name was made by hand, by another release or by another controller. Helm takes over only
objects with its own labels and annotations; a release's name can be used once in a Namespace; with
server-side apply each field has a manager.

## How to tell

`exists and cannot be imported into the current release: invalid ownership metadata`, `cannot re-use a name
that is still in use`, `Apply failed with … conflicts: conflict with …`, `… already exists` as an error; in a
line with `pre-upgrade hooks failed`: an object that a hook made before.

## Known limits

Its evidence is the message alone: it is never more than likely. A later fix is not seen. The owner is known
only from the message.

## References

- Helm pkg/action/validate.go, hooks.go; documentation "Server-Side Apply", "Conflicts"
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_object, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.kind_words import KIND_WORDS

say = Messages(__name__)

_RELEASE = "re-use a name"
_UPGRADED = "UPGRADE FAILED"
# Kinds that a hook runs to completion; other objects that it creates may still be needed.
_RUNS = ("Job", "Pod")
# Helm pkg/action/hooks.go.
_HOOK = regex(
    r"\b(?:pre|post)-(?:install|upgrade|delete|rollback)\b.{0,40}?\bhooks? |\b[Hh]ooks? (?:pre|post)-\w"
    r"|\bhooks? failed"
)
_FORCE = DoNot(
    say("delete the object to let this one in"),
    say("its creator may still need it, and its content is lost"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("already-there",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    if _RELEASE in c.line and _UPGRADED in c.line and _is_forced(snap):
        return _hidden_by_force(pod, one)
    if _RELEASE in c.line:
        means = say("a release of this name is in this Namespace already, deployed or failed")
        look = Step(say("see every release, failed ones too"), command=command("helm list -A -a"))
        step = mend(
            say(
                "upgrade that one (helm upgrade --install), take another name, or uninstall what is left of "
                "a failed install"
            )
        )
        return make_finding(pod, one, means, (look, step))
    if _HOOK.search(c.line) and c.name and not c.group:
        return _left_by_hook(pod, one)
    if c.group:
        means = say("the fields are managed by {manager}, which does not give them up", manager=c.group)
        step = mend(say("leave these fields to it, or take them over on purpose with --force-conflicts"))
        return make_finding(pod, one, means, (step,))
    what = f"{c.resource} {c.name}".strip()
    where = say(" in Namespace {namespace}", namespace=c.namespace) if c.namespace else NO_TEXT
    means = (
        say("{what} is there already", what=what) if what else say("an object of this name is there already")
    ) + where
    if c.reason:
        means += say("; it belongs to Helm's release {release}", release=c.reason)
    step = mend(
        say(
            "see whose it is; to hand it to Helm give it the label managed-by and the annotations of the "
            "release, else take another name"
        )
        if "ownership" in c.line or "imported" in c.line
        else say("see whose it is, and take another name or update that one")
    )
    seen = look_at_object(c, say("see whose it is: its labels, annotations and owner"))
    return make_finding(pod, one, means, (*seen, step), do_not=(_FORCE,))


def _is_forced(snap: Facts) -> bool:
    """Tell whether the text shows a `helm upgrade --force`."""
    typed = (shown.text for f in snap.every(Pasted) for shown in f.commands if shown.words[:1] == ("helm",))
    return any(" --force" in text for text in typed)


def _hidden_by_force(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for Helm 2's second try: with --force it reinstalls a release that it could not
    upgrade, and reports only that try. Source: Helm 2 pkg/tiller/release_update.go (performUpdateForce).
    """
    means = say(
        "the upgrade failed for a reason that this line hides: --force then tried to install the release "
        "again, whose name is in use"
    )
    shown = Step(say("upgrade without --force, with --debug: the error that it prints then is the reason"))
    never = DoNot(
        say("uninstall the release to make its name free"),
        say("it stops what runs, and the reason remains"),
    )
    return make_finding(pod, one, means, (shown,), do_not=(never,))


def _left_by_hook(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a hook with an undeleted object from an earlier run."""
    c = one.complaint
    what = f"{c.resource} {c.name}"
    means = say(
        "a hook of the release cannot make {what}: the one of an earlier run is still there", what=what
    )
    policy = mend(say("have helm delete it each time: helm.sh/hook-delete-policy: before-hook-creation"))
    kind = KIND_WORDS.get(c.resource.partition(".")[0].lower())
    if kind not in _RUNS:
        return make_finding(
            pod,
            one,
            means,
            (*look_at_object(c, say("see whose it is: its labels, annotations and owner")), policy),
            do_not=(_FORCE,),
        )
    ref = Ref(kind, c.namespace or "NAMESPACE", c.name)
    look = Step(
        say("see whether it failed or still runs: its state, its Pods and their logs"),
        command=command("kubectl describe {what} {space}", what=given.of(ref), space=given.space(ref)),
    )
    again = Step(
        say("when it does not run any more, delete it and run helm again: the hook creates it again"),
        command=command("kubectl delete {what} {space}", what=given.of(ref), space=given.space(ref)),
        risk="reversible",
        verify=say("the next run gets past this line"),
    )
    running = DoNot(
        say("delete it while it runs"), say("a migration that is cut short may leave the data half changed")
    )
    return make_finding(pod, one, means, (look, again, policy), do_not=(running,))


CAUSE = Cause(
    id="program.object-taken",
    title=say("the object to be created already exists and belongs to another owner"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Pasted},
    rule=_rule,
)
