"""The conditions of a Namespace being deleted, cut out of `kubectl describe namespace`: rows of that table
alone, without its name.

No other kind has conditions of these names (pkg/controller/namespace/deletion/status_condition_utils.go,
1.16–1.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.kubectl.describe_node import parse_conditions
from unstuck.collect.text.kubectl.tree import Branch
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.regex import regex

_ROW = regex(
    r"^\s*Namespace(?:Deletion(?:Discovery|GroupVersionParsing|Content)Failure|ContentRemaining"
    r"|FinalizersRemaining)\s+(?:True|False)\s"
)
_HEAD = regex(
    r"^(?:Status:\s+Terminating|Conditions:|\s*Type\s+Status\s+LastTransitionTime\s+Reason\s+Message|\s*----"
    r"\s+------\s+-[- ]*)\s*$"
)
_ABOVE = 4


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece from the status, or from the table's header, to the last row."""
    if not (_HEAD.match(lines[i]) or _ROW.match(lines[i])):
        return None
    start = find_end_of_run(lines[: i + _ABOVE], i, _HEAD.match)
    end = find_end_of_run(lines, start, _ROW.match)
    return end if end > start else None


def read(piece: Piece) -> Reading:
    """Return Conditions about the unnamed Namespace, which is being deleted, because it has none before;
    never whole.
    """
    about = piece.block("Namespace")
    first = next(n for n, line in enumerate(piece.lines) if _ROW.match(line))
    table = Branch("Conditions", "", 0, 0, raw=list(enumerate(piece.lines)))
    rows = list(parse_conditions(Branch("", "", 0, -1, below=[table])))
    out = Reading(
        [Deletion(about=about, src=piece.src(first), requested=True, whole=False)], understood=bool(rows)
    )
    obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}, "status": {"conditions": rows}}
    for fact in facts_of(obj, f"{piece.context.name}:{piece.start}", piece.context.now):
        if isinstance(fact, Conditions):
            out.facts.append(replace(fact, about=about, whole=False))
    return out
