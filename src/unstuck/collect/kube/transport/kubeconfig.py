"""Reads kubeconfig files: how to reach a cluster, and as which user.

Rules: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ (merging: the
first file that defines a named entry or `current-context` wins; relative paths belong to the file that holds
them).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from unstuck.collect.kube.transport.address import format_address
from unstuck.collect.kube.transport.compression import Compress
from unstuck.collect.kube.transport.overrides import NOTHING, Overrides
from unstuck.collect.kube.transport.suggest import suggest_names
from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.errors import AccessError, InputError, NotFound, UsageError
from unstuck.facts.record import Record, record
from unstuck.facts.text import NO_TEXT, Messages, Text, same_in_both

say = Messages(__name__)

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@record()
class Exec(Record):
    """A credential plugin. interactive: whether it says that it cannot do without a terminal. shown: its
    hint for installing it.
    """

    version: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    interactive: bool = False
    cluster_info: bool = False
    hint: str = ""

    def __repr__(self) -> str:
        # Its arguments and environment may hold passwords.
        return f"Exec({self.command!r})"


@record()
class Access(Record):
    """The access to one cluster. Certificates and keys are PEM; `cert_from` is the source of the client
    certificate.
    """

    context: str
    server: str
    namespace: str = "default"
    user: str = ""
    ca: str | None = None
    insecure: bool = False
    tls_name: str | None = None
    proxy: str | None = None
    cert: str | None = None
    key: str | None = None
    cert_from: str = ""
    token: str | None = None
    token_file: str | None = None
    basic: tuple[str, str] | None = None
    plugin: Exec | None = None
    headers: tuple[tuple[str, str], ...] = ()
    compress: Compress = "auto"

    def __repr__(self) -> str:
        return f"Access({self.context!r}, {format_address(self.server)!r})"


@record()
class _Entry(Record):
    """A named entry and the directory of the file that it is from."""

    body: doc.Doc
    base: Path


@record()
class Config(Record):
    """Several files as one. where: the files, for messages."""

    contexts: Mapping[str, _Entry]
    clusters: Mapping[str, _Entry]
    users: Mapping[str, _Entry]
    current: str
    where: str


def find_access(
    context: str | None,
    kubeconfig: str | None,
    namespace: str | None,
    env: Mapping[str, str] | None = None,
    given: Overrides = NOTHING,
) -> Access:
    """Return the access to the chosen cluster.

    context, kubeconfig, namespace: as given on the command line, else None. env: the environment, os.environ
    by default. given: the command line's overrides; with a server it works without a kubeconfig. Errors:
    AccessError (nothing configured, invalid credentials), NotFound (context, cluster, user), InputError
    (file), UsageError (groups without a user).
    """
    env = os.environ if env is None else env
    paths = _list_paths(kubeconfig, env)
    found = [p for p in paths if p.is_file()]
    alone = (
        Access(context="--server", server=given.server, namespace=namespace or "default")
        if given.server
        else None
    )
    if not found:
        if alone and not kubeconfig and context is None:
            return _overridden(alone, given)
        if not kubeconfig and context is None and env.get("KUBERNETES_SERVICE_HOST"):
            return _overridden(read_service_account(namespace, env), given)
        there = [str(p) for p in paths if p.exists()]
        named = ", ".join(there or map(str, paths))
        said = say("no kubeconfig: {named} does not exist", named=named)
        if there:
            said = say("no kubeconfig: {named} is no file", named=named)
        elif len(paths) > 1:
            said = say("no kubeconfig: {named} do not exist", named=named)
        hint = say("set KUBECONFIG or --kubeconfig, or read a saved output with: unstuck read FILE")
        raise AccessError(said, hint)
    config = merge(_read(p) for p in found)
    name = context or config.current
    if not name and alone and not given.user:
        return _overridden(alone, given)
    if not name and not given.cluster:
        known = _list_names(config.contexts)
        raise AccessError(
            say("{where} sets no current-context", where=config.where),
            say("choose one with --context: {known}", known=known),
        )
    return _overridden(_access(config, name, namespace, given), given)


def list_names(
    kubeconfig: str | None,
    what: Literal["contexts", "clusters", "users"],
    env: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Return the names of all contexts, clusters or users. Errors: InputError, AccessError."""
    config = merge(
        _read(path) for path in _list_paths(kubeconfig, os.environ if env is None else env) if path.is_file()
    )
    return tuple({"contexts": config.contexts, "clusters": config.clusters, "users": config.users}[what])


