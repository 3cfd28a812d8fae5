"""`kubectl get` tables: a row is a summary in the server's words, a list the pasted part of it; neither is
ever whole.

Source: pkg/printers/internalversion/printers.go (1.5–1.34).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from unstuck.collect.objects.kinds import Kind, find_kind
from unstuck.collect.text.cutting.ages import AGE
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.kubectl import service_rows, workload_rows
from unstuck.collect.text.kubectl.columns import (
    NAME,
    find_columns,
    find_header,
    is_header,
    list_titles,
    name_custom_kind,
    name_foreign_kind,
    read_row,
)
from unstuck.collect.text.kubectl.event_rows import is_row
from unstuck.collect.text.kubectl.listing import asks_for_all, find_selector, is_get
from unstuck.collect.text.kubectl.other_rows import read_claim_row, read_not_ready
from unstuck.collect.text.kubectl.pod_rows import read_pod_row
from unstuck.facts.aspects.cluster import ApiService, NodeInfo, StorageClass
from unstuck.facts.aspects.objects import (
    Condition,
    Conditions,
    Deletion,
    Failure,
    Labels,
    Names,
    Phase,
    Presence,
)
from unstuck.facts.aspects.storage import Attached, Attachment
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex

# Behind the name of a class that is the default (pkg/printers/internalversion/printers.go, 1.4–1.34).
_DEFAULT_CLASS = " (default)"
_POD_ROW = regex(
    r"^\s*(?:(?P<ns>[a-z0-9][a-z0-9-]{0,62})\s+)?(?:pods?/)?(?P<name>[a-z0-9][a-z0-9.-]{2,252})\s+"
    r"(?P<ready>\d{1,4}/\d{1,4})\s+(?P<status>[A-Z][\w:/-]{2,60})\s+"
    rf"(?P<restarts>\d{{1,9}}(?:\s+\({AGE} ago\))?)\s+(?P<age>{AGE})(?:\s|$)"
)
_LABEL = regex(r"(?:[\w.-]{1,253}/)?[A-Za-z0-9][\w.-]{0,62}")
_PREFIXED = regex(r"(?:^|\s)[a-z][a-z0-9.-]{1,100}/[a-z0-9][a-z0-9.:-]{0,252}\s")
# For rows whose header was cut off; only if every column is one word.
_USUAL: dict[str, tuple[str, ...]] = {
    "VolumeAttachment": ("NAME", "ATTACHER", "PV", "NODE", "ATTACHED", "AGE"),
    "Node": ("NAME", "STATUS", "ROLES", "AGE"),
    "Namespace": ("NAME", "STATUS", "AGE"),
    "PersistentVolumeClaim": ("NAME", "STATUS", "VOLUME", "CAPACITY", "ACCESS MODES", "STORAGECLASS", "AGE"),
    "APIService": ("NAME", "SERVICE", "AVAILABLE", "AGE"),
    "Secret": ("NAME", "TYPE", "DATA", "AGE"),
    "ConfigMap": ("NAME", "DATA", "AGE"),
}
# In rows with empty cells the values identify their columns.
_BY_CONTENT = {
    "PersistentVolumeClaim": regex(
        rf"^(?P<NAME>\S{{1,253}})\s+(?P<STATUS>Pending|Lost)\s+(?:\S{{1,253}}\s+){{0,2}}{AGE}\s*$"
    ),
    "PersistentVolume": regex(
        r"^(?P<NAME>\S{1,253})\s+(?P<CAPACITY>\d\S{0,30})\s+\S{1,60}\s+(?P<RECLAIM>Retain|Delete|Recycle)\s+"
        r"(?P<STATUS>Available|Bound|Released|Failed|Pending|Terminating)\s+(?:\S{1,320}"
        rf"\s+){{0,4}}{AGE}\s*$"
    ),
}
_OBJECT = r"(?P<NAME>[a-z0-9][a-z0-9.-]{2,252})"
_MODES = r"(?:RWO|ROX|RWX|RWOP)(?:,(?:RWO|ROX|RWX|RWOP)){0,3}"
# Rows without command and header, with cells of one possible kind.
_ALONE = {
    "Node": regex(
        rf"^\s*{_OBJECT}\s+(?P<STATUS>(?:NotReady|Ready)(?:,SchedulingDisabled)?)\s+\S{{1,253}}\s+{AGE}\s+"
        r"(?P<VERSION>v\d\S{3,60})(?:\s|$)"
    ),
    # Rows of other terminating kinds have more columns.
    "Namespace": regex(rf"^\s*{_OBJECT}\s+(?P<STATUS>Terminating)\s+{AGE}\s*$"),
    "PersistentVolumeClaim": regex(
        rf"^\s*(?:(?P<NAMESPACE>[a-z0-9][a-z0-9-]{{0,62}})\s+)?{_OBJECT}\s+(?P<STATUS>Bound|Lost"
        rf"|Terminating)\s+\S{{1,253}}\s+\d\S{{0,30}}\s+{_MODES}\s+"
        rf"(?:\S{{1,253}}\s+){{0,2}}{AGE}\s*$"
    ),
    "PersistentVolume": regex(
        rf"^\s*{_OBJECT}\s+\d\S{{0,30}}\s+{_MODES}\s+(?:Retain|Delete|Recycle)\s+"
        r"(?P<STATUS>Available|Bound|Released|Failed|Pending|Terminating)\s+(?:\S{1,320}"
        rf"\s+){{0,4}}{AGE}\s*$"
    ),
    "APIService": regex(
        r"^\s*(?P<NAME>v\d\w{0,10}\.[a-z0-9.-]{2,252})\s+"
        r"(?P<SERVICE>[a-z0-9-]{1,63}/[a-z0-9-]{1,63})\s+"
        rf"(?P<AVAILABLE>(?:True|False|Unknown)(?: \(\w{{1,100}}\))?)\s+{AGE}\s*$"
    ),
    "VolumeAttachment": regex(
        r"^\s*(?P<NAME>csi-[0-9a-f]{64})\s+(?P<ATTACHER>\S{1,253})\s+(?P<PV>\S{1,253})\s+"
        r"(?P<NODE>\S{1,253})\s+"
        rf"(?P<ATTACHED>true|false)\s+{AGE}\s*$"
    ),
}
# `False (ServiceNotFound)`: a reason belongs to the word before it.
_WORDS = regex(r"\S+(?: \(\w{1,100}\)(?=\s))?")
_OF_A_NODE = (
    ("VERSION", regex(r"v\d{1,2}\.\d{1,3}\.\d{1,3}\S{0,60}")),
    ("KERNEL-VERSION", regex(r"\d{1,2}\.\d{1,3}[.-]\S{1,80}")),
    ("CONTAINER-RUNTIME", regex(r"(?:docker|containerd|cri-o)://\S{1,80}")),
)


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of a header and the rows below it, or of rows of Pods, which are known without a
    header.
    """
    if _POD_ROW.match(lines[i]):
        return find_end_of_run(lines, i + 1, _POD_ROW.match)
    header, taken = find_header(lines, i)
    named = i + 1 < len(lines) and _PREFIXED.search(lines[i + 1]) is not None
    if not is_header(header, command) or (
        _find_kind(header, command) is None and not is_get(command) and not named
    ):
        return _end_of_bare_rows(lines, i, command)
    columns = find_columns(header, command)
    end = n = i + taken
    # Rows of events may follow without their own header: an age is never a name, and a reason never a status.
    while n < len(lines) and not is_row(lines[n]) and (row := read_row(lines, n, columns)) is not None:
        n += row[1]
        end = n
    return end


