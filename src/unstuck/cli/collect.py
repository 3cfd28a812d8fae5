"""`collect`: what `why` would use, as one file for an answer elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unstuck.api.collecting import check_free
from unstuck.api.subject import parse_subject
from unstuck.cli import terminal
from unstuck.cli.connecting import ClusterOptions, EvidenceOptions, connected, consenting
from unstuck.cli.lang import Lang
from unstuck.cli.progress import progress
from unstuck.cli.scan import ALL, counts
from unstuck.diagnosis.asking import reading
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.record import Record, record
from unstuck.facts.text import NO_TEXT, Messages
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.collecting import Collected

say = Messages(__name__)


@record()
class CollectRequest(Record):
    """The question as it was typed. subject: none for a whole Namespace, or with `everywhere` the cluster. file: where to.

    redact: names and addresses are replaced. overwrite: a file of that name may be replaced.
    """

    subject: tuple[str, ...]
    everywhere: bool
    file: str
    place: ClusterOptions
    sight: EvidenceOptions
    lang: Lang
    after: float | None = None
    redact: bool = False
    overwrite: bool = False


def collect(asked: CollectRequest) -> int:
    """Write the file, says what is in it, and returns 0.

    Errors: `UnstuckError` where the question cannot be asked, InputError where the file cannot be written; no file is left behind then.
    """
    parse_subject(asked.subject, None)
    check_free(asked.file, overwrite=asked.overwrite)
    cluster, lang = connected(asked.place, asked.sight), asked.lang
    subject = parse_subject(asked.subject, cluster.namespace)
    whom = subject or (in_lang(ALL, lang) if asked.everywhere else cluster.namespace)
    with progress(f"{cluster.source}: {whom}") as spinner:
        done = cluster.collect(
            asked.file,
            subject,
            everywhere=asked.everywhere,
            nodes=consenting(asked.sight.nodes, lang, spinner, ask=terminal.answering()),
            facts=asked.sight.facts,
            after=asked.after,
            redact=asked.redact,
            overwrite=asked.overwrite,
            progress=lambda pods, ill: spinner.say(in_lang(counts(pods, ill), lang)),
            looking=lambda number, of, ref: spinner.say(f"{number}/{of} {ref}"),
        )
    terminal.emit(_summary(asked, done))
    return 0


def _summary(asked: CollectRequest, done: Collected) -> str:
    """Return what was written, and what to do with it."""
    snap = done.saved.snapshot
    size = max(1, Path(asked.file).stat().st_size // 1024)
    nodes = sum(s.startswith("node:") for s in snap.sources)
    whose = NO_TEXT if not nodes else say(" and one node") if nodes == 1 else say(" and {nodes} nodes", nodes=nodes)
    seen = say("observations of the cluster") + whose
    lines = [say("{file}: {n} {seen}, {size} KiB", file=asked.file, n=len(snap.facts), seen=seen, size=size)]
    if not nodes and snap.every(Unreached):
        lines.append(say("no node could be looked at; --ssh, --probe, or --here on the node, add what only a node tells"))
    if done.subjects > done.closely:
        lines.append(
            say(
                "{subjects} objects are not fine; {closely} of them, one of each kind of trouble, were looked at closely",
                subjects=done.subjects,
                closely=done.closely,
            )
        )
    lines += done.redacted.said if done.redacted else ()
    read = reading(asked.file).line
    lines.append(say("read it anywhere: {read}", read=read))
    return "".join(f"{in_lang(line, asked.lang)}\n" for line in lines)
