"""`spec.initContainers`, `.containers` and `.ephemeralContainers`. Environment values and command lines are
not kept: argv[0] only.

If a whole command line was written as its first word, a secret in it is masked.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.heap import heap_of
from unstuck.facts.aspects.pod import ContainerKind, Containers, ContainerSpec, Handler
from unstuck.facts.regex import regex

_LISTS: tuple[tuple[str, ContainerKind], ...] = (
    ("initContainers", "init"),
    ("containers", "main"),
    ("ephemeralContainers", "ephemeral"),
)

_MOST_GROUPS = 64
_FILE = regex(r"(?<![\w./:@%$}*-])(?P<path>/[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)+)")
# Programs and devices: no file that a probe waits for.
_OF_ALL = ("/bin/", "/usr/", "/dev/", "/sbin/", "/opt/bin/")
_MOST_PATHS = 3


def rows_with_kind(spec: doc.Doc) -> list[tuple[doc.Doc, ContainerKind]]:
    """Return every container of a Pod's spec; an init container that restarts always is a sidecar
    (KEP-753).
    """
    out: list[tuple[doc.Doc, ContainerKind]] = []
    for field, kind in _LISTS:
        for row in doc.rows(spec, field):
            sidecar = kind == "init" and doc.text(row, "restartPolicy") == "Always"
            out.append((row, "sidecar" if sidecar else kind))
    return out


def read_containers(seen: SeenObject, spec: doc.Doc) -> Containers:
    """Return the specs of all containers."""
    user = doc.whole_number(spec, "securityContext", "runAsUser")
    items = tuple(_read_container(row, kind, user) for row, kind in rows_with_kind(spec))
    grace = doc.whole_number(spec, "terminationGracePeriodSeconds")
    return Containers(
        about=seen.ref,
        src=seen.src(f"containers {', '.join(c.name for c in items)}"),
        items=items,
        restart=doc.text(spec, "restartPolicy") or "Always",
        grace=30 if grace is None else grace,
        host_network=doc.flag(spec, "hostNetwork"),
        gates=tuple(doc.text(g, "conditionType") for g in doc.rows(spec, "readinessGates")),
        fs_group=doc.whole_number(spec, "securityContext", "fsGroup"),
        host_pid=doc.flag(spec, "hostPID"),
        groups=_read_groups(spec),
    )


def _read_groups(spec: doc.Doc) -> tuple[int, ...]:
    found = doc.at(spec, "securityContext", "supplementalGroups")
    rows = found[:_MOST_GROUPS] if isinstance(found, list) else ()
    return tuple(n for n in rows if isinstance(n, int) and not isinstance(n, bool))


def _read_container(row: doc.Doc, kind: ContainerKind, user: int | None) -> ContainerSpec:
    """Return the spec of one container. user: the Pod's, which its own overrides."""
    command, own = doc.strings(row, "command"), doc.whole_number(row, "securityContext", "runAsUser")
    ports = [
        (doc.text(p, "name"), n)
        for p in doc.rows(row, "ports")
        if (n := doc.whole_number(p, "containerPort")) is not None
    ]
    return ContainerSpec(
        name=doc.text(row, "name"),
        kind=kind,
        image=doc.text(row, "image"),
        requests=doc.pairs(row, "resources", "requests"),
        limits=doc.pairs(row, "resources", "limits"),
        command=mask(command[0]) if command else None,
        ports=tuple(ports),
        pre_stop=_read_handler(doc.section(row, "lifecycle", "preStop")),
        post_start=_read_handler(doc.section(row, "lifecycle", "postStart")),
        liveness=_read_handler(doc.section(row, "livenessProbe")),
        readiness=_read_handler(doc.section(row, "readinessProbe")),
        startup=_read_handler(doc.section(row, "startupProbe")),
        pull_policy=doc.text(row, "imagePullPolicy"),
        env=tuple(name for e in doc.rows(row, "env") if (name := doc.text(e, "name"))),
        mounts=tuple(
            (at, doc.text(m, "name"))
            for m in doc.rows(row, "volumeMounts")
            if (at := doc.text(m, "mountPath"))
        ),
        read_only=tuple(_read_only_paths(row)),
        user=user if own is None else own,
        heap=heap_of(row),
    )


def _read_only_paths(row: doc.Doc) -> Iterator[str]:
    if doc.flag(row, "securityContext", "readOnlyRootFilesystem"):
        yield "/"
    yield from (
        at
        for m in doc.rows(row, "volumeMounts")
        if doc.flag(m, "readOnly") and (at := doc.text(m, "mountPath"))
    )


def _read_handler(row: doc.Doc) -> Handler | None:
    """Return a probe or a hook, with defaults as the API documents them (probes: period 10, timeout 1,
    failures 3).
    """
    how, what, port = _read_action(row)
    if not how:
        return None

    def number(field: str, default: int) -> int:
        value = doc.whole_number(row, field)
        return default if value is None else value

    return Handler(
        how=how,
        what=what,
        port=port,
        period=number("periodSeconds", 10),
        timeout=number("timeoutSeconds", 1),
        failures=number("failureThreshold", 3),
        delay=number("initialDelaySeconds", 0),
        host=doc.text(row, "httpGet", "host") or doc.text(row, "tcpSocket", "host"),
        scheme=(doc.text(row, "httpGet", "scheme") or "HTTP").upper() if how == "http" else "",
        paths=_find_paths(doc.strings(row, "exec", "command")[1:]),
    )


def _find_paths(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that a command's arguments name, without whatever else they hold."""
    found = [m["path"].rstrip(".,") for one in arguments for m in _FILE.finditer(mask(one))]
    return tuple(dict.fromkeys(p for p in found if not p.startswith(_OF_ALL)))[:_MOST_PATHS]


def _read_action(row: doc.Doc) -> tuple[str, str, str]:
    if "exec" in row:
        argv = doc.strings(row, "exec", "command")
        return "exec", mask(argv[0]) if argv else "", ""
    if "httpGet" in row:
        return "http", doc.text(row, "httpGet", "path"), doc.scalar(row, "httpGet", "port")
    if "tcpSocket" in row:
        return "tcp", "", doc.scalar(row, "tcpSocket", "port")
    if "grpc" in row:
        return "grpc", doc.text(row, "grpc", "service"), doc.scalar(row, "grpc", "port")
    if "sleep" in row:
        return "sleep", doc.scalar(row, "sleep", "seconds"), ""
    return "", "", ""
