"""Questions about single items of one node (a path, a process, a word of its configuration, the way to an
address), as text for the program on the node.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Ref, Want

KINDS = ("File", "FileLine", "Process", "ConfigWord", "Route")
# Of one row: the fact, the kind and the name.
_COLUMNS = 3
MOST = 24
LONGEST = 4000
_LONGEST_NAME = 1024


def list_single(wants: Sequence[Want]) -> tuple[Want, ...]:
    """Return the distinct questions about such items, up to the limit of one look."""
    fit = (
        w
        for w in wants
        if w.about.kind in KINDS and w.about.name and w.about.name.isprintable() and w.fact.cost == "node"
    )
    return tuple(dict.fromkeys(fit))[:MOST]


def write_wants(wants: Sequence[Want]) -> str:
    """Return the questions as JSON, without the last ones if it would be too long; "" for none."""
    rows = [[w.fact.__name__, w.about.kind, w.about.name] for w in list_single(wants)]
    while rows and len(json.dumps(rows)) > LONGEST:
        rows.pop()
    return json.dumps(rows) if rows else ""


def read_wants(text: str, node: str) -> tuple[Want, ...]:
    """Parse the questions about a node from such a text, ignoring other content. Never raises."""
    try:
        rows = json.loads(text) if len(text) <= LONGEST else []
    except (ValueError, RecursionError):
        return ()
    facts = find_fact_types()
    out: list[Want] = []
    for row in rows[:MOST] if isinstance(rows, list) else ():
        if not (isinstance(row, list) and len(row) == _COLUMNS and all(isinstance(v, str) for v in row)):
            continue
        fact, kind, name = row
        if fact in facts and kind in KINDS and 0 < len(name) <= _LONGEST_NAME:
            out.append(Want(facts[fact], Ref(kind, node, name)))
    return list_single(out)
