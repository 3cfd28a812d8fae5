"""Sentences on the contents and the use of a written collection."""

from __future__ import annotations

from pathlib import Path

from unstuck.api.collecting import Collected
from unstuck.diagnosis.asking import ask_about_file
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.text import NO_TEXT, Messages, Text

say = Messages(__name__)


def summarize(file: str, collected: Collected) -> list[Text]:
    """Return one sentence per line. file: the path of the collection."""
    snap = collected.saved.snapshot
    size = max(1, Path(file).stat().st_size // 1024)
    nodes = sum(source.startswith("node:") for source in snap.sources)
    of_nodes = (
        NO_TEXT
        if not nodes
        else say(" and one node")
        if nodes == 1
        else say(" and {nodes} nodes", nodes=nodes)
    )
    seen = say("observations of the cluster") + of_nodes
    lines = [say("{file}: {n} {seen}, {size} KiB", file=file, n=len(snap.facts), seen=seen, size=size)]
    if not nodes and snap.every(Unreached):
        lines.append(
            say(
                "no node could be looked at; --ssh, --probe, or --here on the node, "
                "add what only a node tells"
            )
        )
    if collected.subjects > collected.closely:
        lines.append(
            say(
                (
                    "{subjects} objects are not fine; {closely} of them, one of each kind of trouble, were "
                    "looked at closely"
                ),
                subjects=collected.subjects,
                closely=collected.closely,
            )
        )
    lines += collected.redacted.said if collected.redacted else ()
    read = ask_about_file(file).line
    lines.append(say("read it anywhere: {read}", read=read))
    return lines
