"""Tells what a path of the node holds: the form of a file, the lines that explain a reader's error, the names
in a directory. Never a key, a Secret's value or a long text.

Sources: magic(5), elf(5), APPNOTE.TXT (zip), sqlite.org fileformat, git-lfs spec, gitattributes(5).
"""

from __future__ import annotations

import difflib
import json
import stat
import tomllib

from unstuck.collect.masking import mask
from unstuck.collect.node.file_forms import find_expected_size, find_form, find_processor
from unstuck.collect.node.node_paths import follow_path
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import PathContent, TextLine
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_MOST, _NAMES, _MARKS, _LONGEST = 1 << 20, 40, 6, 160
_DEEPEST, _MAX_NAME, _NEAREST = 60, 120, 3
# A single short line of a file that is no secret: a version, an identifier, a zone, a number.
_SHORT = 100
# Directories of keys and of Pods' own files, and files of logins.
_CLOSED = regex(
    r"(?i)^/proc(?:/|$)|/etc/(?:g?shadow|sudoers)|/pki(?:/|$)|/\.ssh(?:/|$)|/\.?docker/config\.json$|/secrets?/"
    r"|/etc/kubernetes/[^/]*\.conf$|kubernetes\.io~(?:secret|projected)|/volume-subpaths/"
)
_SECRET = regex(
    r"(?i)key|secret|token|passw|passphrase|credential|htpasswd|kubeconfig|licen[cs]e|\.(?:pem|p12|jks|pfx|crt)$"
    r"|auth|cookie|seed|salt|\.netrc|\.pgpass|\.my\.cnf"
)
# Letters and digits without an order: a password, unless the file is named after an identifier.
_DENSE = regex(r"(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9+/=_-]{16,}")
# The same within a line, where paths and names of several words are no passwords.
_OPAQUE = regex(r"(?<![\w/+-])(?=[A-Za-z+=]*\d)(?=[0-9+=]*[A-Za-z])[A-Za-z0-9+=]{20,}(?![\w/-])")
_IDENTIFIER = regex(r"(?i)(?:^|[-_.])(?:id|uuid|guid|serial|hash|sum|sha\d*|md5|version|revision|commit)$")
_AT_LINE = regex(r"at line (\d{1,9})")
_MARK = regex(r"^(?:<{7}|>{7}|={7}|\|{7})(?: |$)")
_MARKERS = (b"<", b">", b"=", b"|")


def of_file(view: NodeView, about: Ref) -> PathContent | None:
    """Return the content of a file or directory; None where it is missing, closed, or may not be touched."""
    return _look(view, about, about.name or "", 0)


def of_line(view: NodeView, about: Ref) -> PathContent | None:
    """Return the content of a file, with the line that is asked for."""
    name, _, number = (about.name or "").rpartition(":")
    return _look(view, about, name, int(number)) if number.isdecimal() and len(number) < 9 else None


def _look(view: NodeView, about: Ref, name: str, number: int) -> PathContent | None:
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    names = [n for n in path.split("/") if n not in ("", ".")]
    if ".." in names or len(names) > _DEEPEST or _CLOSED.search(path) or not view.root.live:
        return None
    way = follow_path(view, names)
    if way is None or way.missing or way.served or _CLOSED.search(way.there):
        return None
    found = view.kubelet.files.stat(way.there)
    if found is not None and stat.S_ISDIR(found.st_mode):
        return _list_directory(view, about, way.there)
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    data = view.kubelet.files.data(way.there, _MOST) or b""
    return _describe(view, about, way.there, data, found.st_size, number) if data else None


def _list_directory(view: NodeView, about: Ref, path: str) -> PathContent | None:
    names = view.kubelet.files.names(path)
    if names is None:
        return None
    shown = tuple(_name_entry(view, path, name) for name in names[:_NAMES])
    return PathContent(
        about=about,
        src=Source(f"{view.name} {path}", ", ".join(shown[:8]) if names else "empty"),
        whole=len(shown) == len(names),
        path=path,
        form="directory",
        names=shown,
        count=len(names),
        beside=() if names else _list_alike(view, path),
    )


