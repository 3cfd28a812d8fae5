"""A systemd unit's settings with its drop-ins, merged as systemd merges them.

Source: systemd.unit(5) (load path, drop-ins), systemd.syntax(7), systemd.exec(5), systemd.kill(5),
systemd.resource-control(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import UnitFile
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

# The earlier wins.
DIRECTORIES = (
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/run/systemd/generator.early",
    "/etc/systemd/system",
    "/etc/systemd/system.attached",
    "/run/systemd/system",
    "/run/systemd/system.attached",
    "/run/systemd/generator",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
    "/run/systemd/generator.late",
)
# Settings that causes read; never command lines and environments.
KEYS = frozenset(
    key
    for keys in (
        ("PrivateTmp", "PrivateMounts", "PrivateDevices", "ProtectSystem", "ProtectHome", "MountFlags"),
        ("Type", "KillMode", "Delegate", "TimeoutStopSec", "Restart", "OOMScoreAdjust"),
        ("LimitNOFILE", "LimitNPROC", "TasksMax"),
    )
    for key in keys
)
_NAME = regex(r"^[A-Za-z0-9:_.@\\-]{1,255}$")
_SECTIONS = ("Service", "Scope", "Slice", "Socket", "Mount")
_CAP = 1 << 20
_MAX_DROP_INS = 200


def unit_file(root: Root, about: Ref, node: str) -> UnitFile | None:
    """Return the settings of a unit; None if it does not exist here or is masked."""
    name = about.name or ""
    if not _NAME.match(name) or "." not in name:
        return None
    path = _find_fragment(root, name)
    text = root.text(path, _CAP) if path else None
    if path is None or text is None:
        return None
    settings = merge({}, text)
    drop_ins = _find_drop_ins(root, name, path)
    for file in drop_ins:
        settings = merge(settings, root.text(file, _CAP) or "")
    items = tuple(sorted(settings.items()))
    quote = " ".join(f"{k}={v}" for k, v in items)
    return UnitFile(
        about=about, src=Source(f"{node} {path}", quote), settings=items, path=path, drop_ins=drop_ins
    )


def _template(name: str) -> str:
    """Return `x@y.service` → `x@.service`; any other name as it is."""
    return re.sub(r"@[^@]*\.", "@.", name) if "@" in name else name


def _find_fragment(root: Root, name: str) -> str | None:
    """Return the file that defines the unit: the first of its own name, else of its template; None if that
    is masked.
    """
    for one in dict.fromkeys((name, _template(name))):
        for directory in DIRECTORIES:
            path = f"{directory}/{one}"
            if root.link(path)[0] == "/dev/null":
                return None
            if root.text(path, _CAP) is not None:
                return path
    return None


def _find_drop_ins(root: Root, name: str, path: str) -> tuple[str, ...]:
    """Return the drop-ins in their order: by file name across directories; of equal names only the most
    specific.
    """
    chosen: dict[str, str] = {}
    alias = root.link(path)[0].rpartition("/")[2]
    for one in _names(name, alias):
        for directory in reversed(DIRECTORIES):
            for file in (root.names(f"{directory}/{one}.d") or ())[:_MAX_DROP_INS]:
                if file.endswith(".conf"):
                    chosen[file] = f"{directory}/{one}.d/{file}"
    return tuple(chosen[f] for f in sorted(chosen) if root.link(chosen[f])[0] != "/dev/null")


def _names(name: str, alias: str) -> Iterator[str]:
    """Yield whose drop-ins count, the least particular first: all of a type, a prefix that ends in a dash,
    the template, the unit.
    """
    stem, _, suffix = name.rpartition(".")
    yield suffix
    first = stem.partition("@")[0]
    for at in (i for i, c in enumerate(first[:-1]) if c == "-"):
        yield f"{first[: at + 1]}.{suffix}"
    yield from dict.fromkeys(n for n in (alias, _template(name), name) if n and _NAME.match(n))


def merge(settings: dict[str, str], text: str) -> dict[str, str]:
    """Return the settings with those of one more file: a later value replaces an earlier one, an empty one
    clears it.
    """
    out = dict(settings)
    section = ""
    for line in _list_logical_lines(text):
        if line.startswith("["):
            section = line.strip("[]")
            continue
        key, given, value = line.partition("=")
        key, value = key.strip(), value.strip()
        if not given or section not in _SECTIONS or key not in KEYS:
            continue
        if value:
            out[key] = value
        else:
            out.pop(key, None)
    return out


def _list_logical_lines(text: str) -> Iterator[str]:
    """Yield lines with their continuations, without comments, which may also come between them."""
    held = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith(("#", ";")) or (not line and not held):
            continue
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield held + line
        held = ""
    if held:
        yield held
