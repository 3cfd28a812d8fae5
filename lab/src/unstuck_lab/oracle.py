"""Asks kube-scheduler's own filters for their decisions, without a cluster (see scheduleroracle/main.go)."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from unstuck_lab.build import VERSION
from unstuck_lab.errors import LabError
from unstuck_lab.paths import Paths
from unstuck_lab.tool import Tool

ORACLE = Tool(
    "scheduleroracle", "scheduleroracle", VERSION, ".", "half a minute, or some when Go's own cache is cold"
)


class Oracle:
    """One process that answers one case after another, as a context manager."""

    def __init__(self, paths: Paths | None = None) -> None:
        program = ORACLE.ensure(paths or Paths.from_environment(), lambda line: click.echo(line, err=True))
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        stdin = self._process.stdin
        if stdin:
            stdin.close()
        self._process.wait(timeout=30)

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """Return the verdict on one case."""
        self._write(case)
        return self._read()

    def ask_all(self, cases: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the verdicts in the order of the cases. The process works on the next case while the caller
        handles the last verdict.
        """
        feeder = threading.Thread(target=self._write, args=cases, daemon=True)
        feeder.start()
        for _ in cases:
            yield self._read()
        feeder.join()

    def _write(self, *cases: Mapping[str, Any]) -> None:
        stdin = self._process.stdin
        if stdin is None:
            raise LabError("it has no input", "scheduleroracle")
        for case in cases:
            stdin.write(json.dumps(case).encode() + b"\n")
        stdin.flush()

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            raise LabError(f"it ended with status {self._process.wait()}", "scheduleroracle")
        verdict: dict[str, Any] = json.loads(line)
        return verdict