def _list_alike(view: NodeView, path: str) -> tuple[str, ...]:
    """Return the names beside a directory that are most like its own, first those that differ in case."""
    above, _, own = path.rpartition("/")
    names = [n for n in view.kubelet.files.names(above or "/") or () if n != own]
    same = [n for n in names if n.lower() == own.lower()]
    return tuple(dict.fromkeys((*same, *difflib.get_close_matches(own, names, _NEAREST))))[:_NEAREST]


def _name_entry(view: NodeView, path: str, name: str) -> str:
    at = f"{path.rstrip('/')}/{name}"
    found = view.kubelet.files.stat(at) if view.may_touch(at) else None
    return name[:_MAX_NAME] + ("/" if found and stat.S_ISDIR(found.st_mode) else "")


def _describe(view: NodeView, about: Ref, path: str, data: bytes, size: int, number: int) -> PathContent:
    form, name = find_form(data), path.rpartition("/")[2]
    rows = data.split(b"\n") if form in ("text", "HTML", "foreign text", "pointer of git-lfs") else []
    closed = _SECRET.search(name) is not None
    asked = _line(number, rows[number - 1]) if 0 < number <= len(rows) and not closed else None
    marked = [
        n
        for n, row in enumerate(rows, 1)
        if row[:1] in _MARKERS and _MARK.match(row[:_LONGEST].decode("ascii", "replace"))
    ]
    marks = tuple(_line(n, rows[n - 1]) for n in marked[:_MARKS]) if len(marked) > 1 else ()
    # Of a text, only a character that was cut off at the end may be none.
    foreign = next((n for n, row in enumerate(rows, 1) if not _is_utf8(row)), 0) if form != "text" else 0
    shown = asked or (marks[0] if marks and not closed else None)
    quote = f"{shown.number}: {shown.text}" if shown else f"{form}, {size} bytes"
    whole = len(data) >= size
    return PathContent(
        about=about,
        src=Source(f"{view.name} {path}", quote),
        whole=whole and view.sees_node,
        path=path,
        form=form,
        size=size,
        processor=find_processor(data) if form == "ELF" else "",
        expected=find_expected_size(data, form, size),
        lines=len(rows) - (not rows[-1]) if rows and whole else None,
        marks=() if closed else marks,
        foreign=_line(foreign, rows[foreign - 1]) if foreign and not closed else None,
        broken=None if closed or not whole else _find_broken(name, data, rows),
        returns=len(rows) > 1 and all(row.endswith(b"\r") for row in rows[:-1]),
        value=_read_value(name, rows, size),
        line=asked,
    )


def _find_broken(name: str, data: bytes, rows: list[bytes]) -> TextLine | None:
    """Return the line at which a JSON or TOML file stops being valid; None for others."""
    text = data.decode("utf-8", "replace")
    number = 0
    try:
        if name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".toml"):
            tomllib.loads(text)
    except json.JSONDecodeError as error:
        number = error.lineno
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        number = int(at[1]) if at else len(rows)
    except RecursionError:
        return None
    return _line(number, rows[number - 1]) if 0 < number <= len(rows) else None


def _is_utf8(row: bytes) -> bool:
    try:
        row.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line(number: int, row: bytes) -> TextLine:
    text = row[: 4 * _LONGEST].decode("utf-8", "backslashreplace").rstrip("\r")
    return TextLine(number, _OPAQUE.sub("***", mask(text))[:_LONGEST])


def _read_value(name: str, rows: list[bytes], size: int) -> str:
    """Return the text of a file of one short line; "" if it may be a secret."""
    if not rows or size > _SHORT or any(row.strip() for row in rows[1:]) or _SECRET.search(name):
        return ""
    text = rows[0].decode("utf-8", "backslashreplace").strip()
    masked = mask(text)
    dense = _DENSE.search(text) and not _IDENTIFIER.search(name)
    return "" if dense or masked != text or not text.isprintable() else text
