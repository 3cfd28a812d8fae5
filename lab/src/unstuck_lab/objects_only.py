"""A real etcd and API server on loopback, with objects written directly to etcd and not changed by
controllers.

The processes end with the `with` block, and with any end of this process (PR_SET_PDEATHSIG). Needs etcd(1),
setpriv(1) and the lab's programs.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from unstuck_lab import api, build, pki, shell
from unstuck_lab.errors import LabError
from unstuck_lab.paths import SERVICE_RANGE, Paths

Json = dict[str, Any]
Stored = tuple[str, Json]
_TRANSACTION = 100
# A busy host takes many times the 40 s of an idle one for reading the largest cluster.
_READING = 1800
_PREFIX = "unstuck-objects-"


class ObjectsOnly:
    """The pair of processes. programs: the lab's builds. pids: those of the started processes, etcd first.

    under: a prefix for their command lines, such as `nice`. kept: a directory for keeping etcd's data; by
    default the data is deleted.
    """

    def __init__(self, under: Sequence[str] = (), kept: Path | None = None) -> None:
        self._stack = ExitStack()
        self._under = under
        _remove_leftovers()
        directory = Path(
            self._stack.enter_context(tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-"))
        )
        self.paths = replace(Paths.from_environment(), state=directory)
        self._data = (kept or directory).absolute() / "etcd"
        self._data.parent.mkdir(parents=True, exist_ok=True)
        self.programs = build.ensure(self.paths, lambda line: click.echo(line, err=True))
        self._etcd, self._peer, self.port = _find_free_ports(3)
        self.server = api.ApiServer(f"https://127.0.0.1:{self.port}", str(self.paths.pki / "ca.crt"))
        self.pids: list[int] = []

    def __enter__(self) -> ObjectsOnly:
        try:
            pki.ensure(self.paths)
            self.spawn(
                "/usr/bin/etcd",
                f"--data-dir={self._data}",
                "--unsafe-no-fsync",
                "--quota-backend-bytes=8589934592",
                "--log-level=error",
                f"--listen-client-urls=http://127.0.0.1:{self._etcd}",
                f"--advertise-client-urls=http://127.0.0.1:{self._etcd}",
                f"--listen-peer-urls=http://127.0.0.1:{self._peer}",
                f"--initial-advertise-peer-urls=http://127.0.0.1:{self._peer}",
                f"--initial-cluster=default=http://127.0.0.1:{self._peer}",
            )
            # With existing data etcd first reads all of it.
            shell.wait_for(self._is_etcd_ready, 300, "etcd is ready")
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def fill(self, objects: Iterable[Stored]) -> int:
        """Write the objects to etcd, and return their number."""
        count, batch = 0, list[Stored]()

        def put() -> None:
            puts = [
                {"requestPut": {"key": _encode(k), "value": _encode(json.dumps(v, separators=(",", ":")))}}
                for k, v in batch
            ]
            self._ask_etcd("txn", {"success": puts})

        for one in objects:
            batch.append(one)
            if len(batch) == _TRANSACTION:
                put()
                count, batch = count + len(batch), []
        if batch:
            put()
        return count + len(batch)

    def forget(self, prefix: str) -> None:
        """Delete all objects in etcd under `/registry/PREFIX/`."""
        key = f"/registry/{prefix}/"
        self._ask_etcd("deleterange", {"key": _encode(key), "range_end": _encode(key[:-1] + "0")})

    def serve(self, authorization: str = "RBAC") -> None:
        """Start the API server on the contents of etcd, and wait until it answers. authorization: its mode.

        It is ready once it has read all of etcd: 40 s for the largest cluster on an idle host.
        """
        keys = self.paths.pki
        server = self.spawn(
            self.programs.locate("kube-apiserver"),
            f"--etcd-servers=http://127.0.0.1:{self._etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self.port}",
            "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={keys}/apiserver.crt",
            f"--tls-private-key-file={keys}/apiserver.key",
            f"--token-auth-file={self.paths.tokens}",
            f"--service-account-key-file={keys}/sa.pub",
            f"--service-account-signing-key-file={keys}/sa.key",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--authorization-mode={authorization}",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
        )
        shell.wait_for(
            lambda: server.poll() is not None or self._is_ready(), _READING, "the API server is ready"
        )
        if server.poll() is not None:
            said = self._locate_log("kube-apiserver").read_text(errors="replace").splitlines()[-1:]
            raise LabError(
                f"it ended with {server.returncode} before it was ready: {''.join(said)}", "kube-apiserver"
            )

    def write_kubeconfig(self, user: pki.User = pki.ADMIN, url: str | None = None) -> Path:
        """Write a kubeconfig for one of the lab's users, and return its path. url: another address of the
        server.
        """
        path = self.paths.state / f"{user.name}{'-other' if url else ''}.conf"
        pki.write_private(path, pki.format_kubeconfig(self.paths, user, url or self.server.url))
        return path

    def read_token(self, user: pki.User = pki.ADMIN) -> str:
        """Return the user's bearer token."""
        return pki.read_token(self.paths, user)

    def ask(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> Json:
        """Send one request as administrator, and return the answer."""
        return api.request(self.server, method, path, body, content_type, token=self.read_token())

    def spawn(self, *argv: str) -> subprocess.Popen[bytes]:
        """Start another program, which ends with the others. Its log is beside the keys."""
        log = self._stack.enter_context(self._locate_log(Path(argv[0]).name).open("wb"))
        command = ["setpriv", "--pdeathsig", "KILL", *self._under, *argv]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pids.append(process.pid)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def _locate_log(self, program: str) -> Path:
        return self.paths.state / f"{program}.log"

    def _ask_etcd(self, what: str, body: Json) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._etcd, timeout=120)
        try:
            connection.request("POST", f"/v3/kv/{what}", json.dumps(body))
            answer = connection.getresponse()
            said = answer.read()
        except OSError as error:
            raise LabError(f"cannot be reached: {error}", "etcd") from error
        finally:
            connection.close()
        if answer.status >= 400:
            raise LabError(said.decode(errors="replace")[:200], "etcd")

    def _is_etcd_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self._etcd, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def _is_ready(self) -> bool:
        try:
            return api.request(self.server, "GET", "/readyz", token=self.read_token()).get("message") == "ok"
        except LabError:
            return False


def _remove_leftovers() -> None:
    """Remove the files of killed processes."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            shutil.rmtree(left, ignore_errors=True)


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _find_free_ports(count: int) -> Iterator[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return iter([one.getsockname()[1] for one in sockets])
