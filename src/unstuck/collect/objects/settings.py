"""The settings of a Pod's spec that must meet something else (core/v1 of Kubernetes 1.34). Values of
variables stay behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from unstuck.collect.objects import doc
from unstuck.collect.objects.addresses import find_addresses
from unstuck.collect.objects.containers import rows_with_kind
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.shapes import find_shapes
from unstuck.collect.objects.value_paths import find_paths_in, name_arguments
from unstuck.facts.aspects.settings import (
    AccountToken,
    ContainerSettings,
    HostAlias,
    PodSettings,
    PrefixedSource,
    SubPathMount,
    TokenVolume,
    VariableSource,
    VolumeFile,
    VolumeMode,
)
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_MOST = 20
# Volumes whose files are keys, and their mode where nothing else is given (core/v1 SecretVolumeSource and its
# like).
_OF_KEYS, _MODE = ("secret", "configMap", "projected"), 0o644
# third_party/forked/golang/expansion: `$$(NAME)` is an escaped reference.
_USED = regex(r"(?P<escape>\$?)\$\((?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,100})\)")
# A word that only a shell would expand; `$$` and `$(NAME)` are others.
_LITERAL = regex(r"(?<![\\$\w])\$(?:\{(?P<name>[A-Za-z_]\w{0,60})\}|(?P<name_2>[A-Za-z_]\w{0,60}))")
_SHELLS = regex(r"(?:.*/)?(?:ba|da|a|k|z|)sh|.*entrypoint.*|(?:.*/)?(?:env|envsubst)")
_SOURCES = (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret"))


def read_settings(seen: SeenObject, spec: doc.Doc) -> PodSettings:
    """Return the settings of a Pod's spec."""
    items = tuple(_read_container(row, spec, seen.ref.within) for row, _ in rows_with_kind(spec))
    os, token = doc.text(spec, "os", "name"), doc.maybe_flag(spec, "automountServiceAccountToken")
    links = doc.maybe_flag(spec, "enableServiceLinks")
    told = [
        f"spec.os.name {os}" if os else "",
        f"automountServiceAccountToken {token}".lower() if token is not None else "",
    ]
    return PodSettings(
        about=seen.ref,
        src=seen.src(", ".join(w for w in told if w)),
        items=items,
        os=os,
        subdomain=doc.text(spec, "subdomain"),
        links=links is not False,
        token=token,
        account=doc.text(spec, "serviceAccountName"),
        tokens=tuple(islice(_read_tokens(spec), _MOST)),
        dns_policy=doc.text(spec, "dnsPolicy"),
        modes=tuple(islice(_read_modes(spec), _MOST)),
        files=tuple(islice(_read_files(spec), _MOST)),
        aliases=tuple(islice(_read_aliases(spec), _MOST)),
        shared=doc.flag(spec, "shareProcessNamespace"),
        whole=seen.observed,
    )


def read_account_token(seen: SeenObject) -> AccountToken:
    """Return a ServiceAccount's setting for mounting its token."""
    mounts = doc.maybe_flag(seen.obj, "automountServiceAccountToken")
    quote = "" if mounts is None else f"automountServiceAccountToken {mounts}".lower()
    return AccountToken(about=seen.ref, src=seen.src(quote), mounts=mounts, whole=seen.observed)


def _read_container(row: doc.Doc, spec: doc.Doc, namespace: str | None) -> ContainerSettings:
    capabilities = doc.section(row, "securityContext", "capabilities")
    values = [(doc.text(e, "name"), v) for e in doc.rows(row, "env") if (v := doc.text(e, "value"))]
    mounts = [m for m in doc.rows(row, "volumeMounts") if doc.text(m, "subPath")]
    line = (*doc.strings(row, "command"), *doc.strings(row, "args"))
    return ContainerSettings(
        name=doc.text(row, "name"),
        dropped=_strip(doc.strings(capabilities, "drop")),
        added=_strip(doc.strings(capabilities, "add")),
        privileged=doc.flag(row, "securityContext", "privileged"),
        devices=tuple(doc.text(d, "name") for d in doc.rows(row, "volumeDevices")),
        unset=tuple(dict.fromkeys(_list_unset(row)))[:_MOST],
        whole_env=bool(doc.rows(row, "envFrom")),
        variables=tuple(islice(_read_variables(row, namespace), _MOST)),
        sub_paths=tuple(
            SubPathMount(doc.text(m, "mountPath"), doc.text(m, "name"), doc.text(m, "subPath"))
            for m in mounts
        ),
        values=find_shapes(values)[:_MOST],
        addresses=find_addresses(values)[:_MOST],
        paths=find_paths_in((*values, *name_arguments(line)))[:_MOST],
        literal=tuple(dict.fromkeys(_list_literal(line, values)))[:_MOST],
        prefixed=tuple(islice(_read_prefixed(row, namespace), _MOST)),
        seccomp=_read_profile(row) or _read_profile(spec),
    )


