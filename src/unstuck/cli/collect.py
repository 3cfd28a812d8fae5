"""`collect`: what `why` would use, as one file for an answer elsewhere."""

from __future__ import annotations

from pathlib import Path

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.ask import Sight, ask_one, look_closer, saved_facts
from unstuck.cli.connecting import Cluster, Connection, Place, Reach, connect
from unstuck.cli.files import unwritable
from unstuck.cli.lang import Lang
from unstuck.cli.leaving import tidied
from unstuck.cli.progress import progress
from unstuck.cli.redacting import Redacted, redacted
from unstuck.cli.scan import ALL, deepen, survey
from unstuck.cli.subjects import SCAN, not_fine, parse_subject
from unstuck.cli.ways import NOT_ASKED
from unstuck.collect.bundle.write import BundleFile
from unstuck.collect.outfile import check_target
from unstuck.engine import listed
from unstuck.engine.many import leading
from unstuck.errors import InputError
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Refused
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text
from unstuck.render.words import in_lang

# Of a Namespace or a cluster, so many of those that are not fine are looked at as `why` looks, their Nodes included: one of each that
# look the same. An agent answers six questions a minute.
CLOSELY = 10


@record()
class Collect(Record):
    """The question as it was typed. subject: none for a whole Namespace, or with `everywhere` the cluster. file: where to.

    redact: names and addresses are replaced. overwrite: a file of that name may be replaced.
    """

    subject: tuple[str, ...]
    everywhere: bool
    file: str
    place: Place
    sight: Sight
    lang: Lang
    after: float | None = None
    redact: bool = False
    overwrite: bool = False


def collect(asked: Collect) -> int:
    """Writes the file, says what is in it, and returns 0.

    Errors: `UnstuckError` where the question cannot be asked, InputError where the file cannot be written; no file is left behind then.
    """
    parse_subject(asked.subject, None)
    _refuse_taken(asked)
    to = connect(asked.place, dry_run=asked.sight.dry_run, ask_registry=asked.sight.ask_registry)
    try:
        out = BundleFile(asked.file, replace=asked.overwrite)
        with tidied(out.abandon), out:
            saved, told = _seen(to, asked)
            hidden = redacted(saved) if asked.redact else None
            out.write(hidden.saved if hidden else saved, __version__, told, hidden.report if hidden else None)
    except FileExistsError as e:
        raise _taken(asked.file) from e
    except OSError as e:
        raise unwritable(asked.file, "-o", e) from e
    terminal.emit(_summary(asked, saved, told, hidden))
    return 0


def _refuse_taken(asked: Collect) -> None:
    """Before anybody waits for a cluster. Errors: InputError."""
    try:
        check_target(asked.file, replace=asked.overwrite)
    except FileExistsError as e:
        raise _taken(asked.file) from e


def _taken(file: str) -> InputError:
    return InputError(
        Text(f"{file} exists and was left as it is", f"{file} 已存在，保持原样"),
        Text("give another name, or --overwrite", "请换一个名称，或使用 --overwrite"),
    )


def _seen(to: Connection, asked: Collect) -> tuple[Saved, dict[str, int]]:
    """What was seen, and how many were not fine and how many of them were looked at closely."""
    reach = to.reach(asked.sight, asked.lang, terminal.answering()) if asked.sight.node else None
    subject = parse_subject(asked.subject, to.namespace)
    if subject is not None:
        snap, diagnosis = ask_one(to.fresh(), subject, asked.sight, asked.after, reach)
        return Saved(snap, diagnosis.subject, asked.after), {"subjects": 1, "closely": 1}
    return _whole(to.fresh(), None if asked.everywhere else to.namespace, asked, reach)


def _whole(cluster: Cluster, within: str | None, asked: Collect, reach: Reach | None) -> tuple[Saved, dict[str, int]]:
    """A Namespace or the cluster: as a scan sees it, then the worst of it as `why` does."""
    with progress(f"{cluster.source}: {within or in_lang(ALL, asked.lang)}") as spinner:
        cluster.on_progress(
            lambda pods, ill: spinner.say(
                in_lang(Text(f"{pods} Pods, {ill} look ill", f"{pods} 个 Pod，其中 {ill} 个看似异常"), asked.lang)
            )
        )
        snap = deepen(cluster, survey(cluster, within), within, asked.after, listed())
        snap = snap.plus(*saved_facts(asked.sight.facts))
        found = not_fine(snap, asked.after, within)
        closely = leading(found, snap)[:CLOSELY]
        # A scan asks no node; what was not asked then is asked now.
        snap = Snapshot((f for f in snap.facts if not (isinstance(f, Refused) and f.src.where == NOT_ASKED)), snap.now, snap.sources)
        for i, ref in enumerate(closely, 1):
            spinner.say(f"{i}/{len(closely)} {ref}")
            snap, _ = look_closer(cluster, (ref, snap), asked.sight, asked.after, reach, spinner)
    return Saved(snap, Ref(SCAN, within), asked.after), {"subjects": len(found), "closely": len(closely)}


def _summary(asked: Collect, saved: Saved, told: dict[str, int], hidden: Redacted | None) -> str:
    """What was written, and what to do with it."""
    snap = saved.snapshot
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
    if told["subjects"] > told["closely"]:
        lines.append(
            Text(
                f"{told['subjects']} objects are not fine; {told['closely']} of them, one of each kind of trouble, were looked at closely",
                f"{told['subjects']} 个对象不正常；其中 {told['closely']} 个（每种问题取其一）已仔细查看",
            )
        )
    lines += hidden.said if hidden else ()
    lines.append(Text(f"read it anywhere: unstuck read {asked.file}", f"在任何地方读取：unstuck read {asked.file}"))
    return "".join(f"{in_lang(line, asked.lang)}\n" for line in lines)
