"""A Secret or ConfigMap lacks the key that an object refers to

## How it happens

The object exists, so it does not look missing, but it lacks a key that is read: a Secret of type Opaque
without `tls.crt` is named for an Ingress' or a Gateway's certificate, or a reference of a CustomResource
names a key (`secretKeyRef: {name, key}`) that is spelt differently, or was renamed.

## How to tell

The named key is not among the keys of the Secret or ConfigMap. A controller of an Ingress then shows its own
certificate without a word; an operator usually says that it is not ready.

## Known limits

For a CustomResource it is reported only if the object's status reports a fault, and only as likely, for its
controller alone knows the meaning of the field. A key that a Pod needs is config.key-missing.

## References

- Kubernetes documentation "Ingress", TLS; gateway-api apis/v1 GatewayTLSConfig
- Kubernetes core/v1 SecretKeySelector, ConfigMapKeySelector
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, only_yes
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Keys, Presence, Touches
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.keys import MissingKey, find_missing_keys, list_meant_keys
from unstuck.stages.overdue import stays
from unstuck.stages.references import find_references
from unstuck.stages.reported_state import list_own_words

say = Messages(__name__)

_SHOWN = 6


def _rule(subject: Ref, snap: Facts) -> Signs:
    told = [r for r in find_references(subject, snap) if list_meant_keys(r)]
    if not told:
        return Signs(
            applies=Sign(False, seen=snap.of(References, subject)), decisive={}, finding=_make_empty_finding
        )
    certificates = [r for r in told if r.hosts is not None]
    shown = find_missing_keys(certificates, snap)
    # An object of an unknown type must itself report a fault.
    ill = list_own_words(subject, snap)
    named = find_missing_keys([r for r in told if r.hosts is None], snap) if ill else Sign[MissingKey](False)
    return Signs(
        applies=stays(subject, snap),
        necessary={"a key that is meant is not there": any_of([shown, named])},
        decisive={"the Secret that a certificate is read from has none": shown} if certificates else {},
        supporting={"it is unhealthy, and a key that it names does not exist": only_yes(named)},
        finding=lambda: _make_finding(subject, (*shown.hits, *named.hits)[0]),
    )


def _make_empty_finding() -> Finding:
    raise AssertionError("what refers to no key is ruled out")


def _make_finding(subject: Ref, lack: MissingKey) -> Finding:
    target = lack.reference.to
    notes: tuple[Text, ...] = (
        (say("its keys are {names}", names=list_names(lack.keys[:_SHOWN])),)
        if lack.keys
        else (say("it is empty"),)
    )
    if lack.secret_type:
        notes = (*notes, say("its type is {type}", type=lack.secret_type))
    return Finding(
        say(
            "{subject} refers to {target} in {field}, and that has no key {key}",
            subject=who(subject),
            target=who(target),
            field=lack.reference.field,
            key=lack.key,
        ),
        culprit=target,
        blocks=(subject,),
        notes=notes,
        help=(
            Step(
                say("see the names of its keys, without their values"),
                command=command(
                    "kubectl describe {target} {space}", target=given.of(target), space=given.space(target)
                ),
            ),
            Step(
                say(
                    "correct {field}, or put {key} into {target}",
                    field=lack.reference.field,
                    key=lack.key,
                    target=who(target),
                ),
                where="source",
                verify=say("{subject} continues automatically", subject=who(subject)),
            ),
        ),
    )


CAUSE = Cause(
    id="reference.key-missing",
    title=say("a Secret or ConfigMap lacks the key that it refers to"),
    subjects=("*",),
    reads=frozenset({References, Keys, Deletion, Presence, Workload, Conditions, Reported, Touches}),
    rule=_rule,
)
