"""kubectl's options that choose a cluster, an account and a Namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli import complete
from unstuck.cli.bilingual import as_one, option, together, under
from unstuck.cli.lang import Duration
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.api import Overrides
    from unstuck.cli.connecting import ClusterOptions

C = TypeVar("C", bound=Callable[..., Any])

CLUSTER = Text("Cluster, as for kubectl", "集群（同 kubectl）")

_PLACE = (
    option(
        "-n",
        "--namespace",
        metavar="NS",
        shell_complete=complete.namespaces,
        help=Text("The Namespace; else the context's.", "Namespace；否则为上下文中的 Namespace。"),
    ),
    option(
        "--context", metavar="NAME", shell_complete=complete.contexts, help=Text("A context of the kubeconfig.", "kubeconfig 中的上下文。")
    ),
    option(
        "--kubeconfig",
        metavar="FILE",
        is_eager=True,
        help=Text(
            "As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account.",
            "与 kubectl 相同；否则为 KUBECONFIG、~/.kube/config，或 Pod 自身的服务账号。",
        ),
    ),
    option(
        "--cluster",
        metavar="NAME",
        shell_complete=complete.clusters,
        help=Text("As for kubectl: another cluster of the kubeconfig than the context's.", "同 kubectl：使用 kubeconfig 中的另一个集群。"),
    ),
    option(
        "--user",
        metavar="NAME",
        shell_complete=complete.users,
        help=Text("As for kubectl: another user of the kubeconfig than the context's.", "同 kubectl：使用 kubeconfig 中的另一个用户。"),
    ),
    option("-s", "--server", metavar="URL", help=Text("As for kubectl: the API server's address.", "同 kubectl：API server 的地址。")),
    option(
        "--as",
        "as_user",
        metavar="USER",
        help=Text("As for kubectl: ask as this user, to see what it sees.", "同 kubectl：以此用户的身份询问，看它能看到什么。"),
    ),
    option(
        "--as-group",
        "as_groups",
        multiple=True,
        metavar="GROUP",
        help=Text("As for kubectl: with --as, in this group; repeatable.", "同 kubectl：与 --as 合用，属于此组；可重复。"),
    ),
    option(
        "--token",
        metavar="TOKEN",
        help=Text("A bearer token, instead of all credentials of the kubeconfig.", "bearer 令牌，取代 kubeconfig 中的全部凭据。"),
    ),
    option(
        "--insecure-skip-tls-verify",
        "insecure",
        is_flag=True,
        help=Text("Do not check the server's certificate: insecure.", "不校验服务器证书：不安全。"),
    ),
    option(
        "--request-timeout",
        type=Duration(),
        metavar="D",
        help=Text("At most D for one request (15s); 0: no limit.", "单个请求至多 D（15s）；0 表示不限。"),
    ),
    option(
        "--compress",
        type=click.Choice(["auto", "always", "never"]),
        help=Text(
            "Answers packed (gzip): auto (default; not from a private address or with disable-compression), always or never.",
            "应答以 gzip 压缩传输：auto（默认；服务器为私有地址或设置了 disable-compression 时不压缩）、always 或 never。",
        ),
    ),
)


def cluster(f: C) -> C:
    """Add kubectl's options that choose a cluster, handed over as one `place`."""
    first, *others = _PLACE
    placed = (first, *under(CLUSTER, *others))
    return together(placed, lambda given: as_one("place", _place_of, given))(f)


def overrides_of(given: Mapping[str, Any]) -> Overrides | None:
    """Return what is said instead of the kubeconfig, None where nothing is. given: the options, by their names."""
    options = ("cluster", "user", "server", "as_user", "as_groups", "token", "insecure", "request_timeout", "compress")
    said = {name: given.get(name) for name in options}
    if not any(said.values()) and said["request_timeout"] is None:
        return None
    from unstuck.api import Overrides

    return Overrides(
        server=said["server"],
        cluster=said["cluster"],
        user=said["user"],
        token=said["token"],
        insecure=bool(said["insecure"]),
        as_user=said["as_user"],
        as_groups=tuple(said["as_groups"] or ()),
        seconds=said["request_timeout"],
        compress=said["compress"] or "auto",
    )


def _place_of(
    *,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    cluster: str | None,
    user: str | None,
    server: str | None,
    as_user: str | None,
    as_groups: tuple[str, ...],
    token: str | None,
    insecure: bool,
    request_timeout: float | None,
    compress: str | None,
) -> ClusterOptions:
    from unstuck.cli.connecting import ClusterOptions

    overrides = overrides_of(locals())
    return ClusterOptions(context, kubeconfig, namespace, overrides)
