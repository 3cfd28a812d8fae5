"""Reads from a recorded tree the things that are no files on the node: outputs of commands, kept below
/.unstuck.

`lsattr`: `walked DIR`, `left DIR (why)`, and lines of lsattr(1). `lsattr-leaked`: of snapshots that no mount
uses, closed by `end`. `iptables`: the table `filter` of iptables-save(8), and its warnings. `statfs`: unit,
blocks, available, inodes, free inodes, path (stat -f). `own`: of single paths mode, owner, group, size,
blocks, links, inode, whether nothing is in it, attributes, path. `log/COMPONENT`: its source, then lines;
`log/COMPONENT.1` the part before it, and so on. `zone`: `+0800`. `healthz`: the status of the kubelet's
answer.
"""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from typing import Any

from unstuck.collect.node.mounts import is_read_only
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import FlaggedFile, FlaggedFiles, MountEntry
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

TOP = "/.unstuck"
_ATTRIBUTES = regex(r"^([-A-Za-z]{4,40}) +(/.*)$")
_ZONE = regex(r"^([+-])(\d\d)(\d\d)$", re.ASCII)
_HEX, _DIGITS = regex(r"[0-9a-f]{1,8}", re.ASCII), regex(r"\d{1,19}", re.ASCII)
_MAX_FILES = 200
_MAX_LISTED = 50
_MAX_LOG = 16 << 20
# One digit: the last in order is the oldest.
_LOG = regex(r"[a-z]+(?:\.\d)?", re.ASCII)


def leaked_files(root: Root, about: Ref, node: str) -> FlaggedFiles | None:
    """Return lsattr's flags of snapshots that no mount uses; None if it was not run."""
    text = root.text(f"{TOP}/lsattr-leaked")
    return None if text is None else _parse_flags(text, about, node, text.endswith("\nend\n"))


def flagged_files(root: Root, about: Ref, node: str, sure: bool) -> FlaggedFiles | None:
    """Return lsattr's output for a Pod's directory at the time of the recording; None if it was not run.

    sure: whether the directory is known to be the kubelet's.
    """
    text = root.text(f"{TOP}/lsattr")
    return None if text is None else _parse_flags(text, about, node, sure)


def _parse_flags(text: str, about: Ref, node: str, sure: bool) -> FlaggedFiles:
    files: list[FlaggedFile] = []
    under: list[str] = []
    left: list[str] = []
    for line in text.split("\n"):
        word, _, rest = line.partition(" ")
        if word in ("walked", "left"):
            (under if word == "walked" else left).append(rest)
        elif (found := _ATTRIBUTES.match(line)) and {"i", "a"} & set(found[1]):
            files.append(FlaggedFile(found[2], found[1]))
    left += ["no directory was walked"] if not under and not left else []
    left += [f"{len(files) - _MAX_FILES} more files"] if len(files) > _MAX_FILES else []
    quote = f"flags {files[0].flags}" if files else "no flags"
    return FlaggedFiles(
        about=about,
        src=Source(f"{node} {files[0].path if files else ' '.join(under[:3])}", quote),
        whole=sure and not left,
        files=tuple(files[:_MAX_FILES]),
        under=tuple(under),
        not_looked_at=tuple(left[:_MAX_LISTED]),
    )


def spaces(root: Root, mounts: dict[str, MountEntry]) -> tuple[Space, ...]:
    """Return the recorded sizes of these paths, each with the mount that it is on."""
    out = []
    for line in (root.text(f"{TOP}/statfs") or "").split("\n"):
        *words, path = line.split(" ", 5)
        mount = mounts.get(path)
        if (
            mount is None
            or len(words) != 5
            or not all(w.isascii() and w.isdigit() and len(w) < 20 for w in words)
        ):
            continue
        unit, blocks, free, inodes, inodes_free = map(int, words)
        sizes = (blocks * unit, free * unit, inodes, inodes_free)
        out.append(Space(path, *sizes, mount.mountpoint, mount.fstype, mount.dev, is_read_only(mount)))
    return tuple(out)


def owners(root: Root) -> dict[str, dict[str, Any]] | None:
    """Return the recorded state of each part of the single paths, as printed by `look.py own`; None for a
    tree without questions about paths.
    """
    text = root.text(f"{TOP}/own")
    if text is None:
        return None
    out: dict[str, dict[str, Any]] = {}
    for line in text.split("\n"):
        mode, *words = line.split(" ", 9)
        numbers, rest = words[:6], words[6:]
        if len(rest) != 3 or not _HEX.fullmatch(mode) or not all(_DIGITS.fullmatch(n) for n in numbers):
            continue
        uid, gid, size, blocks, links, inode = map(int, numbers)
        empty, flags, path = rest
        out[path] = {
            "uid": uid,
            "gid": gid,
            "mode": int(mode, 16),
            "size": size,
            "taken": blocks * 512,
            "links": links,
            "inode": inode,
            "empty": empty == "y",
            "flags": flags.strip("-"),
        }
    return out


def has_spaces(root: Root) -> bool:
    """Tell whether the tree holds sizes at all."""
    return root.text(f"{TOP}/statfs") is not None


def log(root: Root, component: str) -> tuple[tuple[str, bytes], ...]:
    """Return (source, its kept lines) of each file, oldest first."""
    names = sorted(
        (n for n in root.names(f"{TOP}/log") or () if _LOG.fullmatch(n) and n.partition(".")[0] == component),
        reverse=True,
    )
    told = ((root.data(f"{TOP}/log/{n}", _MAX_LOG) or b"").partition(b"\n") for n in names)
    return tuple((where.decode("utf-8", "replace")[:4096], lines) for where, _, lines in told if lines)


def zone(root: Root) -> tzinfo | None:
    """Return the node's offset from UTC when the tree was recorded."""
    found = _ZONE.match((root.text(f"{TOP}/zone", 64) or "").strip())
    if found is None:
        return None
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset) if offset < timedelta(hours=24) else None


def is_healthy(root: Root) -> bool | None:
    """Tell whether the kubelet's /healthz answered; None if it was not asked."""
    status = (root.text(f"{TOP}/healthz", 64) or "").strip()
    return status == "200" if re.fullmatch(r"\d{3}", status, re.ASCII) else None
