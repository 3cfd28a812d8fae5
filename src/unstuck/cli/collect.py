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
from unstuck.facts.text import Text
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.collecting import Collected


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
    one = Text(" and one node", "及一个节点")
    whose = Text("", "") if not nodes else one if nodes == 1 else Text(f" and {nodes} nodes", f"及 {nodes} 个节点")
    seen = Text("observations of the cluster", "集群") + whose
    lines = [
        Text(f"{asked.file}: {len(snap.facts)} {seen.en}, {size} KiB", f"{asked.file}：{seen.zh}的 {len(snap.facts)} 条观察，{size} KiB")
    ]
    if not nodes and snap.every(Unreached):
        lines.append(
            Text(
                "no node could be looked at; --ssh, --probe, or --here on the node, add what only a node tells",
                "未能查看任何节点；--ssh、--probe，或在节点上用 --here，可补充只有节点才知道的内容",
            )
        )
    if done.subjects > done.closely:
        lines.append(
            Text(
                f"{done.subjects} objects are not fine; {done.closely} of them, one of each kind of trouble, were looked at closely",
                f"{done.subjects} 个对象不正常；其中 {done.closely} 个（每种问题取其一）已仔细查看",
            )
        )
    lines += done.redacted.said if done.redacted else ()
    read = reading(asked.file).line
    lines.append(Text(f"read it anywhere: {read}", f"在任何地方读取：{read}"))
    return "".join(f"{in_lang(line, asked.lang)}\n" for line in lines)
