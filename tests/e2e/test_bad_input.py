"""Impossible questions, through the real command against the real API server: one line, a remedy, status
3.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import check_one_line, run_unstuck, write_kubeconfig

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = pytest.mark.e2e


@pytest.fixture
def closed() -> Iterator[int]:
    """Return a refusing port of loopback: bound, so that it stays reserved, and not listening."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Run a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server


# --- missing objects, with the nearest existing names -------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["why", "podd/x"], ["no resource type 'podd'", "nearest: pod"]),
        (["why", "deploymnt/x"], ["no resource type 'deploymnt'", "deployment"]),
        (["why", "pod/x", "-n", "kube-sytem"], ["no Namespace 'kube-sytem'", "nearest: kube-system"]),
        (["why", "-n", "kube-sytem"], ["no Namespace 'kube-sytem'", "nearest: kube-system"]),
        (["scan", "-n", "defalt"], ["no Namespace 'defalt'", "nearest: default"]),
        (["why", "ns/defalt"], ["no Namespace 'defalt'", "nearest: default"]),
        (["why", "sa/defalt", "-n", "default"], ["'defalt'", "nearest: default"]),
        (["why", "pod/x", "--context", "labb"], ["no context 'labb'", "lab"]),
        (["scan", "--context", "labb"], ["no context 'labb'", "lab"]),
        (["wy", "pod/x"], ["no such command: wy", "did you mean why?"]),
        (["pod/x"], ["unstuck why pod/x"]),
        (["why", "pod/x", "--nonsense"], ["--nonsense"]),
        (["why", "pod", "a", "b"], ["no Pod 'a'", "no Pod 'b'"]),
        (["why", "no-such-x"], ["is called 'no-such-x'", "Namespace 'default'"]),
        (["why", "pod"], ["which Pod?", "unstuck why pod/NAME"]),
    ],
)
def test_what_is_not_there_is_told_with_the_nearest_name(lab: Lab, args: list[str], parts: list[str]) -> None:
    said = check_one_line(run_unstuck(*args, kubeconfig=lab.kubeconfig))
    assert all(part in said for part in parts), said


def test_a_node_that_is_not_there(lab: Lab) -> None:
    real = lab.get("/api/v1/nodes")
    assert real is not None
    name = real["items"][0]["metadata"]["name"]
    said = check_one_line(run_unstuck("why", f"node/{name}x", kubeconfig=lab.kubeconfig))
    assert f"no Node '{name}x'" in said and "nearest: " in said and name in said.partition("nearest: ")[2]


def test_control_characters_in_what_was_typed_are_made_visible(lab: Lab) -> None:
    said = check_one_line(
        run_unstuck("why", "pod/a\x1b[2J\r", "-n", "defa\x07ult", kubeconfig=lab.kubeconfig)
    )
    assert not set(said) & {"\x1b", "\r", "\x07"}


# --- the cluster is unreachable, or refuses the client -----------------------------------------------------


def test_no_kubeconfig_at_all() -> None:
    said = check_one_line(run_unstuck("why", "pod/x", kubeconfig=None, env={"KUBERNETES_SERVICE_HOST": ""}))
    assert "no kubeconfig" in said and "/nonexistent/.kube/config" in said and "KUBECONFIG" in said


def test_a_kubeconfig_that_is_none(tmp_path: Path) -> None:
    bad = tmp_path / "config"
    for text in ("a: [", "- 1", "\x00\xff"):
        bad.write_text(text, encoding="latin-1")
        assert str(bad) in check_one_line(run_unstuck("why", "pod/x", kubeconfig=bad))


def test_a_closed_port(closed: int, tmp_path: Path) -> None:
    server = f"https://127.0.0.1:{closed}"
    for args in (["why", "pod/x"], ["why"], ["scan", "-A"], ["why", "widget/x"]):
        said = check_one_line(run_unstuck(*args, kubeconfig=write_kubeconfig(tmp_path / "config", server)))
        assert (
            server in said and "'here'" in said and "refused" in said.lower() and "check the address" in said
        )


