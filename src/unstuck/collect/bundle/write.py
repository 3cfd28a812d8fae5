"""Writes a bundle in our own layout for `unstuck read`: a tar.gz that gets its final name once it is
complete.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from unstuck.collect.bundle import saved as layout
from unstuck.collect.output_file import MODE, OutFile
from unstuck.facts.codec import Saved, format_time, save

README = """What `unstuck collect` saw of a cluster and its nodes, for an answer elsewhere:

    unstuck read THIS-FILE

snapshot.json holds the observations (no Secret's value, no environment, no command line); manifest.json tells
what was asked, and when; redaction.json, where there is one, what was replaced.

此文件是 `unstuck collect` 在集群及其节点上所见的内容，供在别处作答：unstuck read 此文件
snapshot.json 为观察所得（不含任何 Secret 的值、环境变量或命令行）；manifest.json 说明询问的内容与时间；
redaction.json（如有）说明替换了什么。
"""
_PACKED = 6


class BundleFile:
    """A context: at its end the file has its name, or, after any error, does not exist.

    Errors of every method: the same as of `OutFile`.
    """

    def __init__(self, path: str, *, replace: bool = False) -> None:
        self._file = OutFile(path, replace=replace)
        self._members: list[dict[str, Any]] = []
        self._at = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as entered:
            packed = entered.enter_context(
                gzip.GzipFile("", "wb", _PACKED, entered.enter_context(self._file), mtime=0)
            )
            self._tar = entered.enter_context(
                tarfile.open(mode="w|", fileobj=packed, format=tarfile.PAX_FORMAT)
            )
            self._entered = entered.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered.__exit__(kind, error, trace)

    def abandon(self) -> None:
        """Abandon the file, as `OutFile.abandon` does."""
        self._file.abandon()

    def write(
        self, asked: Saved, tool: str, told: dict[str, Any], report: dict[str, Any] | None = None
    ) -> None:
        """Write the whole bundle. told: further entries of the manifest. report: the replacements made,
        None if there were none.
        """
        snap = asked.snapshot
        self._at = snap.now.timestamp()
        doc = save(asked, tool)
        self._add("README.txt", README.encode())
        self._add("snapshot.json", _json(doc))
        if report is not None:
            self._add("redaction.json", _json(report))
        head = {
            "format": layout.FORMAT,
            "tool": tool,
            "at": format_time(snap.now),
            "asked": doc["asked"],
            "sources": doc["sources"],
        }
        manifest = {**head, **told, "redacted": report is not None, "members": self._members}
        self._add("manifest.json", _json(manifest))

    def _add(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(f"{layout.FOLDER}/{name}")
        info.size, info.mode, info.mtime = len(data), MODE, self._at
        self._tar.addfile(info, io.BytesIO(data))
        self._members.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def _json(doc: object) -> bytes:
    return (json.dumps(doc, ensure_ascii=True, indent=1) + "\n").encode()
