"""A server answers a request with an HTTP status of refusal

## How it happens

A program asks a server over HTTP, and the server answers: it does not allow this to the client (403), it has
no object at this address (404), it does not understand the request (400, 405, 422), or its state does not
allow it now (409). The network, the server and its certificate are fine.

## How to tell

`unexpected status code 403`, `404 Not Found`, `Code: 403. Errors:` (Vault) and the like in a line that is
written as an error.

## Known limits

Only the server's own configuration shows the missing right, and the place to grant it. 401 is
program.credentials-refused, 429 program.requests-limited; a registry's answer is reported with the image.

## References

- RFC 9110, section 15.5
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_FORBIDDEN, _MISSING, _CONFLICT = 403, 404, 409
_LOGINS = "/login"


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "request-refused", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    url = say(": {verb} {url}", verb=c.verb, url=c.path) if c.verb and c.path else NO_TEXT
    if c.path and not c.verb:
        url = say(": {url}", url=c.path)
    reason = say(" ({reason})", reason=c.reason) if c.reason else NO_TEXT
    return make_finding(text, one, _describe(c.at) + url + reason, (_advise(c.at, c.path),))


def _describe(status: int) -> Text:
    """Return the meaning of the status, which is the same for any server."""
    if status == _FORBIDDEN:
        return say("a server does not allow this request to whoever asks (HTTP 403)")
    if status == _MISSING:
        return say("a server has nothing at the address that it is asked for (HTTP 404)")
    if status == _CONFLICT:
        return say("a server's state does not allow this request now (HTTP 409)")
    return say("a server does not understand this request (HTTP {status})", status=status)


def _advise(status: int, path: str) -> Step:
    """Return what to correct."""
    if status == _FORBIDDEN and path.endswith(_LOGINS):
        return mend(
            say(
                "on that server, see for whom this login is allowed: the role that is asked for, its "
                "accounts and Namespaces, and whether the server can review tokens of this cluster; its own "
                "log has the reason"
            )
        )
    if status == _FORBIDDEN:
        return mend(
            say(
                "on that server, give the identity with which the program logs in the right for this path (a "
                "policy or role), or let it use one that has it; no file's mode is in question"
            )
        )
    if status == _MISSING:
        return mend(say("correct the address: its path, version or name; see on that server what is there"))
    if status == _CONFLICT:
        return mend(say("see on that server what is in the way, by its own words, and remove or reuse it"))
    return mend(
        say(
            "see the server's own words behind the status; correct what is sent: the path, a parameter, "
            "or the scheme and port (https is answered so where http is spoken)"
        )
    )


CAUSE = Cause(
    id="program.request-refused",
    title=say("a server answers a request with an HTTP status of refusal"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
