"""Replies that mean that a cluster cannot be asked at all, each as one line with a remedy."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.collect.kube.transport.address import format_address, proxy_variable
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.kube.transport.tls import read_not_after
from unstuck.errors import AccessError, Unreachable, UnstuckError
from unstuck.facts.text import NO_TEXT, Messages, Text, same_in_both

say = Messages(__name__)

LATE = say("no answer within the deadline")
_ANONYMOUS = 'User "system:anonymous"'
# Go's net/http reports this in plain text.
_WANTS_TLS = "Client sent an HTTP request to an HTTPS server"
_WRITE_HTTPS = say("write https:// for the server of the kubeconfig's cluster")


def error_of(reply: Reply, access: Access, proxy: str | None, *, withheld: bool) -> UnstuckError | None:
    """Return the error; None for a reply that is about one question alone.

    proxy: the address of the proxy in use. withheld: whether credentials were withheld because the connection
    is not encrypted.
    """
    where = format_address(access.server)
    user = access.user or "anonymous"
    who = say("user {user!r} of context {context!r}", user=user, context=access.context)
    anonymous = reply.status == 403 and _ANONYMOUS in reply.message
    if withheld and (anonymous or reply.status == 401):
        said = say(
            (
                "{where} refused an anonymous request: over plain http no credentials of {who} were sent, "
                "and no credential plugin was run"
            ),
            where=where,
            who=who,
        )
        return AccessError(said, _WRITE_HTTPS)
    if reply.status == 401:
        refused = say("{where} refused the credentials of {who}", where=where, who=who)
        return AccessError(refused + _describe_expiry(access), _log_in(access))
    if anonymous:
        anybody = say(
            "{where} did not take the credentials of {who}, or there are none: it answered as to anybody",
            where=where,
            who=who,
        )
        return AccessError(anybody, _log_in(access))
    if reply.status == 400 and _WANTS_TLS in reply.message + reply.detail:
        return AccessError(say("{where} is asked without TLS and wants it", where=where), _WRITE_HTTPS)
    if reply.status == 0 and reply.why in ("unreachable", "timeout"):
        why = LATE if reply.detail == LATE.en else same_in_both(reply.detail)
        return (
            _proxy_error(reply, access, format_address(proxy or ""), why)
            if reply.stopped_at
            else _make_silent_error(access, why)
        )
    return None


def _make_silent_error(access: Access, why: Text) -> UnstuckError:
    where = format_address(access.server)
    return Unreachable(
        say(
            "{where} (context {context!r}) does not answer: {why}",
            where=where,
            context=access.context,
            why=why,
        ),
        say("check the address, the network or proxy-url, and whether the API server runs"),
    )


def _proxy_error(reply: Reply, access: Access, proxy: str, why: Text) -> UnstuckError:
    """Return the error of a proxy that did not answer, or that reports that the server behind it did not."""
    server = format_address(access.server)
    if access.proxy:
        whose = say("proxy-url of the kubeconfig's cluster")
        hint = say("check proxy-url of the kubeconfig's cluster, and whether the proxy runs")
    else:
        whose = same_in_both(proxy_variable(access.server))
        hint = say("check {whose} and whether the proxy runs; NO_PROXY excepts a server", whose=whose)
    if reply.stopped_at == "before the proxy":
        return Unreachable(
            say(
                "the proxy {proxy} ({whose}) does not answer: {why}; {server} was not asked",
                proxy=proxy,
                whose=whose,
                why=why,
                server=server,
            ),
            hint,
        )
    return Unreachable(
        say(
            "{server} cannot be reached through the proxy {proxy} ({whose}): {why}",
            server=server,
            proxy=proxy,
            whose=whose,
            why=why,
        ),
        hint,
    )


def _describe_expiry(access: Access) -> Text:
    ends = read_not_after(access.cert) if access.cert else None
    if ends is None or ends > datetime.now(UTC):
        return NO_TEXT
    return say(
        ": its client certificate ({cert_from}) expired at {ends:%Y-%m-%d %H:%M} UTC",
        cert_from=access.cert_from,
        ends=ends,
    )


def _log_in(access: Access) -> Text:
    if access.plugin:
        return say("log in again with {command}", command=access.plugin.command)
    return say("get a new kubeconfig, or choose another --context")
