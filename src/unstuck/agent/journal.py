"""Remembers the reports that this node has written and has to delete: an agent has no right to list them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_LONGEST = 10_000
_UID = 36


class Journal:
    """When each probe's report was written, by the probe's uid. path: a file that outlives this container,
    but not the Pod.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.write_times: dict[str, float] = {}

    def recall(self, now: float) -> None:
        """Read the file of an earlier life of this container; its reports count as written now."""
        with suppress(OSError):
            uids = self._path.read_text(encoding="ascii", errors="replace").split()
            self.write_times = {uid: now for uid in uids[:_LONGEST] if len(uid) == _UID}

    def note(self, uid: str, now: float) -> None:
        """Remember a report that is about to be written."""
        self.write_times[uid] = now
        with suppress(OSError), self._path.open("a", encoding="ascii") as file:
            file.write(uid + "\n")

    def forget(self, uids: Iterable[str]) -> None:
        """Drop reports that are gone."""
        for uid in uids:
            self.write_times.pop(uid, None)
        with suppress(OSError):
            self._path.write_text("".join(f"{uid}\n" for uid in self.write_times), encoding="ascii")
