"""The interface of a reader of one cluster. Independent of the engine, so that a scan's first requests need
not wait for its import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from unstuck.collect.kube.transport.parallel import BackgroundCall
from unstuck.facts.core import Fact, Ref, Want


class ClusterReader(Protocol):
    """Reads one cluster at one moment, and caches the cluster's answers."""

    source: str

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        """Return the object under its canonical name, and its facts. Errors: those of `unstuck.errors`."""

    def select(
        self, word: str, labels: str, fields: str, namespace: str | None
    ) -> tuple[list[Ref], list[Fact]]:
        """Return every selected object of a kind, and their facts. Errors: those of `unstuck.errors`."""

    def version(self) -> str:
        """Return the server's version. Errors: those of `unstuck.errors`."""

    def find_named(self, name: str, namespace: str) -> list[list[Ref]]:
        """Return the objects of this name: Pods, then workloads, then the rest. Errors: those of
        `unstuck.errors`.
        """

    def collect(self, wants: Sequence[Want]) -> Iterable[Fact]:
        """Return facts, or a `Refused`, for each question."""

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:
        """Return the objects of a Namespace, or for None of the whole cluster, that are not obviously
        healthy. Errors: those of `unstuck.errors`.
        """

    def on_progress(self, tell: Callable[[int, int], None]) -> None:
        """Report from now on the number of examined Pods, and how many of them look ill."""

    def so_far(self) -> Iterable[Fact]:
        """Return the findings of `list_unhealthy` so far."""


class Survey:
    """Lists objects that are not obviously healthy, in a thread that starts at once. within: a Namespace;
    None: the whole cluster.
    """

    def __init__(self, reader: ClusterReader, within: str | None) -> None:
        self.reader, self.within = reader, within
        self._begun = BackgroundCall(lambda: reader.list_unhealthy(within)[1])

    def facts(self) -> list[Fact]:
        """Wait for all facts. Errors: those of `unstuck.errors`."""
        return self._begun.wait()
