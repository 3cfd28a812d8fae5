"""A program refuses to work for lack of a valid licence

## How it happens

A trial ends, a licence expires, is not mounted where the program reads it, is for another edition or for
fewer nodes. The program then ends, or switches off the features that need it.

## How to tell

The message says of a licence that it has expired, is invalid, missing or non-compliant.

## Known limits

Its evidence is the message alone: it is never more than likely. The licence itself is not read.

## References

- Elastic: License management (`LicenseUtils.java`); documentation of each vendor
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_EXPIRED = ("expired", "Expired")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("licence-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    who, reason = one.by or say("the program"), said.reason.strip(" .")
    if said.verb in _EXPIRED:
        means = say("the licence of {who} has expired: “{reason}”", who=who, reason=reason)
    else:
        means = say("{who} finds no licence for what it should do: “{reason}”", who=who, reason=reason)
    step = mend(
        say(
            "give it a valid licence, in the Secret or setting from which it reads it, or switch to the "
            "free edition and switch off the features that need one (Elasticsearch: "
            "xpack.license.self_generated.type: basic, or POST /_license/start_basic)"
        )
    )
    return make_finding(pod, one, means, (step, look_at_settings(one.of or pod)))


CAUSE = Cause(
    id="program.licence-refused",
    title=say("a program refuses to work for lack of a valid licence"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
