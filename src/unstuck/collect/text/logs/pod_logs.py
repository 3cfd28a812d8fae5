"""A container's own words in the files that its node keeps of them, below /var/log/pods and
/var/log/containers, as `tail -v` shows them.

Sources: pkg/kubelet/kuberuntime/helpers.go (`NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`), legacy.go
(`POD_NAMESPACE_CONTAINER-ID.log`); CRI's log format (`TIME stdout F …`), docker's json-file; coreutils
tail(1).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.logs.component_pods import read_component
from unstuck.collect.text.logs.container_log import find_last_lines, parse_runtime_failures
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_NAME = r"[a-z0-9.-]{1,253}"
_PATH = regex(
    rf"/var/log/(?:pods/(?P<ns>{_NAME})_(?P<pod>{_NAME})_[0-9a-f-]{{32,36}}/(?P<container>{_NAME})/"
    r"(?P<run>\d{1,6})\.log"
    rf"|containers/(?P<pod2>{_NAME})_(?P<ns2>{_NAME})_(?P<container2>{_NAME})-[0-9a-f]{{64}}\.log)"
)
_HEADER = regex(r"^==> (?P<path>/\S{1,1024}) <==\s*$")
_DIRECTORY = ("/var/log/pods/", "/var/log/containers/")
_SHOWS = ("tail", "cat", "head", "less", "more", "grep", "egrep", "zcat", "zgrep")
_CRI = regex(r"^\d{4}-\d\d-\d\dT\S{8,32} (?:stdout|stderr) (?:[FP] )?(?P<words>.*)$")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of all lines below a command that shows such files, or of the framed lines below a
    file's header, up to the next file.

    Never a daemon's log.
    """
    shown = command is not None and command.program in _SHOWS and any(d in command.text for d in _DIRECTORY)
    begins = shown if _HEADER.match(lines[i]) is None else _is_container_header(lines[i])
    return find_end_of_run(lines, i + 1, lambda line: _is_continuation(line, shown)) if begins else None


def _is_container_header(line: str) -> bool:
    header = _HEADER.match(line)
    return header is not None and header["path"].startswith(_DIRECTORY)


def _is_continuation(line: str, shown: bool) -> bool:
    if _HEADER.match(line):
        return _is_container_header(line)
    return shown or not line.strip() or _unframe(line) is not None


def read(piece: Piece) -> Reading:
    """Return LastLines about each container whose file is named in full; if it has two files, the earlier one
    is the previous run's.
    """
    files = list(_split_files(piece))
    out = Reading(parse_runtime_failures(piece, [row for _, _, rows in files for row in rows]))
    latest: dict[Ref, int] = {}
    for about, run, _ in files:
        latest[about] = max(run, latest.get(about, 0))
    for about, run, rows in files:
        told = find_last_lines(piece, about, rows, previous=run < latest[about])
        out.facts += [told] if told and run >= latest[about] - 1 else []
        namespace, _, pod = (about.within or "").partition("/")
        out.facts += read_component(piece, rows, [pod, about.name or ""], namespace)
    return out


def _split_files(piece: Piece) -> Iterator[tuple[Ref, int, list[tuple[int, str]]]]:
    """Yield (container, its restarts, lines) of each file."""
    named = [w for w in piece.command.words if w.startswith(_DIRECTORY)] if piece.command else []
    path = named[0] if len(named) == 1 else ""
    rows: list[tuple[int, str]] = []
    for n, line in enumerate(piece.lines):
        if header := _HEADER.match(line):
            yield from _read_file(path, rows)
            path, rows = header["path"], []
        elif line.strip():
            rows.append((n, line))
    yield from _read_file(path, rows)


def _read_file(path: str, rows: list[tuple[int, str]]) -> Iterator[tuple[Ref, int, list[tuple[int, str]]]]:
    found = _PATH.fullmatch(path)
    if found and rows:
        # Both runtimes frame each line; where none is framed, that was cut off.
        rows = [(n, words) for n, line in rows if (words := _unframe(line)) is not None] or rows
        pod = f"{found['ns'] or found['ns2']}/{found['pod'] or found['pod2']}"
        yield Ref("Container", pod, found["container"] or found["container2"]), int(found["run"] or 0), rows


def _unframe(line: str) -> str | None:
    """Return the program's own text, without the runtime's frame; None if there is no frame."""
    if found := _CRI.match(line):
        return found["words"]
    if not line.startswith('{"log":'):
        return None
    try:
        said = json.loads(line).get("log")
    except (ValueError, RecursionError):
        return None
    return said.rstrip("\n") if isinstance(said, str) else None
