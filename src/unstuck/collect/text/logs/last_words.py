"""What klog writes last: with severity F the process exits. Process 1 of a log that no node's journal holds is a container's.

Source: k8s.io/klog klog.go (Fatal: `then calls OsExit(255)`).
"""

from __future__ import annotations

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.wording.klog import KlogRecord

_LONGEST = 300


def parse_last_words(record: KlogRecord, piece: Piece, about: Ref | None = None) -> list[Failure]:
    """Return the end of a program that the last record of a log tells of, if it does and nothing stands below. about: whose it is, the
    Pod that it names is one that it works for.
    """
    if not piece.closes or record.severity != "F" or record.pid != 1 or record.program or record.host:
        return []
    said = mask(record.message.strip())[:_LONGEST]
    src = piece.src(record.index, said, record.at)
    about = about or piece.block("Pod")
    return [Failure(about=about, src=src, operation="program-run", error="fatal", message=said, first=record.at)]
