"""Opens the given paths: determines the kind, size and time of each before reading it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from unstuck.api.saved_files import read_bytes
from unstuck.errors import InputError
from unstuck.facts.codec import FormatError
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages

say = Messages(__name__)


@record()
class OpenedPath(Record):
    """A path as given. name: its form in sources. data: its bytes if it can be read only once (a pipe,
    `<(command)`), else None.
    """

    path: str
    name: str
    data: bytes | None
    bundle: bool
    written: float | None

    def text(self) -> str:
        """Return the text of a plain file. Errors: InputError."""
        from unstuck.collect.text.cutting.split import decode_text

        return decode_text(self.data if self.data is not None else read_bytes(self.path))


@contextmanager
def raise_input_errors(path: str) -> Iterator[None]:
    """Turn errors of reading a path into an InputError with its name."""
    try:
        yield
    except OSError as e:
        why = e.strerror or e
        raise InputError(say("cannot read {path}: {why}", path=path, why=why)) from e
    except FormatError as e:
        raise InputError(say("{path}: {said}", path=path, said=e.said)) from e


def open_pasted(texts: Sequence[bytes]) -> Iterator[OpenedPath]:
    """Yield pasted texts as opened paths; the first is named like standard input."""
    from unstuck.collect.bundle.members import begins_bundle
    from unstuck.collect.text.large_logs import thinning

    for i, data in enumerate(texts):
        name = "stdin" if i == 0 else f"stdin-{i + 1}"
        yield OpenedPath("-", name, data, begins_bundle(data[:512]) or len(data) > thinning.FROM, None)


def open_path(path: str) -> OpenedPath:
    """Open a path: determine its kind, size and time before reading it. Errors: InputError."""
    from unstuck.collect.bundle.members import begins_bundle, is_bundle
    from unstuck.collect.text.large_logs import thinning

    name = "stdin" if path == "-" else path.rstrip("/").rpartition("/")[2] or path
    data = (
        None
        if path != "-" and (Path(path).is_file() or Path(path).is_dir() or not Path(path).exists())
        else read_bytes(path)
    )
    with raise_input_errors(path):
        return OpenedPath(
            path,
            name,
            data,
            is_bundle(path) if data is None else begins_bundle(data[:512]) or len(data) > thinning.FROM,
            Path(path).stat().st_mtime if data is None else None,
        )


def make_names_distinct(opened: Sequence[OpenedPath]) -> list[OpenedPath]:
    """Make the names distinct: files of one name get as many parent folders as necessary.

    An unnamed object is identified by its place in a text, and must differ from the object at the same place
    in another text.
    """
    named, most = [*opened], max((one.path.count("/") for one in opened), default=0)
    for folders in range(1, most + 1):
        times = Counter(one.name for one in named)
        named = [
            replace(one, name=_path_tail(one.path, folders))
            if times[one.name] > 1 and one.path != "-"
            else one
            for one in named
        ]
    return named


def _path_tail(path: str, folders: int) -> str:
    """Return the last component of a path with `folders` components before it."""
    return "/".join(path.rstrip("/").split("/")[-1 - folders :])


def find_printed(opened: Sequence[OpenedPath], latest: datetime) -> datetime | None:
    """Return the printing time of a short text, None beside a bundle or a long log: then it may be of any
    time.
    """
    from unstuck.collect.bundle.members import size_of
    from unstuck.collect.text.kubectl.print_time import find_print_time
    from unstuck.collect.text.large_logs import thinning

    short = [o for o in opened if not o.bundle and (o.data is not None or size_of(o.path) <= thinning.FROM)]
    return find_print_time((o.text() for o in short), latest) if len(short) == len(opened) else None
