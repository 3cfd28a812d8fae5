"""The credentials of requests: tokens, token files, basic auth, and credential plugins.

Plugins: KEP-541 and
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins. A plugin
never gets a terminal here: a plugin that needs one is refused with a message, so that nothing waits for input
that never comes.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from unstuck.collect.kube.transport.address import is_loopback, parse_server
from unstuck.collect.kube.transport.kubeconfig import Access, Exec
from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.errors import AccessError
from unstuck.facts.record import Record, record
from unstuck.facts.text import NO_TEXT, Messages, same_in_both

say = Messages(__name__)

PLUGIN_SECONDS = 30.0
_EARLY = timedelta(seconds=10)
# Seconds that a plugin has for its cleanup once the program exits.
_LAST_WORDS = 0.2
# The sessions of the plugins that run, by their first process.
_running: set[int] = set()


@record()
class Credential(Record):
    """A plugin's output. until: its expiry, None if it did not say."""

    token: str = ""
    cert: str | None = None
    key: str | None = None
    until: datetime | None = None

    def __repr__(self) -> str:
        return f"Credential(until={self.until!r})"


def sendable(access: Access) -> Access:
    """Return the same access to the cluster with only the credentials that may be sent over it.

    Over TLS all; in the clear none, and no plugin is run, as with kubectl. Except on loopback, where no one
    listens in: there a token or basic auth of the kubeconfig is sent, unless a proxy would carry it away.
    """
    url = parse_server(access.server)
    if url.scheme == "https":
        return access
    if access.proxy is None and is_loopback(url.hostname or ""):
        return replace(access, plugin=None, cert=None, key=None)
    return replace(access, token=None, token_file=None, basic=None, plugin=None, cert=None, key=None)


class Credentials:
    """The headers and the client certificate for one Access; a plugin runs at most once until its credential
    runs out or is refused.

    withheld: there are credentials that may not be sent over this connection.
    """

    def __init__(self, access: Access, seconds: float = PLUGIN_SECONDS) -> None:
        """Prepare the credentials. Errors: AccessError for a server that is no address."""
        self._access = sendable(access)
        self.withheld = self._access != access and not (
            self._access.token or self._access.token_file or self._access.basic
        )
        self._seconds = seconds
        self._given: Credential | None = None
        self._lock = threading.Lock()

    def forget(self) -> bool:
        """Drop a refused credential; True where asking again may give a better one."""
        with self._lock:
            had = self._given is not None
            self._given = None
        return had or self._access.token_file is not None

    def certificate(self) -> tuple[str, str] | None:
        """Return the client certificate and its key as PEM. Errors: AccessError from a plugin."""
        if self._access.cert and self._access.key:
            return self._access.cert, self._access.key
        given = self._plugin()
        return (given.cert, given.key) if given and given.cert and given.key else None

    def headers(self) -> dict[str, str]:
        """Return the Authorization header, {} for certificates and anonymous. Errors: AccessError from a
        plugin or an unreadable token file.
        """
        access = self._access
        token = access.token
        if access.token_file:
            # Read for every request: the kubelet replaces a projected token while this runs.
            token = _token_of(access.token_file)
        if not token and (given := self._plugin()):
            token = given.token
        if token:
            return {"Authorization": f"Bearer {token}"}
        if access.basic:
            pair = ":".join(access.basic).encode()
            return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
        return {}

    def _plugin(self) -> Credential | None:
        if self._access.plugin is None:
            return None
        with self._lock:
            given = self._given
            if given is None or (given.until and given.until <= datetime.now(UTC) + _EARLY):
                self._given = given = run_plugin(self._access.plugin, self._access, self._seconds)
            return given


def _token_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as e:  # bytes that are no UTF-8; a NUL in the path
        why = getattr(e, "strerror", None) or e
        raise AccessError(say("token file {path} cannot be read: {why}", path=path, why=why)) from e


def run_plugin(plugin: Exec, access: Access, seconds: float) -> Credential:
    """Run a credential plugin. Errors: AccessError that names the plugin and says why it gave nothing."""
    import subprocess  # most contexts have no plugin

    name = plugin.command
    if plugin.interactive:
        raise AccessError(
            say("credential plugin {name} wants a terminal (interactiveMode Always)", name=name),
            say("use a context with a token instead"),
        )
    spec: dict[str, object] = {"interactive": False}
    if plugin.cluster_info:
        ca = base64.b64encode((access.ca or "").encode()).decode()
        cluster = {
            "server": access.server,
            "certificate-authority-data": ca,
            "tls-server-name": access.tls_name or "",
        }
        spec["cluster"] = {
            **{k: v for k, v in cluster.items() if v},
            "insecure-skip-tls-verify": access.insecure,
        }
    info = {"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec}
    env = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        code, out, err = _run([plugin.command, *plugin.args], env, seconds)
    except subprocess.TimeoutExpired as e:
        raise AccessError(
            say("credential plugin {name} gave nothing within {seconds:g} s", name=name, seconds=seconds),
            say("run it by hand to see what it waits for"),
        ) from e
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or e
        hint = same_in_both(plugin.hint) if plugin.hint else say("install it or use another context")
        raise AccessError(
            say("credential plugin {name} does not run: {reason}", name=name, reason=reason), hint
        ) from e
    if code:
        said = err.decode(errors="replace").strip().splitlines()
        shown = mask(said[-1])[:200] if said else ""
        last = say(": {shown}", shown=shown) if said else NO_TEXT
        raise AccessError(
            say("credential plugin {name} failed with {code}", name=name, code=code) + last,
            say("log in again with it"),
        )
    return _credential(name, out)


def _run(argv: Sequence[str], env: Mapping[str, str], seconds: float) -> tuple[int, bytes, bytes]:
    """Return status and both streams. Errors: OSError, ValueError, subprocess.TimeoutExpired; then nothing
    of it runs any more.
    """
    import subprocess

    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    # Its own session, so that a plugin which asks for a password cannot take the terminal behind our back.
    with subprocess.Popen(
        argv, env=env, stdin=none, stdout=pipe, stderr=pipe, start_new_session=True
    ) as child:
        _running.add(child.pid)
        try:
            out, err = child.communicate(timeout=seconds)
        except BaseException:
            _signal(child.pid, signal.SIGKILL)
            raise
        finally:
            _running.discard(child.pid)
    return child.returncode, out, err


def end_plugins() -> None:
    """End the running plugins and their children: in a session of their own, no Ctrl-C of a terminal
    reaches them.
    """
    for group in tuple(_running):
        _signal(group, signal.SIGTERM)
    if _running:
        time.sleep(_LAST_WORDS)
    for group in tuple(_running):
        _signal(group, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _credential(name: str, out: bytes) -> Credential:
    try:
        status = doc.section(json.loads(out), "status")
    except (ValueError, RecursionError) as e:
        raise AccessError(say("credential plugin {name} did not print an ExecCredential", name=name)) from e
    given = Credential(
        token=doc.text(status, "token"),
        cert=doc.text(status, "clientCertificateData") or None,
        key=doc.text(status, "clientKeyData") or None,
        until=doc.time(status, "expirationTimestamp"),
    )
    if not given.token and not (given.cert and given.key):
        raise AccessError(
            say("credential plugin {name} printed neither a token nor a certificate with its key", name=name),
            say("log in again with it"),
        )
    return given
