"""kubectl's flags that override the kubeconfig."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kube.test_kubeconfig import CONFIG, write
from unstuck.cli.cluster_options import overrides_of
from unstuck.collect.kube.transport.credentials import sendable
from unstuck.collect.kube.transport.kubeconfig import Access, find_access
from unstuck.collect.kube.transport.overrides import PATIENCE, Overrides, deadline
from unstuck.errors import NotFound, UsageError

TWO = {
    **CONFIG,
    "users": [*CONFIG["users"], {"name": "bot", "user": {"client-certificate-data": "", "token": "b"}}],
}
SECRET = "never-in-any-message"


def found(path: Path, given: Overrides, context: str | None = None) -> Access:
    return find_access(context, write(path / "c", TWO), None, {}, given)


def test_a_cluster_and_a_user_of_the_kubeconfig_may_be_chosen_apart(tmp_path: Path) -> None:
    a = found(tmp_path, Overrides(cluster="k2", user="bot"))
    assert (a.context, a.server, a.token, a.namespace, a.insecure) == (
        "lab",
        "https://two:6443",
        "b",
        "shop",
        True,
    )


@pytest.mark.parametrize("given", [Overrides(cluster="nope"), Overrides(user="nope")])
def test_what_the_kubeconfig_does_not_have_is_said_and_not_taken_for_the_contexts(
    tmp_path: Path, given: Overrides
) -> None:
    with pytest.raises(NotFound, match=r"no (cluster|user) 'nope' in"):
        found(tmp_path, given)


def test_another_server_is_not_asked_for_the_first_ones_certificate(tmp_path: Path) -> None:
    a = found(tmp_path, Overrides(server="https://other:1"))
    assert (a.server, a.tls_name, a.token) == ("https://other:1", None, "t")


def test_a_server_alone_needs_no_kubeconfig(tmp_path: Path) -> None:
    a = find_access(None, None, "ns", {"HOME": str(tmp_path)}, Overrides(server="https://x:1", token=SECRET))
    assert (a.context, a.server, a.namespace, a.token, a.user) == (
        "--server",
        "https://x:1",
        "ns",
        SECRET,
        "--token",
    )


def test_a_token_takes_the_place_of_every_other_credential(tmp_path: Path) -> None:
    a = found(tmp_path, Overrides(token=SECRET))
    assert (a.token, a.token_file, a.basic, a.plugin, a.cert, a.key) == (SECRET, None, None, None, None, None)


def test_in_the_clear_no_token_is_sent_except_to_this_machine(tmp_path: Path) -> None:
    away = found(tmp_path, Overrides(token=SECRET, server="http://k8s.example.com:8080"))
    assert sendable(away).token is None
    assert (
        sendable(found(tmp_path, Overrides(token=SECRET, cluster="k2", server="http://127.0.0.1:8080"))).token
        == SECRET
    )


def test_who_is_impersonated_takes_the_place_of_whom_the_kubeconfig_names(tmp_path: Path) -> None:
    a = found(tmp_path, Overrides(as_user="system:serviceaccount:ci:bot", as_groups=("a", "b")))
    assert a.headers == (
        ("Impersonate-User", "system:serviceaccount:ci:bot"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
    )
    with pytest.raises(UsageError, match="--as-group needs --as"):
        found(tmp_path, Overrides(as_groups=("a",)))


def test_the_certificate_is_not_checked_only_where_that_was_said(tmp_path: Path) -> None:
    assert not found(tmp_path, Overrides(user="bot")).insecure
    a = found(tmp_path, Overrides(insecure=True))
    assert a.insecure and a.ca is None


def test_nobody_sees_the_token() -> None:
    given = Overrides(token=SECRET, server=f"https://u:{SECRET}@x")
    assert SECRET not in repr(given) + str(given)


@pytest.mark.parametrize(("said", "seconds"), [(None, 15.0), (5.0, 5.0), (0.0, PATIENCE)])
def test_no_limit_is_a_long_one(said: float | None, seconds: float) -> None:
    """As kubectl's `--request-timeout 0`; an option that is not given leaves the usual time."""
    assert deadline(Overrides(seconds=said), 15.0) == seconds
    assert (overrides_of({"request_timeout": said}) is None) == (said is None)