def test_a_server_that_accepts_and_never_answers(silent: socket.socket, tmp_path: Path) -> None:
    server = f"https://127.0.0.1:{silent.getsockname()[1]}"
    said = check_one_line(
        run_unstuck("why", "pod/x", kubeconfig=write_kubeconfig(tmp_path / "config", server))
    )
    assert server in said and "does not answer" in said and "check the address" in said


def test_a_name_that_does_not_resolve(tmp_path: Path) -> None:
    server = "https://unstuck.invalid:6443"
    said = check_one_line(
        run_unstuck("why", "pod/x", kubeconfig=write_kubeconfig(tmp_path / "config", server))
    )
    assert server in said and "check the address" in said


def test_a_server_whose_certificate_is_not_trusted(lab: Lab, tmp_path: Path) -> None:
    said = check_one_line(
        run_unstuck(
            "why", "pod/x", kubeconfig=write_kubeconfig(tmp_path / "config", lab.server, {"token": "t"})
        )
    )
    assert lab.server in said and "certificate" in said and "certificate-authority" in said


@pytest.mark.parametrize("args", ["why pod/x", "why", "scan -A", "why widget/x"])
@pytest.mark.parametrize(
    ("user", "said"),
    [
        ({"token": "nobody-has-this"}, "refused the credentials"),
        ({"username": "a", "password": "nobody-has-this"}, "did not take the credentials"),
    ],
)
def test_refused_credentials(lab: Lab, tmp_path: Path, user: dict[str, str], said: str, args: str) -> None:
    own_authority(lab)
    trusted = {"certificate-authority": str(lab.paths.pki / "ca.crt")}
    got = check_one_line(
        run_unstuck(
            *args.split(), kubeconfig=write_kubeconfig(tmp_path / "config", lab.server, user, trusted)
        )
    )
    assert (
        said in got and lab.server in got and "'somebody'" in got and "'here'" in got and "--context" in got
    )
    assert "nobody-has-this" not in got


def test_an_expired_client_certificate(lab: Lab, tmp_path: Path) -> None:
    own_authority(lab)
    key, crt = signed(lab.paths.pki, tmp_path, "/O=system:masters/CN=late", days=-1)
    user = {"client-certificate": str(crt), "client-key": str(key)}
    trusted = {"certificate-authority": str(lab.paths.pki / "ca.crt")}
    said = check_one_line(
        run_unstuck(
            "why", "ns/default", kubeconfig=write_kubeconfig(tmp_path / "config", lab.server, user, trusted)
        )
    )
    assert (
        "refused the credentials" in said
        and "expired at 20" in said
        and str(crt) in said
        and "new kubeconfig" in said
    )


def test_a_client_certificate_that_is_valid(lab: Lab, tmp_path: Path) -> None:
    own_authority(lab)
    key, crt = signed(lab.paths.pki, tmp_path, "/O=system:masters/CN=in-time", days=1)
    user = {"client-certificate": str(crt), "client-key": str(key)}
    trusted = {"certificate-authority": str(lab.paths.pki / "ca.crt")}
    done = run_unstuck(
        "why", "ns/default", kubeconfig=write_kubeconfig(tmp_path / "config", lab.server, user, trusted)
    )
    assert (done.returncode, done.stderr) == (0, "")


def own_authority(lab: Lab) -> None:
    if lab.existing:
        pytest.skip("the CA of an existing cluster is not here")


def signed(authority: Path, into: Path, subject: str, days: int) -> tuple[Path, Path]:
    """Return a client key and its certificate; with negative days an expired one."""
    key, csr, crt = into / "client.key", into / "client.csr", into / "client.crt"
    for argv in (
        ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(key)],
        ["req", "-new", "-key", str(key), "-subj", subject, "-out", str(csr)],
        [
            *(
                "x509",
                "-req",
                "-in",
                str(csr),
                "-CA",
                str(authority / "ca.crt"),
                "-CAkey",
                str(authority / "ca.key"),
            ),
            *("-set_serial", "77", "-days", str(days), "-out", str(crt)),
        ],
    ):
        subprocess.run(["openssl", *argv], check=True, capture_output=True)
    return key, crt