def read_service_account(
    namespace: str | None, env: Mapping[str, str], root: Path = SERVICE_ACCOUNT
) -> Access:
    """Return the service account of the Pod that this runs in. Errors: AccessError outside of a Pod."""
    host, port = env.get("KUBERNETES_SERVICE_HOST"), env.get("KUBERNETES_SERVICE_PORT", "443")
    token, ca, own = root / "token", root / "ca.crt", root / "namespace"
    if not host or not token.is_file():
        hint = say("let the Pod mount one (automountServiceAccountToken), or set KUBECONFIG")
        said = say("no kubeconfig, and this Pod has no service account token at {token}", token=token)
        raise AccessError(said, hint)
    within = namespace or (_text(own).strip() if own.is_file() else "default")
    bracketed = f"[{host}]" if ":" in host else host
    return Access(
        context="in-cluster",
        server=f"https://{bracketed}:{port}",
        namespace=within,
        user="the Pod's service account",
        ca=_text(ca) if ca.is_file() else None,
        token_file=str(token),
    )


def merge(files: Iterable[tuple[Path, doc.Doc]]) -> Config:
    """Return files in order of precedence, each with its decoded content."""
    kept: dict[str, dict[str, _Entry]] = {"contexts": {}, "clusters": {}, "users": {}}
    current, where = "", []
    for path, content in files:
        where.append(str(path))
        current = current or doc.text(content, "current-context")
        for field, into in kept.items():
            for row in doc.rows(content, field):
                entry = _Entry(doc.section(row, field[:-1]), path.parent)
                into.setdefault(doc.scalar(row, "name"), entry)
    return Config(kept["contexts"], kept["clusters"], kept["users"], current, ", ".join(where))


def _list_paths(kubeconfig: str | None, env: Mapping[str, str]) -> list[Path]:
    if kubeconfig:
        return [Path(kubeconfig).expanduser()]
    if listed := [p for p in env.get("KUBECONFIG", "").split(os.pathsep) if p]:
        return [Path(p).expanduser() for p in dict.fromkeys(listed)]
    return [Path(env.get("HOME") or Path.home()) / ".kube" / "config"]


def _read(path: Path) -> tuple[Path, doc.Doc]:
    content = load_yaml(_text(path), str(path))
    if content is None:
        return path, {}
    if not isinstance(content, Mapping):
        raise InputError(say("{path} is no kubeconfig: it holds no mapping", path=path))
    return path, content


def load_yaml(text: str, where: str) -> Any:
    """Return one YAML or JSON document. Errors: InputError with the place of the error."""
    if text.lstrip().startswith("{"):
        # JSON is YAML; its parser costs nothing, where importing the other one takes a tenth of an answer's
        # time.
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    import yaml  # inside a Pod there is nothing to read

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader, in C if there is one
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        # The parser's own message may quote the content: a token, a password.
        mark = getattr(e, "problem_mark", None) or getattr(e, "context_mark", None)
        at = say(" at line {line}", line=mark.line + 1) if mark else NO_TEXT
        raise InputError(say("{where} is not valid YAML{at}", where=where, at=at)) from e


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as e:  # bytes that are no UTF-8; a NUL in the path
        why = getattr(e, "strerror", None) or e
        raise AccessError(say("{path} cannot be read: {why}", path=path, why=why)) from e


def _access(config: Config, name: str, namespace: str | None, given: Overrides) -> Access:
    context = _entry(config.contexts, "context", name, config.where) if name else _Entry({}, Path())
    cluster_name, user_name = (
        given.cluster or doc.scalar(context.body, "cluster"),
        given.user or doc.scalar(context.body, "user"),
    )
    cluster = _Entry({}, context.base)
    if cluster_name or not given.server:
        cluster = _entry(
            config.clusters, "cluster", cluster_name, config.where, "" if given.cluster else name
        )
    user = _Entry({}, context.base)
    if user_name:
        user = _entry(config.users, "user", user_name, config.where, "" if given.user else name)
    server = doc.text(cluster.body, "server")
    if not server and not given.server:
        raise AccessError(
            say(
                "cluster {cluster_name!r} in {where} has no server",
                cluster_name=cluster_name,
                where=config.where,
            )
        )
    cert, cert_from = _pem(user, "client-certificate")
    key, _ = _pem(user, "client-key")
    ca, _ = _pem(cluster, "certificate-authority")
    return Access(
        context=name or cluster_name or "--server",
        server=server,
        namespace=namespace or doc.scalar(context.body, "namespace") or "default",
        user=user_name,
        ca=ca,
        insecure=doc.flag(cluster.body, "insecure-skip-tls-verify"),
        tls_name=doc.text(cluster.body, "tls-server-name") or None,
        proxy=doc.text(cluster.body, "proxy-url") or None,
        cert=cert,
        key=key,
        cert_from=cert_from,
        token=doc.text(user.body, "token").strip() or _provider_token(user) or None,
        token_file=str(user.base / doc.text(user.body, "tokenFile"))
        if doc.text(user.body, "tokenFile")
        else None,
        basic=(doc.scalar(user.body, "username"), doc.scalar(user.body, "password"))
        if doc.scalar(user.body, "username")
        else None,
        plugin=_plugin(user),
        headers=_list_impersonation(user.body),
        compress="never" if doc.flag(cluster.body, "disable-compression") else "auto",
    )


