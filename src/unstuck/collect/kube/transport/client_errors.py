"""Replies that say that a cluster cannot be asked at all, each as one line with what to do."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.collect.kube.transport.address import named, proxy_variable
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.kube.transport.tls import not_after
from unstuck.errors import AccessError, Unreachable, UnstuckError
from unstuck.facts.text import Text, same_in_both

LATE = Text("no answer within the deadline", "在期限内没有应答")
_ANONYMOUS = 'User "system:anonymous"'
# Go's net/http says so, in plain text.
_WANTS_TLS = "Client sent an HTTP request to an HTTPS server"
_WRITE_HTTPS = Text("write https:// for the server of the kubeconfig's cluster", "请将 kubeconfig 中该集群的 server 写为 https://")


def error_of(reply: Reply, access: Access, proxy: str | None, *, withheld: bool) -> UnstuckError | None:
    """Return the error; None for a reply that is about one question alone.

    proxy: the address of the one that is used. withheld: whether credentials were not sent because the connection is not encrypted.
    """
    where = named(access.server)
    who = Text(f"user {access.user or 'anonymous'!r} of context {access.context!r}", _who_zh(access))
    anonymous = reply.status == 403 and _ANONYMOUS in reply.message
    if withheld and (anonymous or reply.status == 401):
        said = Text(
            f"{where} refused an anonymous request: over plain http no credentials of {who.en} were sent, and no credential plugin was run",
            f"{where} 拒绝了匿名请求：明文 http 连接上没有发送{who.zh}的凭据，也没有运行凭据插件",
        )
        return AccessError(said, _WRITE_HTTPS)
    if reply.status == 401:
        refused = Text(f"{where} refused the credentials of {who.en}", f"{where} 拒绝了{who.zh}的凭据")
        return AccessError(refused + _expiry(access), _log_in(access))
    if anonymous:
        anybody = Text(
            f"{where} did not take the credentials of {who.en}, or there are none: it answered as to anybody",
            f"{where} 没有接受{who.zh}的凭据，或根本没有凭据：它按匿名用户作了应答",
        )
        return AccessError(anybody, _log_in(access))
    if reply.status == 400 and _WANTS_TLS in reply.message + reply.detail:
        return AccessError(Text(f"{where} is asked without TLS and wants it", f"对 {where} 的请求没有使用 TLS，而它要求 TLS"), _WRITE_HTTPS)
    if reply.status == 0 and reply.why in ("unreachable", "timeout"):
        why = LATE if reply.detail == LATE.en else same_in_both(reply.detail)
        return _proxy_error(reply, access, named(proxy or ""), why) if reply.stopped_at else _silent(access, why)
    return None


def _silent(access: Access, why: Text) -> UnstuckError:
    where = named(access.server)
    return Unreachable(
        Text(f"{where} (context {access.context!r}) does not answer: {why.en}", f"{where}（上下文 {access.context!r}）没有应答：{why.zh}"),
        Text(
            "check the address, the network or proxy-url, and whether the API server runs",
            "请检查地址、网络或 proxy-url，以及 API server 是否在运行",
        ),
    )


def _proxy_error(reply: Reply, access: Access, proxy: str, why: Text) -> UnstuckError:
    """Return who did not answer: the proxy, or what lies behind it as the proxy tells."""
    server = named(access.server)
    if access.proxy:
        whose = Text("proxy-url of the kubeconfig's cluster", "kubeconfig 中该集群的 proxy-url")
        hint = Text(
            "check proxy-url of the kubeconfig's cluster, and whether the proxy runs",
            "检查 kubeconfig 中的 proxy-url 以及代理是否在运行",
        )
    else:
        whose = same_in_both(proxy_variable(access.server))
        hint = Text(
            f"check {whose.en} and whether the proxy runs; NO_PROXY excepts a server",
            f"检查 {whose.zh} 以及代理是否在运行；NO_PROXY 可排除服务器",
        )
    if reply.stopped_at == "before the proxy":
        return Unreachable(
            Text(
                f"the proxy {proxy} ({whose.en}) does not answer: {why.en}; {server} was not asked",
                f"代理 {proxy}（{whose.zh}）无应答：{why.zh}；未能询问 {server}",
            ),
            hint,
        )
    return Unreachable(
        Text(
            f"{server} cannot be reached through the proxy {proxy} ({whose.en}): {why.en}",
            f"无法通过代理 {proxy}（{whose.zh}）到达 {server}：{why.zh}",
        ),
        hint,
    )


def _who_zh(access: Access) -> str:
    return f"用户 {access.user or 'anonymous'!r}（上下文 {access.context!r}）"


def _expiry(access: Access) -> Text:
    ends = not_after(access.cert) if access.cert else None
    if ends is None or ends > datetime.now(UTC):
        return Text("", "")
    return Text(
        f": its client certificate ({access.cert_from}) expired at {ends:%Y-%m-%d %H:%M} UTC",
        f"：其客户端证书（{access.cert_from}）已于 {ends:%Y-%m-%d %H:%M} UTC 过期",
    )


def _log_in(access: Access) -> Text:
    if access.plugin:
        return Text(f"log in again with {access.plugin.command}", f"请用 {access.plugin.command} 重新登录")
    return Text("get a new kubeconfig, or choose another --context", "请获取新的 kubeconfig，或用 --context 另选上下文")
