"""Names within longer words: `shop-admin` in `gke-shop-admin-pool`, an account also as `SHOP_ADMIN`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_RUNS = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
_JOINT = re.compile(r"[._-]")


class CompoundNames:
    """Sequences of parts, found in longer ones in a time that does not grow with their number."""

    def __init__(self, names: Iterable[tuple[tuple[str, ...], str]]) -> None:
        """Keep the names. names: the parts of each name, and the name."""
        self._sequences = dict(names)
        lengths: dict[str, set[int]] = {}
        for parts in self._sequences:
            lengths.setdefault(parts[0], set()).add(len(parts))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def __bool__(self) -> bool:
        return bool(self._sequences)

    def names_at(self, parts: Sequence[str], at: int) -> Iterator[tuple[int, str]]:
        """Yield how many parts from there on are a name, and which: the longest first."""
        for length in self._lengths.get(parts[at], ()):
            name = self._sequences.get(tuple(parts[at : at + length])) if at + length <= len(parts) else None
            if name is not None:
                yield length, name


def split(text: str, names: CompoundNames, written: CompoundNames) -> Iterator[tuple[str, str]]:
    """Yield the text in pieces, each with the name that it is, or "".

    names: the ones to find verbatim. written: names that are also recognised with another separator or other
    case.
    """
    done = 0
    for run in _RUNS.finditer(text):
        at, parts, places = 0, _JOINT.split(run[0]), [run.start()]
        for part in parts:
            places.append(places[-1] + len(part) + 1)
        small = [part.lower() for part in parts] if written else []
        while at < len(parts):
            hit = next(names.names_at(parts, at), None) or (
                next(written.names_at(small, at), None) if written else None
            )
            if hit is None:
                at += 1
                continue
            begin, end = places[at], places[at + hit[0]] - 1
            if begin > done:
                yield text[done:begin], ""
            yield text[begin:end], hit[1]
            done, at = end, at + hit[0]
    if done < len(text):
        yield text[done:], ""


def parts_of(names: Iterable[str], *, written: bool = False) -> CompoundNames:
    """Take names apart. written: as for `split`."""
    return CompoundNames((tuple(_JOINT.split(name.lower() if written else name)), name) for name in names)
