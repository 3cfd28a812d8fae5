"""As whom a request goes out: tokens, token files, basic auth, and credential plugins.

Plugins: KEP-541 and https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins.
A plugin never gets a terminal here: what needs one is said and refused, so that nothing waits for input that nobody gives.
"""

from __future__ import annotations

import base64
import json
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from unstuck.collect.kube.kubeconfig import Access, Exec
from unstuck.collect.objects import doc
from unstuck.errors import AccessError
from unstuck.facts.record import Record, record

PLUGIN_SECONDS = 30.0
_EARLY = timedelta(seconds=10)


@record()
class Credential(Record):
    """What a plugin gave. until: when it runs out, None where it did not say."""

    token: str = ""
    cert: str | None = None
    key: str | None = None
    until: datetime | None = None


class Credentials:
    """The headers and the client certificate for one Access; a plugin runs at most once until its credential runs out or is refused."""

    def __init__(self, access: Access, seconds: float = PLUGIN_SECONDS) -> None:
        self._access = access
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
        """The client certificate and its key as PEM. Errors: AccessError from a plugin."""
        if self._access.cert and self._access.key:
            return self._access.cert, self._access.key
        given = self._plugin()
        return (given.cert, given.key) if given and given.cert and given.key else None

    def headers(self) -> dict[str, str]:
        """The Authorization header, {} for certificates and anonymous. Errors: AccessError from a plugin or an unreadable token file."""
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
    except (OSError, UnicodeDecodeError) as e:
        raise AccessError(f"token file {path} cannot be read: {getattr(e, 'strerror', None) or e}") from e


def run_plugin(plugin: Exec, access: Access, seconds: float) -> Credential:
    """Run a credential plugin. Errors: AccessError that names the plugin and says why it gave nothing."""
    import subprocess  # noqa: PLC0415 - most contexts have no plugin

    name = plugin.command
    if plugin.interactive:
        raise AccessError(f"credential plugin {name} wants a terminal (interactiveMode Always)", "use a context with a token instead")
    spec: dict[str, object] = {"interactive": False}
    if plugin.cluster_info:
        ca = base64.b64encode((access.ca or "").encode()).decode()
        cluster = {"server": access.server, "certificate-authority-data": ca, "tls-server-name": access.tls_name or ""}
        spec["cluster"] = {**{k: v for k, v in cluster.items() if v}, "insecure-skip-tls-verify": access.insecure}
    info = {"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec}
    env = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        # Its own session, so that a plugin which asks for a password cannot take the terminal behind our back.
        done = subprocess.run(
            [plugin.command, *plugin.args],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as e:
        raise AccessError(f"credential plugin {name} gave nothing within {seconds:g} s", "run it by hand to see what it waits for") from e
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or e
        raise AccessError(f"credential plugin {name} does not run: {reason}", plugin.hint or "install it or use another context") from e
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        last = f": {said[-1][:200]}" if said else ""
        raise AccessError(f"credential plugin {name} failed with {done.returncode}{last}", "log in again with it")
    return _credential(name, done.stdout)


def _credential(name: str, out: bytes) -> Credential:
    try:
        status = doc.section(json.loads(out), "status")
    except (ValueError, RecursionError) as e:
        raise AccessError(f"credential plugin {name} did not print an ExecCredential") from e
    given = Credential(
        token=doc.text(status, "token"),
        cert=doc.text(status, "clientCertificateData") or None,
        key=doc.text(status, "clientKeyData") or None,
        until=doc.time(status, "expirationTimestamp"),
    )
    if not given.token and not (given.cert and given.key):
        raise AccessError(f"credential plugin {name} printed neither a token nor a certificate with its key", "log in again with it")
    return given
