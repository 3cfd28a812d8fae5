"""Find the source of the credentials that an object's status rejects: the Secret that it, or an object it
refers to, names, and the Secret's last writer. Names of keys only, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, format_duration, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Owners, Touches
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.stages.references import find_references

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Owners, References, Touches})
_OF_CREDENTIALS = regex(
    r"(?i)\btokens?\b|\bcredentials?\b|\bpasswords?\b|\bunauthori[sz]ed\b|\bunauthenticated\b|\b401\b"
    r"|\b(?:access|api|secret)[ _-]?keys?\b|\bsignature\b|\blog ?in\b|\bauthenticat\w+|invalidclienttokenid"
    r"|InvalidAccessKeyId"
)
# A key that a controller makes for its object is not an input.
_OWN_KEY = regex(r"(?i)privateKey|caBundle|writeTo|\bstatus\b")
_CONTENT = ("data", "stringData")
_MOST = 4


@record()
class CredentialsFinding(Record):
    """The Secret that holds the credentials. says: a clause, empty if the Secret is unknown. help: the
    fix.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    wants: tuple[Want, ...] = ()


def find_credentials(subject: Ref, text: str, snap: Facts, verify: Text) -> CredentialsFinding:
    """Return the source of the credentials in this message; empty for other messages, and if several Secrets
    are possible.
    """
    if not _OF_CREDENTIALS.search(text):
        return CredentialsFinding()
    own = [(subject, r) for r in _list_secrets(subject, snap)]
    others = unique(r.to for r in find_references(subject, snap) if "." in r.to.kind)[:_MOST]
    found = own or [(other, r) for other in others for r in _list_secrets(other, snap)]
    unread = () if own else tuple(Want(References, o) for o in others if not snap.of(References, o))
    if len({r.to for _, r in found}) != 1:
        return CredentialsFinding(wants=unread)
    of, one = found[0]
    return _tell(subject, of, one, snap, verify)


def _list_secrets(of: Ref, snap: Facts) -> Iterator[Reference]:
    for one in find_references(of, snap):
        if one.to.kind == "Secret" and one.hosts is None and not _OWN_KEY.search(one.field):
            yield one


def _tell(subject: Ref, of: Ref, one: Reference, snap: Facts, verify: Text) -> CredentialsFinding:
    secret, key = one.to, dict(one.beside).get("key", "")
    where = say("key {key} of {secret}", key=key, secret=who(secret)) if key else who(secret)
    field = one.field if of == subject else say("{field} of {of}", field=one.field, of=who(of))
    says = say("; its credentials are {where} ({field})", where=where, field=field)
    maker = next((f.controller for f in snap.of(Owners, secret) if f.controller), None)
    written = _find_write(secret, snap)
    if maker:
        says += say(", which {maker} writes", maker=who(maker))
    elif written:
        says += written
    right = (
        say(
            "renew them where {maker} takes them from: it writes {secret}",
            maker=who(maker),
            secret=who(secret),
        )
        if maker
        else say(
            "put valid credentials into {where}, or name another Secret in {field}", where=where, field=field
        )
    )
    steps = (
        Step(right, where="source", verify=verify),
        Step(
            say("see when it was made and which keys it has, without their values"),
            command=command(
                "kubectl describe {secret} {space}", secret=given.of(secret), space=given.space(secret)
            ),
        ),
    )
    wants = () if snap.of(Touches, secret) else (Want(Touches, secret),)
    return CredentialsFinding(says, steps, wants)


def _find_write(secret: Ref, snap: Facts) -> Text | None:
    """Return the time and the writer of its last change."""
    rows = [
        (t.at, t.manager)
        for f in snap.of(Touches, secret)
        for t in f.items
        if t.at and any(path.split(".")[0] in _CONTENT for path in t.fields)
    ]
    if not rows:
        return None
    at, by = max(rows)
    return say(", last written by {by} {span} ago", by=by, span=format_duration(snap.now - at))