def _read_profile(part: doc.Doc) -> str:
    """Return the file of a seccomp profile of type Localhost; "" for others."""
    return doc.text(part, "securityContext", "seccompProfile", "localhostProfile")


def _strip(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.upper().removeprefix("CAP_") for name in names)


def _list_unset(row: doc.Doc) -> Iterator[str]:
    rows = doc.rows(row, "env")
    texts = (*doc.strings(row, "command"), *doc.strings(row, "args"), *(doc.text(e, "value") for e in rows))
    if used := [m for text in texts if "$(" in text for m in _USED.finditer(text)]:
        known = {doc.text(e, "name") for e in rows}
        yield from (m["name"] for m in used if not m["escape"] and m["name"] not in known)


def _list_literal(line: tuple[str, ...], values: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the names behind a `$` where the kubelet starts the program itself, without a shell."""
    if line and _SHELLS.fullmatch(line[0]):
        line = ()
    for text in (*line, *(value for _, value in values)):
        if "$" in text:
            yield from (m["name"] or m["name_2"] for m in _LITERAL.finditer(text))


def _read_prefixed(row: doc.Doc, namespace: str | None) -> Iterator[PrefixedSource]:
    for source in doc.rows(row, "envFrom"):
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            prefix, name = doc.text(source, "prefix"), doc.text(source, field, "name")
            if prefix and name:
                yield PrefixedSource(Ref(kind, namespace, name), prefix)


def _read_aliases(spec: doc.Doc) -> Iterator[HostAlias]:
    for row in doc.rows(spec, "hostAliases"):
        if address := doc.text(row, "ip"):
            yield HostAlias(address, doc.strings(row, "hostnames"))


def _read_variables(row: doc.Doc, namespace: str | None) -> Iterator[VariableSource]:
    for env in doc.rows(row, "env"):
        # Most have a value.
        given = doc.section(env, "valueFrom")
        for field, kind in _SOURCES if given else ():
            source = doc.section(given, field)
            if name := doc.text(source, "name"):
                yield VariableSource(
                    doc.text(env, "name"), Ref(kind, namespace, name), doc.text(source, "key")
                )


def _read_modes(spec: doc.Doc) -> Iterator[VolumeMode]:
    for row in doc.rows(spec, "volumes"):
        for field in _OF_KEYS:
            if field in row:
                source, name = doc.section(row, field), doc.text(row, "name")
                mode = doc.whole_number(source, "defaultMode")
                yield VolumeMode(name, _MODE if mode is None else mode)
                items = (i for part in (source, *_list_parts(source)) for i in doc.rows(part, "items"))
                yield from (
                    VolumeMode(name, own, doc.text(i, "path"))
                    for i in items
                    if (own := doc.whole_number(i, "mode")) is not None
                )


def _read_files(spec: doc.Doc) -> Iterator[VolumeFile]:
    for row in doc.rows(spec, "volumes"):
        for field in ("secret", "configMap"):
            for item in doc.rows(row, field, "items"):
                yield VolumeFile(doc.text(row, "name"), doc.text(item, "key"), doc.text(item, "path"))


def _list_parts(source: doc.Doc) -> list[doc.Doc]:
    return [
        doc.section(part, field) for part in doc.rows(source, "sources") for field in ("secret", "configMap")
    ]


def _read_tokens(spec: doc.Doc) -> Iterator[TokenVolume]:
    for row in doc.rows(spec, "volumes"):
        for part in doc.rows(row, "projected", "sources"):
            if "serviceAccountToken" in part:
                token = doc.section(part, "serviceAccountToken")
                yield TokenVolume(doc.text(row, "name"), doc.text(token, "path"), doc.text(token, "audience"))
