"""Known messages between the rows of a format that does not read them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.cutting.sentences import list_keys, make_keys
from unstuck.collect.text.kubectl.event_rows import is_row
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact
from unstuck.wording.klog import is_header


def read_stray_messages(piece: Piece, told: Collection[Fact]) -> Iterator[Fact]:
    """Yield the facts of known messages between the rows of a piece, if its own format yields none. told: the
    facts of its own format.
    """
    heard = {(f.operation, f.error) for f in told if isinstance(f, Failure)}
    known = {key for f in told for key in make_keys(f)}
    for n, line in enumerate(piece.lines):
        # Rows and records have been judged by their own readers.
        if len(line) < 12 or is_row(line) or is_header(line):
            continue
        said = message.find_innermost_text(line)
        if new := list_keys(said) - known:
            known |= new
            yield from (
                _attribute(f, told)
                for f in message.read(replace(piece, lines=(line,), start=piece.start + n)).facts
            )
            continue
        found = message.find_known_failures(said)
        if any(f.error not in message.VAGUE and (f.operation, f.error) not in heard for f in found):
            more = message.read(replace(piece, lines=(line,), start=piece.start + n)).facts
            heard |= {(f.operation, f.error) for f in more if isinstance(f, Failure)}
            yield from (_attribute(f, told) for f in more)


def _attribute(fact: Fact, told: Collection[Fact]) -> Fact:
    """Attribute a fact without a named object to the only one of its kind that the rows around it are
    about.
    """
    others = {f.about for f in told if f.about.kind == fact.about.kind} if fact.about.block else set()
    return replace(fact, about=others.pop()) if len(others) == 1 else fact
