"""The reports that this node has written: an agent may not list them, so it remembers which ones it has to sweep."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_LONGEST = 10_000
_UID = 36


class Journal:
    """The probes' uids, by when their report was written. path: a file that outlives this container, but not the Pod."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.written: dict[str, float] = {}

    def recall(self, now: float) -> None:
        """Read the file of an earlier life of this container; its reports count as written now."""
        with suppress(OSError):
            uids = self._path.read_text(encoding="ascii", errors="replace").split()
            self.written = {uid: now for uid in uids[:_LONGEST] if len(uid) == _UID}

    def note(self, uid: str, now: float) -> None:
        """Remember a report that is about to be written."""
        self.written[uid] = now
        with suppress(OSError), self._path.open("a", encoding="ascii") as file:
            file.write(uid + "\n")

    def forget(self, uids: Iterable[str]) -> None:
        """Drop reports that are gone."""
        for uid in uids:
            self.written.pop(uid, None)
        with suppress(OSError):
            self._path.write_text("".join(f"{uid}\n" for uid in self.written), encoding="ascii")
