"""A cloud refuses a request, and says why

## How it happens

A controller, a driver or a tool makes a request that a cloud's API does not accept: an unsuitable value, a
state that does not allow it, an object that already exists. Missing rights, quotas and missing objects are
separate causes.

## How to tell

The API's answer with a status of 400 to 499, its code and its reason: `An error occurred (CODE) when calling
the OPERATION operation`, `googleapi: Error 400`, `Code="…" Message="…"`, `ServerFaultCode`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. The
cloud is not queried.

## References

- Amazon EC2 API reference, "Error codes"; Azure Resource Manager, "common deployment errors";
  google.golang.org/api googleapi/googleapi.go
"""

from __future__ import annotations

from unstuck.causes.program._cloud import look_at_ids, name_cloud
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_EXISTS = regex(r"\balready exists?\b|\bduplicate\b")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("cloud-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    reason = c.reason.rstrip(" .")
    means = (
        say("{cloud} refuses {verb}: {reason}", cloud=name_cloud(c.line), verb=c.verb, reason=reason)
        if c.verb
        else say("{cloud} refuses a request: {reason}", cloud=name_cloud(c.line), reason=reason)
    )
    notes = (say("its code for this is {code}", code=c.name),) if c.name else ()
    return make_finding(pod, one, means, (*look_at_ids(reason), _advise(reason)), notes=notes)


def _advise(reason: str) -> Step:
    """Return what to do there, by the sort of the obstacle."""
    if _EXISTS.search(reason):
        return mend(
            say(
                "find out who made what is there already: if it is an earlier installation of this program, "
                "give this one the same owner (external-dns: --txt-owner-id; Terraform: import); if it is "
                "left over and nothing uses it, delete it at the cloud; else choose another name"
            )
        )
    return mend(
        say(
            "check the resources named in the answer at the cloud; then correct the request, or remove the"
            " obstacle there"
        )
    )


CAUSE = Cause(
    id="program.cloud-refuses-request",
    title=say("a cloud rejects a program's request"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
