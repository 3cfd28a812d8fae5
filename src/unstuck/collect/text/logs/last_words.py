"""The last lines of klog: with severity F the process exits. Process 1 of a log that no node's journal holds
is a container's.

Source: k8s.io/klog klog.go (Fatal: `then calls OsExit(255)`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Fact, Ref, Same
from unstuck.facts.derive.pods import place_of_containers
from unstuck.wording.klog import KlogRecord
from unstuck.wording.program.read import find_complaint

_LONGEST = 300


def parse_last_words(record: KlogRecord, piece: Piece, about: Ref | None = None) -> list[Failure]:
    """Return the program's end from the last record of a log, if nothing follows it. about: the program's
    owner, if known; the Pod named in the message is only a Pod that it works on.
    """
    if not piece.closes or record.severity != "F" or record.pid != 1 or record.program or record.host:
        return []
    said = mask(record.message.strip())[:_LONGEST]
    src = piece.src(record.index, said, record.at)
    about = about or piece.block("Pod")
    return [
        Failure(about=about, src=src, operation="program-run", error="fatal", message=said, first=record.at)
    ]


def find_last_lines(facts: Collection[Fact]) -> Iterator[LastLines]:
    """Yield the last words with a reason of a program whose Pod the text names elsewhere; only for a Pod
    without a log.
    """
    others = {f.about: f.other for f in facts if isinstance(f, Same)}
    logged = {f.about.within for f in facts if isinstance(f, LastLines)}
    for end in (
        f for f in facts if isinstance(f, Failure) and f.operation == "program-run" and f.error == "fatal"
    ):
        pod = others.get(end.about, end.about)
        said = find_complaint((end.message,))
        if said and pod.kind == "Pod" and pod.name and (within := place_of_containers(pod)) not in logged:
            yield LastLines(
                about=Ref("Container", within, end.container),
                src=end.src,
                lines=(end.message,),
                complaint=replace(said, final=True),
                whole=False,
            )
