"""Cuts an answer to the size that a NodeReport may have: the longest lists lose their ends, and each
shortened fact is marked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

# A NodeReport's `facts` holds 256 Ki characters; some room is left for the text around the facts.
LARGEST = 250_000
_LEAST = 8

Doc = dict[str, Any]


def fit(docs: Sequence[Doc], node: str, largest: int = LARGEST) -> list[Doc]:
    """Return facts in their JSON form, at most `largest` bytes together as JSON.

    A fact with a shortened list is not whole, and its source says how much is left. If that is not enough,
    facts are left out, the largest first, and a Refused replaces each type that was left out.
    """
    sized = [(_size(d), d) for d in docs]
    while (total := sum(size for size, _ in sized)) > largest:
        at = max(range(len(sized)), key=lambda i: sized[i][0])
        cut = _shorten(sized[at][1], sized[at][0] - (total - largest))
        if cut is None:
            return _drop_largest(sized, node, largest)
        sized[at] = (_size(cut), cut)
    return [_without_mark(d) for _, d in sized]


def _size(doc: object) -> int:
    return len(json.dumps(doc, ensure_ascii=False).encode()) + 2


def _shorten(doc: Doc, wanted: int) -> Doc | None:
    """Return the fact with its largest list halved, or cut as far as needed; None if no list is worth
    cutting.
    """
    found = max(
        ((_size(v), k) for k, v in doc.items() if isinstance(v, list) and len(v) > _LEAST), default=None
    )
    if found is None:
        return None
    size, name = found
    items = doc[name]
    keep = max(
        _LEAST, min(len(items) - 1, max(len(items) // 2, len(items) * max(0, wanted - 200) // max(size, 1)))
    )
    src = doc.get("src") or {}
    quote = str(src.get("quote", "")).split(" [cut:")[0][:300]
    was = int(doc.get("_of", {}).get(name, len(items)))
    return {
        **doc,
        name: items[:keep],
        "whole": False,
        "src": {**src, "quote": f"{quote} [cut: {keep} of {was} {name}]".strip()},
        "_of": {**doc.get("_of", {}), name: was},
    }


def _without_mark(doc: Doc) -> Doc:
    return {k: v for k, v in doc.items() if k != "_of"}


def _drop_largest(sized: Sequence[tuple[int, Doc]], node: str, largest: int) -> list[Doc]:
    kept, left_out, total = [], [], 0
    for size, doc in sorted(sized, key=lambda one: one[0]):
        total += size
        if total <= largest * 9 // 10:
            kept.append(_without_mark(doc))
        else:
            left_out.append(doc)
    return [*kept, *_list_refusals(left_out, node)]


def _list_refusals(left_out: Sequence[Doc], node: str) -> Iterator[Doc]:
    for name in sorted({str(d.get("type")) for d in left_out})[:100]:
        yield {
            "type": "Refused",
            "about": {"kind": "Node", "name": node},
            "src": {"where": f"node:{node}"},
            "want": name,
            "why": "not-offered",
            "detail": "the answer was larger than a NodeReport may be",
        }
