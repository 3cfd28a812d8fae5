"""A cloud's access control denies a program's request

## How it happens

A controller, a driver or an autoscaler calls the cloud's API for an action that its identity is not allowed:
the role of the Node, of the ServiceAccount (IRSA, Workload Identity) or of a key lacks the action, or a
policy above it denies it.

## How to tell

The cloud's own message is in a log, an Event or an answer: `is not authorized to perform`,
`UnauthorizedOperation`, `AccessDenied`, `AuthorizationFailed`, `googleapi: Error 403`. The identity, the
action and the resource are reported as far as the message names them.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. RBAC
of Kubernetes is another thing: security.request-forbidden reports it.

## References

- AWS "Troubleshoot access denied error messages"; Azure "Troubleshoot Azure RBAC"; Google Cloud "Troubleshoot
  policy and access problems"
"""

from __future__ import annotations

from unstuck.causes.program._cloud import name_cloud
from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# Source: AWS IAM, "IAM identifiers": arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION.
_ROLE = regex(r"assumed-role/(?P<role>[\w+=,.@-]{1,64})/")
_AWS = ("arn:aws", "UnauthorizedOperation", "AccessDenied", "Encoded authorization")
_ENCODED = ("UnauthorizedOperation", "Encoded authorization failure message")
_ASSUMES = "sts:AssumeRole"
_ADMIN = DoNot(
    say("give it an administrator's role"),
    say("anyone who breaks into the program then controls the account"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("cloud-forbidden",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.verb.startswith(_ASSUMES):
        return _make_trust_finding(pod, one)
    role = _ROLE.search(c.name)
    who = (
        say("role {role}", role=role["role"])
        if role
        else say("{who}", who=c.name)
        if c.name
        else say("this program's identity")
    )
    means = (
        say(
            "the access control of {cloud} does not allow {who} to perform the action {action}",
            cloud=name_cloud(c.line),
            who=who,
            action=c.verb,
        )
        if c.verb
        else say(
            "the access control of {cloud} does not allow {who} to make this request",
            cloud=name_cloud(c.line),
            who=who,
        )
    )
    on = say(" on {resource}", resource=c.resource) if c.resource else NO_TEXT
    step = (
        Step(
            say(
                (
                    "allow {who} the action {action} on this resource only, in its policy or by a role "
                    "assignment"
                ),
                who=who,
                action=c.verb,
            )
        )
        if c.verb
        else Step(
            say(
                "allow {who} exactly the action that was refused: in its policy or by a role assignment",
                who=who,
            )
        )
    )
    notes = (say("this is the answer of the cloud, and has nothing to do with Kubernetes RBAC"),)
    return make_finding(pod, one, means + on, (*_list_looks(c.line), step), notes=notes, do_not=(_ADMIN,))


def _make_trust_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a role that does not let the caller in: its trust policy decides, no right of
    the role.
    """
    c = one.complaint
    means = say("the trust policy of the role does not let this identity assume it ({action})", action=c.verb)
    step = Step(
        say(
            "in the role's trust policy, allow exactly this subject: system:serviceaccount:NAMESPACE:NAME, "
            "with the identity provider of this cluster; or correct the annotation "
            "eks.amazonaws.com/role-arn of the ServiceAccount"
        )
    )
    return make_finding(pod, one, means, (step,), do_not=(_ADMIN,))


def _list_looks(line: str) -> tuple[Step, ...]:
    """Return the commands that show its identity, and decode EC2's answer."""
    if not any(word in line for word in _AWS):
        return ()
    asks = Step(
        say("see which identity it uses, in its container or with its credentials"),
        command=command("aws sts get-caller-identity"),
    )
    if not any(word in line for word in _ENCODED):
        return (asks,)
    says = say(
        "decode which action was refused: the answer's text behind “Encoded authorization failure message:”"
    )
    return (
        asks,
        Step(says, command=command("aws sts decode-authorization-message --encoded-message MESSAGE")),
    )


CAUSE = Cause(
    id="program.cloud-access-denied",
    title=say("a cloud's access control denies a program's request"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