def _overridden(access: Access, given: Overrides) -> Access:
    """Return the same way with the values of the command line instead. Errors: UsageError."""
    if given.as_groups and not given.as_user:
        raise UsageError(say("--as-group needs --as: with no user no group is impersonated"))
    if given.server:
        # The name in the certificate is the other server's.
        access = replace(access, server=given.server, tls_name=None)
    if given.insecure:
        access = replace(access, insecure=True, ca=None)
    if given.token:
        access = replace(
            access,
            user="--token",
            token=given.token,
            token_file=None,
            basic=None,
            plugin=None,
            cert=None,
            key=None,
        )
    if given.as_user:
        groups = tuple(("Impersonate-Group", group) for group in given.as_groups)
        access = replace(access, headers=(("Impersonate-User", given.as_user), *groups))
    if given.compress != "auto":
        access = replace(access, compress=given.compress)
    return access


def _entry(entries: Mapping[str, _Entry], what: str, name: str, where: str, context: str = "") -> _Entry:
    if name in entries:
        return entries[name]
    there = _list_names(entries)
    kind = {"context": say("context"), "cluster": say("cluster"), "user": say("user")}[what]
    said = say("no {kind} {name!r} in {where}", kind=kind, name=name, where=where)
    if context:
        said = say(
            "context {context!r} names the {kind} {name!r}, which {where} does not have",
            context=context,
            kind=kind,
            name=name,
            where=where,
        )
    raise NotFound(said, suggest_names(name, entries) or say("there is: {there}", there=there))


def _list_names(entries: Iterable[str]) -> Text:
    names = ", ".join(sorted(entries))
    return same_in_both(names) if names else say("none")


def _pem(entry: _Entry, field: str) -> tuple[str | None, str]:
    """Return `FIELD-data` (base64) before `FIELD` (a path), and its source."""
    if data := doc.text(entry.body, f"{field}-data"):
        try:
            return base64.b64decode(data, validate=False).decode(), f"{field}-data"
        except (binascii.Error, UnicodeDecodeError) as e:
            said = say("{field}-data in the kubeconfig is no base64 of a PEM file: {why}", field=field, why=e)
            raise AccessError(said) from e
    if path := doc.text(entry.body, field):
        full = entry.base / os.path.expanduser(path)  # noqa: PTH111 - unlike Path's it leaves an unknown user's home as it is
        return _text(full), str(full)
    return None, ""


def _provider_token(user: _Entry) -> str:
    """Return the token that the old `auth-provider` (oidc, gcp, azure) left in the file; renewing it is
    not done here.
    """
    config = doc.section(user.body, "auth-provider", "config")
    return doc.text(config, "id-token") or doc.text(config, "access-token")


def _plugin(user: _Entry) -> Exec | None:
    body = doc.section(user.body, "exec")
    command = doc.text(body, "command")
    if not command:
        return None
    if os.sep in command and not command.startswith(os.sep):
        command = str(user.base / command)
    env = tuple(
        (doc.text(r, "name"), doc.scalar(r, "value")) for r in doc.rows(body, "env") if doc.text(r, "name")
    )
    return Exec(
        version=doc.text(body, "apiVersion") or "client.authentication.k8s.io/v1",
        command=command,
        args=tuple(doc.strings(body, "args")),
        env=env,
        interactive=doc.text(body, "interactiveMode") == "Always",
        cluster_info=doc.flag(body, "provideClusterInfo"),
        hint=mask(" ".join(doc.text(body, "installHint").split()))[:200],
    )


def _list_impersonation(user: doc.Doc) -> tuple[tuple[str, str], ...]:
    """Return `as`, `as-uid`, `as-groups` and `as-user-extra` as the headers that kubectl sends."""
    out = [("Impersonate-User", doc.text(user, "as"))] if doc.text(user, "as") else []
    out += [("Impersonate-Uid", doc.text(user, "as-uid"))] if doc.text(user, "as-uid") else []
    out += [("Impersonate-Group", g) for g in doc.strings(user, "as-groups")]
    extra = doc.section(user, "as-user-extra")
    out += [(f"Impersonate-Extra-{k}", v) for k in extra if isinstance(k, str) for v in doc.strings(extra, k)]
    return tuple(out)
