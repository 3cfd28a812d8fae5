"""A piece cut out of `kubectl describe node`: rows of its conditions, and the text pasted below them. Few
name the Node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.shown_objects import find_described_object
from unstuck.collect.text.kubectl import describe_node
from unstuck.collect.text.kubectl.describe import find_end_of_description
from unstuck.collect.text.kubectl.events import find_node, read_rows
from unstuck.collect.text.kubectl.tree import parse_tree
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.regex import regex

_TITLE = regex(r"^\s*(?:Conditions:|Type\s+Status\s+LastHeartbeatTime\s.*|(?:-+\s+)+-+)\s*$")
_NEAR = 4


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece from the table's title or its first row to the end of the same Node's
    description.
    """
    row = next((n for n in range(i, min(i + _NEAR, len(lines))) if describe_node.is_row(lines[n])), None)
    if row is None or not all(_TITLE.match(line) for line in lines[i:row]):
        return None
    while row + 1 < len(lines) and describe_node.is_row(lines[row + 1]):
        row += 1
    return find_end_of_description(lines, row)


def read(piece: Piece) -> Reading:
    """Return Conditions, the Failures in them, and the events below, about the Node that the piece names;
    never whole.
    """
    rows = [f"  {line.strip()}" for line in piece.lines if describe_node.is_row(line)]
    obj = describe_node.build_node(parse_tree(("Conditions:", *rows)), piece.context)
    obj["metadata"] = {"name": "x"}
    events = next(
        (n for n, line in enumerate(piece.lines) if line.strip().startswith("Events:")), len(piece.lines)
    )
    own = find_described_object(piece)
    about = own if own and own.kind == "Node" else find_node(piece, events) or piece.block("Node")
    out = Reading()
    for fact in facts_of(obj, f"{piece.context.name}:{piece.start}", piece.context.now):
        if isinstance(fact, Conditions | Failure) and fact.about.name == "x":
            out.facts.append(replace(fact, about=about, whole=False))
    out.facts += read_rows(piece, events, len(piece.lines), about)
    return out
