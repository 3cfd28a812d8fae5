"""The state of objects known only from a text: a component that refused a write, an account that RBAC
refused, the text itself.
"""

from __future__ import annotations

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import Messages, who
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.refusals import ForbiddenRequests, Refusals, were_let_through
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)


def judge_webhook(ref: Ref, snap: Facts) -> State | None:
    """Return a webhook that a server could not ask, or that denied a write, by the server's words for it;
    they may tell that the write passed all the same.
    """
    said = snap.of(Refusals, ref)
    if not said:
        return None
    if ref.kind == "ConversionWebhook":
        return add_headline(
            ref,
            "stuck",
            say("it could not be called, and objects of this kind cannot be read for that"),
            evidence=tuple(said),
        )
    silent = [r for f in said for r in f.items if r.error == "webhook-unreachable"]
    if were_let_through(silent):
        says = say("it could not be called, and writes passed without it")
    elif silent:
        says = say("it could not be called, and a write was refused for that")
    else:
        says = say("it denied a write")
    return add_headline(ref, "stuck", says, evidence=tuple(said))


def judge_account(ref: Ref, snap: Facts) -> State | None:
    """Return a ServiceAccount that RBAC did not allow a request."""
    said = snap.of(ForbiddenRequests, ref)
    return (
        add_headline(ref, "stuck", say("RBAC does not allow it a request"), evidence=said) if said else None
    )


def judge_text(ref: Ref, snap: Facts) -> State | None:
    """Return a text with a program's error, with the object if all errors are about one."""
    said = snap.of(ToldErrors, ref)
    if not said:
        return None
    about = {error.of for fact in said for error in fact.items}
    of = next(iter(about)) if len(about) == 1 else None
    says = (
        say("an error about {of} is reported in it", of=who(of)) if of else say("an error is reported in it")
    )
    return add_headline(ref, "stuck", says, evidence=said)
