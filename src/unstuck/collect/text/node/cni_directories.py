"""The directories of a node's network plugins as `NetworkPlugins.ask` shows them: `date`, `ls -lc`, and each
plugin's type by `grep`.

Sources: coreutils ls(1), date(1), grep(1); CNI specification 1.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.cni import NetworkConfig, NetworkPlugins
from unstuck.facts.codec import parse_time
from unstuck.facts.regex import regex

_CONF_DIR = "/etc/cni/net.d"
# containerd's own, and Debian's.
_BIN_DIRS = ("/opt/cni/bin", "/usr/lib/cni")
_ENDINGS = (".conf", ".conflist", ".json")
_DATE = regex(r"^\s*(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d)\s*$")
_HEADER = regex(rf"^\s*(?P<directory>{'|'.join((_CONF_DIR, *_BIN_DIRS))}):\s*$")
_TOTAL = regex(r"^\s*(?:total|总用量|总计) \S{1,16}\s*$")
_ROW = regex(
    r"^\s*(?P<kind>[-l])[rwxsStT-]{9}[.+@]?\s+\d{1,6}\s+\S{1,64}\s+\S{1,64}\s+\d{1,20}\s+"
    r"(?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})? (?P<zone>[+-]\d\d)(?P<minutes>\d\d) "
    r"(?P<name>\S.{0,254}?)(?: -> .{1,1024})?\s*$"
)
_OTHER = regex(r"^\s*[dbcps][rwxsStT-]{9}\S?\s+\d.{0,1024}$")
_NOT_THERE = regex(r"^\s*ls: [^/]{1,256}/(?:etc/cni|opt/cni|usr/lib/cni).{0,256}$")
_TYPE = regex(rf"^\s*(?P<path>{_CONF_DIR}/[^:\s]{{1,255}}):\"type\": *\"(?P<type>[\w.-]{{1,64}})\"\s*$")
_FORMS = (_HEADER, _TOTAL, _ROW, _OTHER, _NOT_THERE, _TYPE)
# As Calico's configuration calls its policy: that is no plugin.
_NO_PLUGINS = frozenset(("k8s",))
# The runtimes bring `lo` up by it; no configuration names it.
_LOOPBACK = "loopback"


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the time, or the first directory, to the last plugin's
    type.
    """
    begin = i + 1 if _DATE.match(lines[i]) else i
    if begin >= len(lines) or not (_HEADER.match(lines[begin]) or _NOT_THERE.match(lines[begin])):
        return None
    end = n = begin
    while n < len(lines) and (not lines[n].strip() or any(form.match(lines[n]) for form in _FORMS)):
        n += 1
        end = n if lines[n - 1].strip() else end
    return end


def read(piece: Piece) -> Reading:
    """Return NetworkPlugins about the Node, at its own time. Never whole: rows may have been left out, and
    running programs are not shown.

    A missing configuration is not reported: which directory the runtime reads is not shown.
    """
    looked = parse_time(found["at"]) if (found := _DATE.match(piece.lines[0])) else None
    shown = list(_parse_files(piece.lines))
    types = {(m["path"], m["type"]): None for line in piece.lines if (m := _TYPE.match(line))}
    configs = tuple(
        NetworkConfig(
            path, tuple(t for p, t in types if p == path and t not in _NO_PLUGINS), at if looked else None
        )
        for path, at in sorted(
            (f"{_CONF_DIR}/{name}", at) for directory, name, at in shown if directory == _CONF_DIR
        )
        if path.endswith(_ENDINGS)
    )
    if not configs:
        return Reading()
    # The runtime's directory is not shown: only plugins in every existing directory can certainly be called.
    programs = [{name for directory, name, _ in shown if directory == one} for one in _BIN_DIRS]
    there = set.intersection(*filter(None, programs)) if any(programs) else set[str]()
    at = next(
        n
        for n, line in enumerate(piece.lines)
        if (m := _ROW.match(line)) and configs[0].path.endswith(f"/{m['name']}")
    )
    plugins = NetworkPlugins(
        about=piece.node or piece.block("Node"),
        src=piece.src(at, at=looked),
        configs=configs,
        conf_dir=_CONF_DIR,
        bin_dirs=tuple(one for one, names in zip(_BIN_DIRS, programs, strict=True) if names),
        present=tuple(p for p in (*configs[0].plugins, _LOOPBACK) if p in there),
        whole=False,
    )
    return Reading([plugins])


def _parse_files(lines: Sequence[str]) -> Iterator[tuple[str, str, datetime | None]]:
    """Yield (directory, name, time of the last change or move) of each file."""
    directory = ""
    for line in lines:
        if header := _HEADER.match(line):
            directory = header["directory"]
        elif row := _ROW.match(line):
            yield (
                directory,
                row["name"],
                parse_time(f"{row['day']}T{row['time']}{row['zone']}:{row['minutes']}"),
            )
