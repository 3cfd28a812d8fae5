"""A server refuses a request with an HTTP status

## How it happens

A program asks a server over HTTP, and the server answers: it does not allow this to the client (403), it has
no object at this address (404), it does not understand the request (400, 405, 422), or its state does not
allow it now (409). The network, the server and its certificate are fine.

## How to tell

`unexpected status code 403`, `404 Not Found`, `Code: 403. Errors:` (Vault) and the like in a line that is
written as an error; `Response Status: 403` of a verbose client; the status text alone, as Go's clients report
a proxy that refuses to connect them (`Unable to connect to the server: Forbidden`). What the status means
depends on the server: its URL tells the API server, a server behind an APIService, a kubelet, a webhook, a
registry, a chart repository, Vault, Prometheus and a cloud's metadata service apart.

## Known limits

Only the server's own configuration shows the missing right, and the place to grant it. 401 is
program.credentials-refused, 429 program.requests-limited; a registry's answer is reported with the image.

## References

- RFC 9110, section 15.5
"""

from __future__ import annotations

from unstuck.causes.program._client import is_of_client, mend_client
from unstuck.causes.program._peers import (
    NO_PROXY,
    ApiRequest,
    advise,
    find_peer,
    look_at,
    name_peer,
    read_api_request,
)
from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import class_commands as by
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
    peer = find_peer(c.path, c.line) if c.at else "proxy"
    asked = read_api_request(c.verb, c.path) if peer == "api-server" else None
    if asked and c.at == _FORBIDDEN:
        return _make_rbac_finding(text, one, asked)
    url = say(": {verb} {url}", verb=c.verb, url=c.path) if c.verb and c.path else NO_TEXT
    if c.path and not c.verb:
        url = say(": {url}", url=c.path)
    reason = say(" ({reason})", reason=c.reason) if c.reason else NO_TEXT
    means = _describe(name_peer(peer), c.at) + url + reason
    if peer == "proxy":
        step = mend_client(NO_PROXY) if is_of_client(c.line) else mend(NO_PROXY)
    else:
        said = advise(peer, c.at)
        step = mend(said) if said else _advise(c.at, c.path)
    return make_finding(text, one, means, (*look_at(peer, c.path), step))


def _make_rbac_finding(text: Ref, one: ProgramMessage, asked: ApiRequest) -> Finding:
    """Return the finding for a request that RBAC refuses: which identity sent it, the text does not tell."""
    where = (
        say("in Namespace {namespace}", namespace=asked.namespace)
        if asked.namespace
        else say("at the cluster scope")
    )
    means = say(
        "the API server does not allow this client to {verb} {resource} {where} (HTTP 403)",
        verb=asked.verb,
        resource=asked.resource,
        where=where,
    )
    look = Step(
        say("check whether the identity may do this; for a Pod, it is its ServiceAccount"),
        command=by.can("system:serviceaccount:NAMESPACE:NAME", asked.verb, asked.resource, asked.namespace),
    )
    role = (
        say(
            "add the verb {verb} on {resource} to a Role of Namespace {namespace} that is bound to it",
            verb=asked.verb,
            resource=asked.resource,
            namespace=asked.namespace,
        )
        if asked.namespace
        else say(
            "add the verb {verb} on {resource} to a ClusterRole that is bound to it by a ClusterRoleBinding",
            verb=asked.verb,
            resource=asked.resource,
        )
    )
    return make_finding(text, one, means, (look, mend(role)))


def _describe(server: Text, status: int) -> Text:
    """Return the meaning of the status."""
    if status == _FORBIDDEN:
        return say("{server} does not allow this request to this client (HTTP 403)", server=server)
    if status == _MISSING:
        return say("{server} has nothing at this address (HTTP 404)", server=server)
    if status == _CONFLICT:
        return say("{server} reports a conflict with its current state (HTTP 409)", server=server)
    if status:
        return say("{server} does not understand this request (HTTP {status})", server=server, status=status)
    return say("{server} refuses this connection", server=server)


def _advise(status: int, path: str) -> Step:
    """Return what to correct at any server."""
    if status == _FORBIDDEN and path.endswith(_LOGINS):
        return mend(
            say(
                "on that server, check who may use this login: the requested role, its accounts and "
                "Namespaces, and whether the server can review tokens of this cluster "
                "(system:auth-delegator); its own log has the reason"
            )
        )
    if status == _FORBIDDEN:
        return mend(
            say(
                "on that server, grant the program's identity access to this path (a policy or role), or "
                "let the program use an identity that has it; this is not about file permissions"
            )
        )
    if status == _MISSING:
        return mend(
            say("correct the address (its path, version or name); check on that server what exists there")
        )
    if status == _CONFLICT:
        return mend(say("check on that server what the conflict is with, and remove or reuse it"))
    return mend(
        say(
            "read the server's own words after the status; correct the request: the path, a parameter, or "
            "the scheme and port (a plain HTTP port answers https like this)"
        )
    )


CAUSE = Cause(
    id="program.request-refused",
    title=say("a server refuses a request with an HTTP status"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
