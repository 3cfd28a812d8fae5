"""The agent's token goes only to the kubelet with the certificate on the node, not to another listener on its
port.
"""

from __future__ import annotations

import hashlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kube.server import serving
from tests.kubelet.test_api import OTHER_PEM, kubelet, tls
from unstuck.agent import child, evidence, look
from unstuck.agent import kubelet as asking
from unstuck.agent.evidence import Pin
from unstuck.agent.probes import PendingProbe
from unstuck.facts.codec import to_json

PROBE = PendingProbe("p", "u", 0.0, "n-1", 5.0, None)
IMPOSTOR = "00" * 32


class Collector:
    """A collector that has read this fingerprint; None if it does not answer."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.told: str | None = None
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(self.path)
        self._server.listen(4)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                asked, _ = self._server.accept()
            except OSError:
                return
            with asked:
                asked.recv(1 << 16)
                if self.told is not None:
                    asked.sendall(json.dumps({"serving": self.told}).encode() + b"\n")
                asked.sendall(b'{"end": true}\n')

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[Collector]:
    one = Collector(tmp_path / "collector")
    yield one
    one.close()


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide the Pod's account: a token, and an authority that has not signed the kubelet's certificate."""
    (tmp_path / "token").write_text("T")
    (tmp_path / "ca.crt").write_text(OTHER_PEM)
    monkeypatch.setattr(asking, "ACCOUNT", tmp_path)
    monkeypatch.setenv("HOST_IP", "127.0.0.1")

    def in_this_process(_module: str, request: bytes, _seconds: float) -> Iterator[bytes]:
        for fact in asking._list_facts(json.loads(request)):
            yield json.dumps(to_json(fact)).encode()
        yield b'{"end": true}'

    monkeypatch.setattr(child, "read_lines", in_this_process)


def _fingerprint(port: int) -> str:
    return hashlib.sha256(
        ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", port)))
    ).hexdigest()


def _asked(
    collector: Collector, told: str | None, pin: Pin, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the answer to one probe, and the tokens seen at the kubelet's port. told: "right" for its own
    fingerprint.
    """
    with serving(kubelet, tls()) as server:
        monkeypatch.setattr(asking, "_PORT", server.port)
        collector.told = _fingerprint(server.port) if told == "right" else told
        docs = evidence.gather_evidence(PROBE, "n-1", collector.path, pin)
        return docs, [seen.headers["Authorization"] for seen in server.seen]


def _types(docs: list[dict[str, Any]]) -> set[str]:
    return {str(d["type"]) for d in docs}


@pytest.mark.usefixtures("account")
def test_the_kubelet_of_that_certificate_is_asked(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, tokens = _asked(collector, "right", Pin(), monkeypatch)
    assert "KubeletHealth" in _types(docs) and set(tokens) == {"Bearer T"}


@pytest.mark.usefixtures("account")
def test_another_one_on_its_port_gets_no_token(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    docs, tokens = _asked(collector, IMPOSTOR, Pin(), monkeypatch)
    assert tokens == [] and _types(docs) == {"Refused"}
    assert all("its certificate is not the one that the kubelet has on the node" in d["detail"] for d in docs)


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("told", ["", None], ids=["cannot read it", "does not look"])
def test_what_was_read_once_holds(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, told: str | None
) -> None:
    pin = Pin()
    pin.receive(IMPOSTOR)
    _, tokens = _asked(collector, told, pin, monkeypatch)
    assert tokens == []
    # A kubelet with a new certificate is known as soon as that is read.
    _, tokens = _asked(collector, "right", pin, monkeypatch)
    assert set(tokens) == {"Bearer T"}


@pytest.mark.usefixtures("account")
def test_where_it_never_could_be_read_the_log_says_so(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pin = Pin()
    for _ in range(2):
        docs, tokens = _asked(collector, "", pin, monkeypatch)
        assert "KubeletHealth" in _types(docs) and set(tokens) == {"Bearer T"}
    assert capsys.readouterr().err.count("the connection to the kubelet is not pinned to it") == 1


def test_a_certificate_that_does_not_read_in_time_keeps_no_fact_back(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    monkeypatch.setattr(look, "serving_fingerprint", lambda _view: never.wait(5))
    monkeypatch.setattr(look, "_FINGERPRINT_SECONDS", 0.1)
    assert look._read_fingerprint(None) == ""  # the view is never looked at
