"""A program beside the cluster's own, built from a Go module and kept in the cache by a hash of it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab.build import compile_go, find_sources, locate_build
from unstuck_lab.paths import Paths

# Concurrently applied faults may need the same program.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Tool:
    """One program of the Go module in the directory `module`. takes: the message during the build."""

    name: str
    module: str
    version: str
    package: str
    takes: str = "seconds"
    link: str = "-s -w"

    def locate_program(self, paths: Paths) -> Path:
        """Return the program's path for the current state of its module (built or not)."""
        return locate_build(paths, find_sources(self.module), self.version) / self.name

    def ensure(self, paths: Paths, say: Callable[[str], None]) -> Path:
        """Build the program unless it exists. Raises `LabError` without Go, `NotSetUpError` while tests
        run.
        """
        target = self.locate_program(paths)
        with _ONE_AT_A_TIME:
            if not target.exists():
                say(f"building {self.name} {self.version} ({self.takes})")
                compile_go(target, self.package, find_sources(self.module), self.link, say)
        return target
