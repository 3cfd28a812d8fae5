"""Parsers of a node's files: logs, kernel messages, the journal's JSON, unit files."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from unstuck.collect.node import logs
from unstuck.collect.node.kernel import parse_lines
from unstuck.collect.node.kernel_messages import parse_events, parse_hung_tasks
from unstuck.collect.node.logs import journal
from unstuck.collect.node.root import Root
from unstuck.collect.node.units import merge
from unstuck.facts.core import Ref

_NOW = datetime(2026, 11, 21, tzinfo=UTC)
_CLOCK = logs.LogClock(_NOW, UTC)


def _entries(data: bytes) -> None:
    log = logs.Log("kubelet", (logs.LogPiece("/x", data, 1), logs.LogPiece("/y", data)))
    found = logs.find_entries(log, [data[:4], b"failed", b"err="], _NOW)
    logs.fold_failures(found, log, about=Ref("Pod", "a", "b"), node="n")
    logs.span(log, _NOW)
    logs.find_verbosity(log)


def _files(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as made:
        for name, held in (
            ("k.log", data),
            ("k.log.1", data),
            ("k.log.2.gz", gzip.compress(data)[: len(data) or None]),
            ("k.log.3.gz", data),
        ):
            (Path(made) / name).write_bytes(held)
        logs.read_tail(
            Root(made), "/k.log", "kubelet", logs.windows(_NOW, datetime(2026, 11, 20, tzinfo=UTC)), _CLOCK
        )


def _kernel(data: bytes) -> None:
    for named in (True, False):
        lines = list(parse_lines(data.decode("utf-8", "replace"), _NOW, _CLOCK, only_named=named))
        parse_events(lines)
        parse_hung_tasks(lines)


def _journal(data: bytes) -> None:
    lines = [
        *data.split(b"\n"),
        json.dumps({"MESSAGE": list(data[:500]), "_PID": data[:9].decode("latin-1")}).encode(),
    ]
    logs.LogPiece(
        "journalctl", journal.format_entries(e for line in lines if (e := journal.parse_entry(line)))
    )


def _unit(data: bytes) -> None:
    merge({"PrivateTmp": "yes"}, data.decode("utf-8", "backslashreplace"))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "node-logs": _entries,
    "node-log-files": _files,
    "node-kernel": _kernel,
    "node-journal": _journal,
    "node-unit": _unit,
}

CORPUS: tuple[bytes, ...] = (
    b"[  363.412345] INFO: task ls:1234 blocked for more than 120 seconds.\n[  363.412353] Call Trace:\n[  "
    b"363.412354]  <TASK>\n"
    b"[  363.412355]  __schedule+0x34d/0x9e0\n[  363.412358]  rpc_wait_bit_killable+0xd/0x70 [sunrpc]\n[  "
    b"363.412361]  </TASK>\n",
    b"Nov 21 03:02:40 n-1 kernel: [ 3760.1] EXT4-fs (sda1): Remounting filesystem read-only\n"
    b"<4>[ 9.1][  T12] nfs: server a not responding\n",
    (
        b'{"__REALTIME_TIMESTAMP":"1795230600500000","_COMM":"kubelet","_PID":"700","MESSAGE":"E1121 '
        b'03:02:00.5 700 a.go:1] failed"}\n'
    ),
    b"[Service]\nPrivateTmp=yes\nMountFlags=slave\nLimitNOFILE=\nExecStart=/bin/x \\\n  --y\n",
)
