"""Log lines of the node's programs about sent signals."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from unstuck.collect.node.root import Root
from unstuck.collect.node.signal_traces import read_traces

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)


def _write(path: Path, text: str, age: float = 60.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (NOW.timestamp() - age,) * 2)


def test_of_each_recent_log_the_last_lines_about_signals(tmp_path: Path) -> None:
    top = tmp_path / "var/log"
    sent = "process 4711 serves on denied port 8123: sent SIGTERM"
    _write(top / "port-guard.log", "started\n" * 20_000 + f"{sent}\nskilled workers\n")
    _write(top / "agent/actions.log", "Killing process 12\n", age=30)
    _write(top / "old.log", f"{sent}\n", age=7200)
    _write(top / "kubelet.log", "SIGTERM\n")
    _write(top / "pods/x.log", "SIGTERM\n")
    _write(top / "deep/er/x.log", "SIGTERM\n")
    _write(top / "binary.log", "SIGTERM\0\n")
    (top / "link.log").symlink_to("/nowhere")
    found, whole = read_traces(Root(str(tmp_path)), NOW, lambda _: True)
    assert [(i.path, i.line) for i in found] == [
        ("/var/log/port-guard.log", sent),
        ("/var/log/agent/actions.log", "Killing process 12"),
    ]
    assert whole
    assert read_traces(Root(str(tmp_path)), NOW, lambda path: "guard" not in path)[0] == found[1:]
