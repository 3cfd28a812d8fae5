"""A server rate-limits a program's requests

## How it happens

A certificate authority or an API counts requests by account, by address or by name, and refuses more until
the period is over. Repeated requests after a failure, or many at once after the deletion of a Namespace, use
up the limit.

## How to tell

ACME's `urn:ietf:params:acme:error:rateLimited` with the limit and usually the time of the next allowed
request; GitHub's `API rate limit exceeded for …`.

## Known limits

Its evidence is the message alone: it is never more than likely. The requests that used up the limit are not
seen.

## References

- RFC 8555, section 6.7; Let's Encrypt documentation: Rate Limits; GitHub documentation: Rate limits for the
  REST API
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# The words of every API of AWS.
_OF_AWS = "Rate exceeded"
_AGAIN = DoNot(
    say("delete the Certificate, its Secret or the Namespace to have it tried again"),
    say("each further order counts against the limit"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("requests-limited",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.verb:
        means = (
            say(
                "the certificate authority accepts no more orders for this name or account for now: {reason}",
                reason=c.reason,
            )
            if c.reason
            else say("the certificate authority accepts no more orders for this name or account for now")
        )
        wait = Step(
            say(
                "wait until the time that it names; existing certificates stay valid, and cert-manager "
                "retries automatically"
            )
        )
        step = mend(
            say(
                "try with the authority's staging server until it works; keep the Secrets of Certificates "
                "(backup) where Namespaces are recreated"
            )
        )
        return make_finding(pod, one, means, (wait, step), do_not=(_AGAIN,))
    means = say(
        "the API accepts no more requests from this address or account for now: {reason}", reason=c.reason
    )
    if c.reason == _OF_AWS:
        slower = mend(
            say(
                "ask less often: a longer interval, larger batches, fewer copies of the program in one "
                "account; or have AWS raise the limit of this API; it retries automatically"
            )
        )
        return make_finding(pod, one, means, (slower,))
    step = mend(
        say(
            "give the program its own token: with a login the limit is larger and is not shared with the "
            "whole address; ask less often"
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.requests-limited",
    title=say("a server rate-limits a program's requests"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
