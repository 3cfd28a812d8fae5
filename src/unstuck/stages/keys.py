"""Checks whether a referenced Secret or ConfigMap has the referenced key."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.references import find_references
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

# The keys of a certificate (documentation "TLS Secrets").
_OF_CERTIFICATES = ("tls.crt", "tls.key")


@record()
class MissingKey(Record):
    """A missing key that is referred to. keys: the present ones. secret_type: the type of a Secret."""

    reference: Reference
    key: str
    keys: tuple[str, ...] = ()
    secret_type: str = ""


def find_missing_keys(references: Sequence[Reference], snap: Facts) -> Sign[MissingKey]:
    """Find the keys that are missing from an existing Secret or ConfigMap; no if no key is referenced."""
    asked = [(r, keys) for r in references if (keys := list_meant_keys(r))]
    return any_of([_find_missing(r, keys, snap) for r, keys in asked]) if asked else Sign(False)


def list_meant_keys(one: Reference) -> tuple[str, ...]:
    """Return the keys that a reference requires; none if it refers to the whole target, or to another
    kind.
    """
    if one.to.kind not in ("Secret", "ConfigMap"):
        return ()
    if one.hosts is not None:
        return _OF_CERTIFICATES
    return (
        tuple(value for field, value in one.beside if field == "key") if one.field.endswith("KeyRef") else ()
    )


def _find_missing(one: Reference, keys: Sequence[str], snap: Facts) -> Sign[MissingKey]:
    return some(
        snap,
        Keys,
        one.to,
        lambda f: [MissingKey(one, k, f.names, f.secret_type) for k in keys if k not in f.names],
    )


def judge_shown_secrets(ref: Ref, snap: Facts) -> State | None:
    """Return the state of an object that serves a certificate from a Secret without one; None if no such
    Secret is known.
    """
    lacks = find_missing_keys([r for r in find_references(ref, snap) if r.hosts is not None], snap)
    if not (lacks.value and lacks.sure):
        return None
    one = lacks.hits[0]
    says = say(
        "refers to {to} in {field}, which has no key {key}",
        to=one.reference.to,
        field=one.reference.field,
        key=one.key,
    )
    return add_headline(ref, "stuck", says, evidence=unique((*snap.of(References, ref), *lacks.seen)))
