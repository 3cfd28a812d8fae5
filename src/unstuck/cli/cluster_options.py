"""kubectl's options for the cluster, the account and the Namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli import complete
from unstuck.cli.bilingual_help import gather_as, option, option_group, with_heading
from unstuck.cli.duration import Duration
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.api import Overrides
    from unstuck.cli.connection import ClusterOptions

say = Messages(__name__)

C = TypeVar("C", bound=Callable[..., Any])

CLUSTER = say("Cluster, as for kubectl")

_PLACE = (
    option(
        "-n",
        "--namespace",
        metavar="NS",
        shell_complete=complete.namespaces,
        help=say("The Namespace; else the context's."),
    ),
    option(
        "--context",
        metavar="NAME",
        shell_complete=complete.contexts,
        help=say("A context of the kubeconfig."),
    ),
    option(
        "--kubeconfig",
        metavar="FILE",
        is_eager=True,
        help=say("As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account."),
    ),
    option(
        "--cluster",
        metavar="NAME",
        shell_complete=complete.clusters,
        help=say("As for kubectl: another cluster of the kubeconfig than the context's."),
    ),
    option(
        "--user",
        metavar="NAME",
        shell_complete=complete.users,
        help=say("As for kubectl: another user of the kubeconfig than the context's."),
    ),
    option("-s", "--server", metavar="URL", help=say("As for kubectl: the API server's address.")),
    option(
        "--as",
        "as_user",
        metavar="USER",
        help=say("As for kubectl: ask as this user, to see what it sees."),
    ),
    option(
        "--as-group",
        "as_groups",
        multiple=True,
        metavar="GROUP",
        help=say("As for kubectl: with --as, in this group; repeatable."),
    ),
    option(
        "--token",
        metavar="TOKEN",
        help=say("A bearer token, instead of all credentials of the kubeconfig."),
    ),
    option(
        "--insecure-skip-tls-verify",
        "insecure",
        is_flag=True,
        help=say("Do not check the server's certificate: insecure."),
    ),
    option(
        "--request-timeout",
        type=Duration(),
        metavar="D",
        help=say("At most D for one request (15s); 0: no limit."),
    ),
    option(
        "--compress",
        type=click.Choice(["auto", "always", "never"]),
        help=say(
            "Answers packed (gzip): auto (default; not from a private address or with disable-compression), "
            "always or never."
        ),
    ),
)


def cluster(f: C) -> C:
    """Add kubectl's options for the cluster, passed as one `place`."""
    first, *others = _PLACE
    placed = (first, *with_heading(CLUSTER, *others))
    return option_group(placed, lambda given: gather_as("place", _place_of, given))(f)


def overrides_of(given: Mapping[str, Any]) -> Overrides | None:
    """Return the overrides of the kubeconfig; None if none is given. given: all options by their names."""
    options = (
        "cluster",
        "user",
        "server",
        "as_user",
        "as_groups",
        "token",
        "insecure",
        "request_timeout",
        "compress",
    )
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
    from unstuck.cli.connection import ClusterOptions

    overrides = overrides_of(locals())
    return ClusterOptions(context, kubeconfig, namespace, overrides)
