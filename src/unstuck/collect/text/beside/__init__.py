"""Holds the outputs of one short text against each other: for each error that a line reports, finds the line
that shows its reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.architectures import find_architecture
from unstuck.collect.text.beside.configurations import (
    find_block_string,
    find_broken_line,
    find_second_line,
    find_unquoted,
    find_unread_setting,
)
from unstuck.collect.text.beside.owners import find_owner, find_user
from unstuck.collect.text.beside.page import ShownRow, ShownText, TextReport
from unstuck.collect.text.beside.servers import (
    find_full_file_system,
    find_loopback_listener,
    find_missing_export,
    find_name_outside,
    find_port_holder,
)
from unstuck.collect.text.beside.values import find_empty_variable, find_kept_data, find_line_break
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.beside import ShownReason
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Fact, Ref

# The narrower first: of several for one report, the first is told.
_RELATIONS = (
    find_port_holder,
    find_full_file_system,
    find_missing_export,
    find_loopback_listener,
    find_name_outside,
    find_architecture,
    find_broken_line,
    find_block_string,
    find_second_line,
    find_unread_setting,
    find_unquoted,
    find_owner,
    find_user,
    find_line_break,
    find_kept_data,
    find_empty_variable,
)
_MOST = 12


def find_beside(
    name: str, pieces: Sequence[tuple[str, Piece]], facts: Sequence[Fact]
) -> Iterator[ShownReason]:
    """Yield for each reported error the line that shows its reason. pieces: (format, piece), in order."""
    page = ShownText(
        tuple(
            ShownRow(line, piece, n)
            for _, piece in pieces
            for n, line in enumerate(piece.lines)
            if line.strip()
        )
    )
    about = Ref("Text", None, name)
    for report in _list_reports(facts, page)[:_MOST]:
        if found := next((f for find in _RELATIONS if (f := find(report, page))), None):
            row = found.row
            yield ShownReason(
                about=about,
                src=row.piece.src(row.n, mask(row.text.strip())),
                whole=False,
                relation=found.relation,
                at=report.at,
                line=report.line,
                name=found.name,
                value=found.value,
                other=found.other,
            )


def _list_reports(facts: Sequence[Fact], page: ShownText) -> list[TextReport]:
    """Return the errors that the text reports, each with its place."""
    found = dict[str, TextReport]()
    for f in facts:
        if isinstance(f, Failure):
            found.setdefault(f.src.where, TextReport(f.error, f.src.quote, f.src.where, path=f.path or ""))
        elif isinstance(f, ToldErrors):
            for item in f.items:
                said = item.complaint
                row = page.find(said.line)
                at = row.piece.src(row.n).where if row else f.src.where
                one = TextReport(said.error, said.line, at, item.by, said.name, said.port, said.path, said.at)
                found.setdefault(at, one)
    return [*found.values()]
