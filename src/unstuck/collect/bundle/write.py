"""Writes what `unstuck read` recognises as ours: a tar.gz that takes its own name only when it is whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from unstuck.collect.bundle import saved as layout
from unstuck.facts.codec import Saved, format_time, save

README = """What `unstuck collect` saw of a cluster and its nodes, for an answer elsewhere:

    unstuck read THIS-FILE

snapshot.json holds the observations (no Secret's value, no environment, no command line); manifest.json tells what was asked, and when;
redaction.json, where there is one, what was replaced.

此文件是 `unstuck collect` 在集群及其节点上所见的内容，供在别处作答：unstuck read 此文件
snapshot.json 为观察所得（不含任何 Secret 的值、环境变量或命令行）；manifest.json 说明询问的内容与时间；
redaction.json（如有）说明替换了什么。
"""
# Whoever may read it, reads of a cluster.
_MODE = 0o600
_PACKED = 6


class BundleFile:
    """A context: at its end the file stands under its name, or, after any error, nothing does.

    Errors of every method: OSError; FileExistsError where the name is taken and `replace` is not set.
    """

    def __init__(self, path: str, *, replace: bool = False) -> None:
        self._path, self._replace = path, replace
        self._part = Path(f"{path}.part")
        self._members: list[dict[str, Any]] = []
        self._at = 0.0

    def __enter__(self) -> Self:
        if not self._replace and os.path.lexists(self._path):
            raise FileExistsError(self._path)
        number = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
        self._raw = os.fdopen(number, "wb")
        self._packed = gzip.GzipFile("", "wb", _PACKED, self._raw, mtime=0)
        self._tar = tarfile.open(mode="w|", fileobj=self._packed, format=tarfile.PAX_FORMAT)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self.abandon()
            return
        try:
            self._tar.close()
            self._packed.close()
            self._raw.flush()
            os.fsync(self._raw.fileno())
            self._raw.close()
            if self._replace:
                self._part.replace(self._path)
                return
            self._take_name()
        except OSError:
            self.abandon()
            raise

    def _take_name(self) -> None:
        """Unlike a rename, a link never takes another's place."""
        try:
            os.link(self._part, self._path)
            self._part.unlink()
        except FileExistsError:
            raise
        except OSError:
            # A file system without links.
            if os.path.lexists(self._path):
                raise
            self._part.replace(self._path)

    def abandon(self) -> None:
        """Nothing is left behind. Never raises; may be called at any time, also by another thread."""
        with suppress(OSError):
            self._part.unlink(missing_ok=True)

    def write(self, asked: Saved, tool: str, told: dict[str, Any], report: dict[str, Any] | None = None) -> None:
        """The whole of it. told: what the manifest says besides. report: what was replaced, None where nothing was."""
        snap = asked.snapshot
        self._at = snap.now.timestamp()
        doc = save(asked, tool)
        self._add("README.txt", README.encode())
        self._add("snapshot.json", _json(doc))
        if report is not None:
            self._add("redaction.json", _json(report))
        head = {"format": layout.FORMAT, "tool": tool, "at": format_time(snap.now), "asked": doc["asked"], "sources": doc["sources"]}
        manifest = {**head, **told, "redacted": report is not None, "members": self._members}
        self._add("manifest.json", _json(manifest))

    def _add(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(f"{layout.FOLDER}/{name}")
        info.size, info.mode, info.mtime = len(data), _MODE, self._at
        self._tar.addfile(info, io.BytesIO(data))
        self._members.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def _json(doc: object) -> bytes:
    return (json.dumps(doc, ensure_ascii=True, indent=1) + "\n").encode()
