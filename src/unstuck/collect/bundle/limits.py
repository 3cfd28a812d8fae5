"""The limits of reading a bundle, and the messages about a limit that was reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import SEEK_END
from typing import BinaryIO

from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

MIB = 1 << 20


@record()
class BundleLimits(Record):
    """unpacked: bytes of all members together, without links and devices. member: bytes read of one. members:
    how many are looked at.

    ratio: unpacked bytes for each packed one, once `ratio_from` bytes came out: no text exceeds it. depth:
    archives in archives. nested: bytes of an archive within one, which is held in memory. facts: how many are
    kept. snapshot: bytes of a saved Snapshot.
    """

    unpacked: int = 4096 * MIB
    member: int = 64 * MIB
    members: int = 200_000
    ratio: int = 250
    ratio_from: int = 64 * MIB
    depth: int = 3
    nested: int = 256 * MIB
    facts: int = 1_000_000
    snapshot: int = 256 * MIB


class LimitReachedError(Exception):
    """Reading ends here. said: why."""

    def __init__(self, said: Text) -> None:
        super().__init__(said.en)
        self.said = said


@dataclass(slots=True)
class Budget:
    """The used part of the limits, and the messages about it, each once."""

    limits: BundleLimits
    unpacked: int = 0
    members: int = 0
    said: dict[str, Text] = field(default_factory=dict)
    _passed: int = 0
    _size: int = 0
    _open: BinaryIO | None = None

    def begin(self, file: BinaryIO) -> None:
        """Begin with this file; the files before it are done."""
        self._passed, self._size, self._open = self._passed + self._size, file.seek(0, SEEK_END), file
        file.seek(0)

    @property
    def at(self) -> int:
        """How many bytes of the given files have been read, packed. May be called by another thread."""
        try:
            return self._passed + (self._open.tell() if self._open else 0)
        except ValueError:  # closed meanwhile
            return self._passed + self._size

    def say(self, key: str, text: Text) -> None:
        """Report this once for each key."""
        self.said.setdefault(key, text)

    def count_bytes(self, count: int, name: str) -> None:
        """Count bytes that came out. Errors: LimitReachedError."""
        self.unpacked += count
        if self.unpacked > self.limits.unpacked:
            most = self.limits.unpacked // MIB
            raise LimitReachedError(
                say(
                    "{name}: more than {most} MiB when unpacked; what comes after that was not read",
                    name=name,
                    most=most,
                )
            )

    def member(self, name: str) -> None:
        """Count one more member. Errors: LimitReachedError."""
        self.members += 1
        if self.members > self.limits.members:
            most = self.limits.members
            raise LimitReachedError(
                say("{name}: more than {most} members; the rest was not read", name=name, most=most)
            )


def check_ratio(read: Callable[[], int], out: int, budget: Budget, name: str) -> None:
    """Check the ratio. read: packed bytes so far. out: unpacked ones. Errors: LimitReachedError."""
    if out > budget.limits.ratio_from and out > budget.limits.ratio * max(1, read()):
        most = budget.limits.ratio
        raise LimitReachedError(
            say(
                (
                    "{name}: unpacks to more than {most} times its size, as no bundle does; the rest was "
                    "not read"
                ),
                name=name,
                most=most,
            )
        )
