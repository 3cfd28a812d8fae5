"""A tool's check of the cluster fails

## How it happens

Tools of a mesh, of an installer or of a test cluster run a list of checks and stop, or continue, at a failed
one. The heading of that check names the problem; the lines below it are the tool's findings.

## How to tell

A cross before a check (`×`, `✗`), usually with ticks before the others: `linkerd check`, `flux check`, `kind
create cluster`.

## Known limits

The tool's message is the only evidence: it is never more than likely. The reason is reported as far as the
lines below it give it. A check with `‼` is a warning, and is not reported.

## References

- linkerd2 pkg/healthcheck; kind pkg/internal/cli; flux2 cmd/flux/check.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_EXPIRED = regex(
    r"(?P<name>[\w-]{1,60}(?:\.[\w-]{1,60}){0,20}) not valid anymore\. Expired on (?P<when>[\dT:.Z+-]{10,40})"
)
_READY = regex(r"\bReady\b")
_NODES = command("kubectl get nodes -o wide; kubectl get pods -n kube-system -o wide")
_ANCHORS = command(
    "kubectl get configmap/linkerd-identity-trust-roots -n linkerd "
    "-o jsonpath='{.data.ca-bundle\\.crt}' | openssl x509 -noout -subject -enddate"
)
_SICK = command("kubectl get pods -A -o wide | grep -v -e Running -e Completed")


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "check-failed", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    notes = (say("{n} other {n:check|checks} of this list {n:passes|pass}", n=c.at),) if c.at else ()
    says, line = _look(c)
    look = Step(says, command=line)
    if found := _EXPIRED.search(c.reason):
        means = say(
            "certificate {name} has expired, on {when}: the check “{check}” fails",
            name=found["name"],
            when=found["when"],
            check=c.name,
        )
        renew = Step(
            say(
                "replace it, and then everything that it signed or that trusts it, in the order that the "
                "tool's documentation gives"
            ),
            where="source",
            verify=say("the check passes"),
        )
        return make_finding(text, one, means, (look, renew), notes=notes)
    means = (
        say("the check “{check}” fails: {reason}", check=c.name, reason=c.reason)
        if c.reason
        else say("the check “{check}” fails", check=c.name)
    )
    return make_finding(text, one, means, (look,), notes=notes)


def _look(c: Complaint) -> tuple[Text, Command]:
    if _EXPIRED.search(c.reason) and c.resource == "linkerd":
        return say(
            "check how long the trust anchors are valid, and the same for Secret linkerd-identity-issuer"
        ), _ANCHORS
    if _READY.search(c.name):
        return say("find out why the Node is not Ready, and which system Pods are not running"), _NODES
    return say("check which Pods are not running; the tool's own Pods say more than its check"), _SICK


CAUSE = Cause(
    id="program.check-failed",
    title=say("a tool's check of the cluster fails"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
