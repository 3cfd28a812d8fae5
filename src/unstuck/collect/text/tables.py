"""`kubectl get` tables: a row is a summary in the server's words, never whole; a list is what the paste shows of it, never whole either.

Source: pkg/printers/internalversion/printers.go (1.5–1.34). Columns are found by the header's words; cells are parted by two blanks or
a tab, or by one where the paste lost them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from unstuck.collect.objects.kinds import Kind, typed
from unstuck.collect.text.ages import AGE
from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.cluster import ApiService, StorageClass
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Failure, Names, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Placement
from unstuck.facts.core import Fact, Ref, Source

_HEADER = re.compile(r"^(?:NAMESPACE\s+)?NAME(?:\s+[A-Z][A-Z0-9 ()/-]*)?\s*$")
# Titles of two words; every other title is one.
_TITLE = re.compile(r"NOMINATED NODE|READINESS GATES|LAST SEEN|FIRST SEEN|ACCESS MODES|RECLAIM POLICY|\S+")
_NAME = re.compile(r"^(?:(?P<kind>[a-z][a-z0-9.]{1,100})/)?(?P<name>[a-z0-9][a-z0-9.:-]{0,252})$")
_POD_ROW = re.compile(
    rf"^\s*(?:(?P<ns>[a-z0-9][a-z0-9-]{{0,62}})\s+)?(?:pods?/)?(?P<name>[a-z0-9][a-z0-9.-]{{2,252}})\s+(?P<ready>\d{{1,4}}/\d{{1,4}})\s+(?P<status>[A-Z][\w:/-]{{2,60}})\s+"
    rf"(?P<restarts>\d{{1,9}})(?:\s+\({AGE} ago\))?\s+{AGE}(?:\s|$)"
)
_PREFIXED = re.compile(r"(?:^|\s)[a-z][a-z0-9.]{1,100}/[a-z0-9][a-z0-9.:-]{0,252}\s")
_PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
_ENDED = frozenset({"Completed", "Error", "OOMKilled", "ContainerCannotRun", "StartError", "DeadlineExceeded"})
_WAITING = re.compile(
    r"^(?:Init:)?(?:CrashLoopBackOff|ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ImageInspectError|CreateContainerConfigError|"
    r"CreateContainerError|RunContainerError|ContainerCreating|PodInitializing)$"
)


def find(lines: Sequence[str], i: int, command: Command | None) -> int | None:
    """A header and the rows below it, to the first line that is none; or rows of Pods, which are known without a header."""
    if _POD_ROW.match(lines[i]):
        end = i + 1
        while end < len(lines) and _POD_ROW.match(lines[end]):
            end += 1
        return end
    header = lines[i].strip()
    named = i + 1 < len(lines) and _PREFIXED.search(lines[i + 1]) is not None
    if not _HEADER.match(header) or (_kind(header, command) is None and command is None and not named):
        return None
    titles = _TITLE.findall(header)
    end = i + 1
    for n in range(i + 1, len(lines)):
        cells = _cells(lines[n], titles)
        if cells is None:
            break
        end = n + 1
    return end


def read(piece: Piece) -> Reading:
    """Facts of each row by what the table lists; for every kind its names, as far as they were pasted."""
    header = piece.lines[0].strip()
    if _POD_ROW.match(header):
        return _headless(piece)
    told = _kind(header, piece.command)
    titles = _TITLE.findall(header)
    out, names = Reading(understood=told is not None), dict[tuple[Kind, str | None], list[str]]()
    for n in range(1, len(piece.lines)):
        cells = _cells(piece.lines[n], titles)
        found = _NAME.match(cells.get("NAME", "")) if cells else None
        # Several kinds at once, or `-o name`-like rows: `configmap/app-config`.
        kind = typed(found["kind"]) if found and found["kind"] else told
        if cells is None or found is None or kind is None:
            continue
        out.understood = True
        within = (cells.get("NAMESPACE") or piece.namespace) if kind.namespaced else None
        ref = Ref(kind.ref_kind, within, found["name"])
        names.setdefault((kind, within), []).append(found["name"])
        out.facts += _row(kind.name, ref, cells, piece.src(n))
    for (kind, within), listed in names.items():
        if within is not None or not kind.namespaced:
            src = piece.src(0, piece.command.text if piece.command else None)
            out.facts.append(Names(about=Ref(kind.ref_kind + "List", within), src=src, names=tuple(listed), whole=False))
    return out


def _headless(piece: Piece) -> Reading:
    out = Reading()
    for n, line in enumerate(piece.lines):
        found = _POD_ROW.match(line)
        if found:
            cells = {"READY": found["ready"], "STATUS": found["status"], "RESTARTS": found["restarts"]}
            ref = Ref("Pod", found["ns"] or piece.namespace, found["name"])
            out.facts += _row("Pod", ref, cells, piece.src(n))
    return out


def _kind(header: str, command: Command | None) -> Kind | None:
    """By the command, else by the columns."""
    if command is not None and command.program == "kubectl" and "get" in command.arguments:
        rest = command.arguments[command.arguments.index("get") + 1 :]
        found = typed(rest[0].partition("/")[0]) if rest else None
        if found is not None:
            return found
    titles = set(_TITLE.findall(header))
    for word, columns in (
        ("pods", {"READY", "STATUS", "RESTARTS"}),
        ("nodes", {"STATUS", "VERSION"}),
        ("pvc", {"STATUS", "VOLUME", "CAPACITY", "STORAGECLASS"}),
        ("apiservices", {"SERVICE", "AVAILABLE"}),
        ("storageclasses", {"PROVISIONER"}),
        ("deployments", {"READY", "UP-TO-DATE", "AVAILABLE"}),
    ):
        if columns <= titles:
            return typed(word)
    return typed("namespaces") if titles == {"NAME", "STATUS", "AGE"} and command is None else None


def _cells(line: str, titles: Sequence[str]) -> dict[str, str] | None:
    """Title → cell; None for a line that is no row of this table."""
    text = line.strip()
    if not text or not re.match(r"[a-z0-9]", text):
        return None
    # `3 (5m ago)`, `<none>` with blanks and `False (MissingEndpoints)` are one cell each.
    cells = re.split(r"\s{2,}|\t", text)
    if len(cells) < min(len(titles), 2) or (len(cells) < len(titles) - 2):
        cells = re.split(r"\s+(?![(]|ago\))", text)
    if len(cells) < min(2, len(titles)) or len(cells) > len(titles) + 2:
        return None
    return dict(zip(titles, cells, strict=False))


def _row(kind: str, ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    yield Presence(about=ref, src=src, exists=True, whole=False)
    if kind == "Pod":
        yield from _pod(ref, cells, src)
    elif kind == "Node":
        yield from _node(ref, cells, src)
    elif kind == "APIService":
        yield from _api_service(ref, cells, src)
    elif kind == "StorageClass":
        yield from _storage_class(ref, cells, src)
    elif cells.get("STATUS") == "Terminating":
        yield Deletion(about=ref, src=src, requested=True, whole=False)
    elif kind in ("PersistentVolumeClaim", "PersistentVolume", "Namespace") and cells.get("STATUS"):
        yield Phase(about=ref, src=src, phase=cells["STATUS"], whole=False)


def _pod(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    status, node = cells.get("STATUS", ""), cells.get("NODE", "")
    if status == "Terminating":
        yield Deletion(about=ref, src=src, requested=True, whole=False)
    elif status in _PHASES:
        yield Phase(about=ref, src=src, phase=status, whole=False)
    elif status == "Evicted":
        yield Phase(about=ref, src=src, phase="Failed", reason=status, whole=False)
    ready, _, of = cells.get("READY", "").partition("/")
    if status == "Running" and ready == of and of.isdecimal() and int(of[:4]) > 0:
        yield Conditions(about=ref, src=src, items=(Condition("Ready", "True"),), whole=False)
    if _WAITING.match(status) or status in _ENDED:
        state: Literal["waiting", "terminated"] = "terminated" if status in _ENDED else "waiting"
        restarts = re.match(r"\d{1,9}", cells.get("RESTARTS", ""))
        one = ContainerStatus(
            # The column does not say whose state it is.
            name="",
            kind="init" if status.startswith("Init:") else "main",
            state=state,
            reason=status.removeprefix("Init:"),
            restarts=int(restarts[0]) if restarts else 0,
        )
        yield ContainerStatuses(about=ref, src=src, items=(one,), whole=False)
    if node and node != "<none>" and not re.fullmatch(AGE, node) and _NAME.match(node):
        yield Placement(about=ref, src=src, node=Ref("Node", None, node), whole=False)


def _node(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    told = cells.get("STATUS", "").split(",")
    if "NotReady" in told:
        # The column does not tell False from Unknown.
        yield Failure(
            about=ref, src=src, operation="node-ready", error="not-ready", message=cells["STATUS"], reporter="kubectl", whole=False
        )
    elif "Ready" in told:
        yield Conditions(about=ref, src=src, items=(Condition("Ready", "True"),), whole=False)


def _api_service(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    told = re.match(r"(?P<is>True|False|Unknown)(?: \((?P<why>\w{1,100})\))?", cells.get("AVAILABLE", ""))
    within, slash, name = cells.get("SERVICE", "").partition("/")
    service = Ref("Service", within, name) if slash else None
    if told:
        available = {"True": True, "False": False}.get(told["is"])
        yield ApiService(about=ref, src=src, service=service, available=available, reason=told["why"] or "", whole=False)


def _storage_class(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    provisioner = cells.get("PROVISIONER", "")
    if provisioner:
        waits = cells.get("VOLUMEBINDINGMODE", "") == "WaitForFirstConsumer"
        yield StorageClass(about=ref, src=src, provisioner=provisioner, waits=waits, whole=False)
