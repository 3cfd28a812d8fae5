"""The indentation of pasted YAML, beside a parser's error: the first line that stands where no key above it
stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.page import FoundReason, ShownRow
from unstuck.facts.regex import regex

_KEY = regex(
    r"^(?P<indent> *)(?P<dashes>(?:- +){0,3})(?:\"[^\"]{1,200}\"|[\w./$-]{1,200}):(?P<value>(?:\s+\S.*)?)\s*$"
)
_ITEM = regex(r"^(?P<indent> *)- +\S")
_BLOCK = regex(r"^\s*[|>][+-]?\d?\s*$")
_OPENS = regex(r"^\s*(?:&\w+|!\S+|#.*)?\s*$")
# Fewer lines show no shape.
_FEW = 3


def find_misplaced(rows: Sequence[ShownRow]) -> FoundReason | None:
    """Find the first misplaced key in the runs of YAML among these rows."""
    run = list[ShownRow]()
    for row in (*rows, None):
        if row is not None and (_KEY.match(row.text) or _ITEM.match(row.text)):
            run.append(row)
            continue
        if len(run) >= _FEW and (found := _judge(run)):
            return found
        run = []
    return None


def _judge(run: Sequence[ShownRow]) -> FoundReason | None:
    """Return the first key of a run that no level of indentation allows."""
    levels, opened, block = list[int](), True, -1
    for row in run:
        key = _KEY.match(row.text)
        indent = len(row.text) - len(row.text.lstrip(" "))
        if block >= 0 and indent > block:
            continue
        block = -1
        if levels and indent > levels[-1] and not opened:
            return FoundReason("indentation", row, mask(row.text.strip()), str(indent), str(levels[-1]))
        deeper = levels[-1] if levels else -1
        while levels and levels[-1] > indent:
            levels.pop()
        if levels and levels[-1] != indent and indent < deeper:
            return FoundReason("indentation", row, mask(row.text.strip()), str(indent), str(deeper))
        if not levels or levels[-1] != indent:
            levels.append(indent)
        if key is None:
            opened = False
            continue
        if key["dashes"]:
            levels.append(indent + len(key["dashes"]))
        opened = _OPENS.match(key["value"]) is not None
        if _BLOCK.match(key["value"]):
            block = levels[-1]
    return None