def _end_of_bare_rows(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of rows without a header: below `kubectl get KIND | grep …`, or such as only one kind
    has.
    """
    kind = _find_kind("", command)
    row = (
        (lambda line: _parse_bare(line, kind) is not None)
        if kind
        else (lambda line: _parse_alone(line) is not None)
    )
    end = find_end_of_run(lines, i, row)
    return end if end > i else None


def _parse_alone(line: str) -> tuple[Kind, dict[str, str]] | None:
    """Return the kind and title → cell of a row without a header; None if several kinds have such rows."""
    for name, form in _ALONE.items():
        if (found := form.match(line)) and (kind := find_kind(name)):
            return kind, {title: cell for title, cell in found.groupdict().items() if cell}
    return None


def _parse_bare(line: str, kind: Kind | None) -> dict[str, str] | None:
    """Return title → cell of a row without its header; None if it is not a row of this kind."""
    titles, form = (_USUAL.get(kind.name), _BY_CONTENT.get(kind.name)) if kind else (None, None)
    cells = _WORDS.findall(line)
    if (
        titles
        and len(cells) == len(titles)
        and NAME.match(cells[0]) is not None
        and re.fullmatch(AGE, cells[-1]) is not None
    ):
        return dict(zip(titles, cells, strict=True))
    found = form.match(line) if form else None
    return found.groupdict() if found and NAME.match(found["NAME"]) else None


def read(piece: Piece) -> Reading:
    """Return facts of each row by the kind that the table lists; for every kind the pasted names."""
    if _POD_ROW.match(piece.lines[0]):
        return _read_headless(piece)
    header, taken = find_header(piece.lines, 0)
    told = _find_kind(header, piece.command)
    if told is None and not is_header(header, piece.command) and (alone := _parse_alone(piece.lines[0])):
        told = alone[0]
    foreign = name_foreign_kind(piece.command) if told is None else None
    out = Reading(understood=told is not None or foreign is not None)
    names = dict[tuple[str, str | None], list[str]]()
    for n, cells in _parse_rows(piece, header, taken):
        found = NAME.match(cells.get("NAME", "").removesuffix(_DEFAULT_CLASS))
        # Several kinds at once, or `-o name`-like rows: `configmap/app-config`.
        kind = find_kind(found["kind"]) if found and found["kind"] else told
        custom = (name_custom_kind(found["kind"]) if found["kind"] else foreign) if found else None
        if found is None or (kind is None and custom is None):
            continue
        out.understood = True
        if kind is None:
            within = cells.get("NAMESPACE") or (piece.command.namespace if piece.command else None)
            ref = Ref(custom or "", within, found["name"])
        else:
            ref = kind.ref(cells.get("NAMESPACE") or piece.namespace, found["name"])
        if kind is None or ref.within is not None or not kind.namespaced:
            names.setdefault((ref.kind, ref.within), []).append(found["name"])
        out.facts += _read_row(kind.name if kind else "", ref, cells, piece.src(n), piece.context.now)
    src = piece.src(0, piece.command.text if piece.command else None)
    whole_list = asks_for_all(piece.command)
    out.facts += (
        Names(
            about=Ref(f"{kind}List", within),
            src=src,
            names=tuple(listed),
            whole=False,
            asked_all=whole_list,
            selector=find_selector(piece.command),
        )
        for (kind, within), listed in names.items()
    )
    return out


def list_rows(piece: Piece, kinds: Collection[str]) -> Iterator[tuple[str, Ref, dict[str, str], Source]]:
    """Yield (kind, object, title → cell, source) of each row of a table of one of these kinds."""
    header, taken = find_header(piece.lines, 0)
    kind = _find_kind(header, piece.command)
    if kind is None or kind.name not in kinds:
        return
    for n, cells in _parse_rows(piece, header, taken):
        if found := NAME.match(cells.get("NAME", "")):
            yield (
                kind.name,
                kind.ref(cells.get("NAMESPACE") or piece.namespace, found["name"]),
                cells,
                piece.src(n),
            )


def _parse_rows(piece: Piece, header: str, taken: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (index, title → cell)."""
    if not is_header(header, piece.command):
        kind = _find_kind("", piece.command)
        for n, line in enumerate(piece.lines):
            alone = _parse_alone(line) if kind is None else None
            if cells := alone[1] if alone else _parse_bare(line, kind):
                yield n, cells
        return
    columns, n = find_columns(header, piece.command), taken
    while n < len(piece.lines) and (row := read_row(piece.lines, n, columns)) is not None:
        yield n, row[0]
        n += row[1]


def _read_headless(piece: Piece) -> Reading:
    out = Reading()
    for n, line in enumerate(piece.lines):
        found = _POD_ROW.match(line)
        if found:
            cells = {
                "READY": found["ready"],
                "STATUS": found["status"],
                "RESTARTS": found["restarts"],
                "AGE": found["age"],
            }
            ref = Ref("Pod", found["ns"] or piece.namespace, found["name"])
            out.facts += _read_row("Pod", ref, cells, piece.src(n), piece.context.now)
    return out


def _find_kind(header: str, command: TypedCommand | None) -> Kind | None:
    """Return the kind by the command, else by the columns."""
    if command is not None and is_get(command):
        rest = command.arguments[command.arguments.index("get") + 1 :]
        found = find_kind(rest[0].partition("/")[0]) if rest else None
        if found is not None:
            return found
    titles = list_titles(header)
    for word, columns in (
        ("pods", {"READY", "STATUS", "RESTARTS"}),
        ("nodes", {"STATUS", "AGE", "VERSION"}),
        ("pvc", {"STATUS", "VOLUME", "CAPACITY", "ACCESS MODES"}),
        ("apiservices", {"SERVICE", "AVAILABLE"}),
        ("storageclasses", {"PROVISIONER"}),
        ("services", {"TYPE", "CLUSTER-IP", "EXTERNAL-IP"}),
        ("daemonsets", {"DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE"}),
        ("deployments", {"READY", "UP-TO-DATE", "AVAILABLE"}),
        # Before 1.15.
        ("deployments", {"DESIRED", "CURRENT", "UP-TO-DATE", "AVAILABLE"}),
        ("replicasets", {"DESIRED", "CURRENT", "READY"}),
        ("persistentvolumes", {"CLAIM", "CAPACITY", "ACCESS MODES"}),
        ("volumeattachments", {"ATTACHER", "PV", "NODE"}),
    ):
        if columns <= titles:
            return find_kind(word)
    return find_kind("namespaces") if titles == {"NAME", "STATUS", "AGE"} and command is None else None


def _read_row(kind: str, ref: Ref, cells: dict[str, str], src: Source, now: datetime) -> Iterator[Fact]:
    yield Presence(about=ref, src=src, exists=True, whole=False)
    if labels := _parse_labels(cells.get("LABELS", "")):
        yield Labels(about=ref, src=src, items=labels, whole=False)
    if kind == "Pod":
        yield from read_pod_row(ref, cells, src, now)
    elif kind == "Node":
        yield from _read_node(ref, cells, src)
    elif kind == "APIService":
        yield from _read_api_service(ref, cells, src)
    elif kind == "StorageClass":
        yield from _read_storage_class(ref, cells, src)
    elif kind == "VolumeAttachment":
        yield from _read_attachment(ref, cells, src)
    elif kind in service_rows.KINDS:
        yield from service_rows.read_service_row(kind, ref, cells, src)
    elif kind in workload_rows.KINDS:
        yield from workload_rows.read_workload_row(kind, ref, cells, src)
    elif kind == "" and cells.get("READY") == "False":
        yield Conditions(about=ref, src=src, items=(read_not_ready(cells),), whole=False)
    elif cells.get("STATUS") == "Terminating":
        yield Deletion(about=ref, src=src, requested=True, whole=False)
    elif kind in ("PersistentVolumeClaim", "PersistentVolume", "Namespace") and cells.get("STATUS"):
        yield Phase(about=ref, src=src, phase=cells["STATUS"], whole=False)
        yield from read_claim_row(kind, ref, cells, src)


def _parse_labels(cell: str) -> tuple[tuple[str, str], ...]:
    """Read `--show-labels`; () if they were cut."""
    pairs = [one.partition("=") for one in cell.split(",")] if "=" in cell else []
    return (
        tuple((k, v) for k, _, v in pairs)
        if all(_LABEL.fullmatch(k) and "…" not in v and "..." not in v for k, _, v in pairs)
        else ()
    )


def _read_attachment(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    if cells.get("ATTACHER") and cells.get("NODE") and cells.get("ATTACHED") in ("true", "false"):
        item = Attached(
            ref, cells["ATTACHER"], cells["NODE"], cells.get("PV", ""), cells["ATTACHED"] == "true"
        )
        yield Attachment(about=ref, src=src, item=item, whole=False)


def _read_node(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    told = cells.get("STATUS", "").split(",")
    if "NotReady" in told:
        # The column does not distinguish False from Unknown.
        yield Failure(
            about=ref,
            src=src,
            operation="node-ready",
            error="not-ready",
            message=cells["STATUS"],
            reporter="kubectl",
            whole=False,
        )
    elif "Ready" in told:
        yield Conditions(about=ref, src=src, items=(Condition("Ready", "True"),), whole=False)
    # If columns were lost, a cell may be below another title: only cells of the expected form are taken.
    kubelet, kernel, runtime = (
        found[0] if (found := form.fullmatch(cells.get(title, "").strip())) else ""
        for title, form in _OF_A_NODE
    )
    if kubelet or kernel or runtime:
        yield NodeInfo(about=ref, src=src, kubelet=kubelet, kernel=kernel, runtime=runtime, whole=False)


def _read_api_service(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    told = re.match(r"(?P<is>True|False|Unknown)(?: \((?P<why>\w{1,100})\))?", cells.get("AVAILABLE", ""))
    within, slash, name = cells.get("SERVICE", "").partition("/")
    service = Ref("Service", within, name) if slash else None
    if told:
        available = {"True": True, "False": False}.get(told["is"])
        yield ApiService(
            about=ref, src=src, service=service, available=available, reason=told["why"] or "", whole=False
        )


def _read_storage_class(ref: Ref, cells: dict[str, str], src: Source) -> Iterator[Fact]:
    provisioner = cells.get("PROVISIONER", "")
    if provisioner:
        waits = cells.get("VOLUMEBINDINGMODE", "") == "WaitForFirstConsumer"
        default = cells.get("NAME", "").endswith(_DEFAULT_CLASS)
        yield StorageClass(
            about=ref, src=src, provisioner=provisioner, waits=waits, default=default, whole=False
        )
