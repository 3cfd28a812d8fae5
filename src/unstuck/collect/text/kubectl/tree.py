"""`kubectl describe` as a tree: keys with values, the lines indented below them, and lines without a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_LONGEST_KEY = 121
_DEEPEST = 12


@dataclass(slots=True)
class Branch:
    """A key of the output. index: of its line in the piece. raw: (index, line) of lines below it without
    their own key.
    """

    key: str
    value: str
    index: int
    indent: int
    below: list[Branch] = field(default_factory=list)
    raw: list[tuple[int, str]] = field(default_factory=list)

    def get(self, *keys: str) -> Branch | None:
        """Return the first branch below with one of these keys."""
        return next((b for b in self.below if b.key in keys), None)

    def text(self, *keys: str) -> str:
        """Return the value of that branch; "" if it is missing or `<none>`."""
        found = self.get(*keys)
        return found.value if found and found.value not in ("<none>", "<unset>") else ""

    def lines(self) -> Iterator[str]:
        """Yield the value and the raw lines, for lists that go on below their key (labels, node selectors,
        command).
        """
        if self.value and self.value != "<none>":
            yield self.value
        yield from (line.strip() for _, line in self.raw)


def parse_tree(lines: Sequence[str]) -> Branch:
    """Return the root; its branches are the keys at the margin."""
    root = Branch("", "", 0, -1)
    open_ = [root]
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while open_[-1].indent >= indent:
            open_.pop()
        found = _split_key(line)
        if found is None or len(open_) > _DEEPEST:
            open_[-1].raw.append((index, line))
            continue
        branch = Branch(*found, index, indent)
        open_[-1].below.append(branch)
        open_.append(branch)
    return root


def _split_key(line: str) -> tuple[str, str] | None:
    """Split `key: value`; None for a table's row, which has blanks before the colon."""
    key, colon, value = line.strip().partition(":")
    if (
        not colon
        or not key
        or len(key) > _LONGEST_KEY
        or (value and not value[0].isspace())
        or re.search(r"\s{2}", key)
    ):
        return None
    return key.strip(), value.strip()
