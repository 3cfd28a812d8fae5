"""`read`: answers from texts that a person has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import click

from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer, report_of
from unstuck.cli.ask import now
from unstuck.cli.files import read_bytes, write_saved
from unstuck.cli.progress import Spinner, progress
from unstuck.cli.replay import answered
from unstuck.cli.subjects import parse_subject
from unstuck.errors import InputError, NotFound
from unstuck.facts.codec import FormatError, Saved
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text
from unstuck.render.visible import visible

# A paste is made and read in one go.
_LATE = timedelta(minutes=10)
_READING = Text("reading", "正在读取")


@record()
class Read(Record):
    """The question as it was typed."""

    paths: tuple[str, ...]
    subject: str | None
    namespace: str | None
    show_facts: bool
    shape: Shape
    after: float | None = None
    save: str | None = None


def read(asked: Read) -> int:
    """Prints the answers and returns the exit status. Errors: InputError where nothing can be read, NotFound for --subject."""
    with progress(_READING.zh if asked.shape.lang == "zh" else _READING.en) as spinner:
        snap, seen = read_paths(asked.paths, spinner if terminal.moving() else None)
    for said in seen.said:
        click.echo(visible(said.zh if asked.shape.lang == "zh" else said.en), err=True)
    if not snap.facts and seen.refused:
        raise InputError(seen.refused[0])
    for said in seen.refused:
        click.echo(visible(said.zh if asked.shape.lang == "zh" else said.en), err=True)
    if not snap.facts:
        named = ", ".join(asked.paths)
        raise InputError(
            Text(f"nothing in {named} could be read as Kubernetes evidence", f"{named} 中没有任何内容可作为 Kubernetes 证据读取"),
            Text(
                "useful would be kubectl's -o yaml, describe and events, the kubelet's log, dmesg, or a support bundle",
                "有用的内容包括：kubectl 的 -o yaml、describe 与 events，kubelet 日志，dmesg，或诊断包",
            ),
        )
    if not asked.show_facts and _strangers_alone(snap):
        named = ", ".join(asked.paths)
        raise InputError(
            Text(f"{named} holds nothing but a container's own log", f"{named} 中只有容器自身的日志"),
            Text(
                "it tells what the program says, not what became of it; useful would be kubectl's describe or -o yaml of its Pod",
                "它只说明程序的输出，不说明容器的结局；请附上其 Pod 的 kubectl describe 或 -o yaml",
            ),
        )
    if asked.show_facts:
        from unstuck.render.facts import facts_text  # noqa: PLC0415

        terminal.emit(facts_text(snap.facts, asked.shape.lang, terminal.colour(), seen.missed, seen.understood))
        return 0
    question = question_of(asked, snap, seen)
    if asked.save:
        write_saved(asked.save, question)
    found, view = answered(question)
    return answer(report_of(snap, found, view), asked.shape, view)


def _strangers_alone(snap: Snapshot) -> bool:
    """Whether all that was read is what programs wrote: that nothing is amiss does not follow."""
    from unstuck.facts.aspects.pod import LastLines  # noqa: PLC0415

    return all(isinstance(f, LastLines) for f in snap.facts)


def question_of(asked: Read, snap: Snapshot, seen: Seen) -> Saved:
    """What is asked about these facts: what was typed, else what a Snapshot that is all there is was asked. Errors: NotFound."""
    ref = _subject(asked, snap)
    alone = seen.saved[0] if len(seen.saved) == 1 and seen.saved[0].snapshot.facts == snap.facts else None
    if alone is None or ref is not None:
        return Saved(snap, ref, asked.after)
    return Saved(snap, alone.asked, alone.after if asked.after is None else asked.after)


@dataclass(slots=True)
class Seen:
    """understood: (format, `FILE:FIRST-LAST`). missed: places that no reader understood. said: what was not read, and why, and as of when.

    saved: Snapshots that were found. refused: why others were not read.
    """

    understood: list[tuple[str, str]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    said: list[Text] = field(default_factory=list)
    saved: list[Saved] = field(default_factory=list)
    refused: list[Text] = field(default_factory=list)


def read_all(paths: tuple[str, ...]) -> tuple[Snapshot, list[str]]:
    """As `read_paths`, with no more than the places that no reader understood."""
    snap, seen = read_paths(paths)
    return snap, seen.missed


@record()
class _Path(Record):
    """One that was named. name: what sources call it. data: its bytes where it can be read but once (a pipe, `<(command)`), else None."""

    path: str
    name: str
    data: bytes | None
    bundle: bool
    written: float | None

    def text(self) -> str:
        """Of what is no bundle. Errors: InputError."""
        from unstuck.collect.text.split import text_of  # noqa: PLC0415

        return text_of(self.data if self.data is not None else read_bytes(self.path))


def read_paths(paths: tuple[str, ...], spinner: Spinner | None = None) -> tuple[Snapshot, Seen]:
    """Every text and bundle as facts of one moment, and what of them was understood. spinner: shows how far it is.

    That moment is a Snapshot's own, or when a description in the texts was printed, or when the last of them was written, where that can be
    told, or now.
    Errors: InputError for a path that cannot be read.
    """
    from unstuck.collect.bundle.members import size_of  # noqa: PLC0415

    def watch(told: Callable[[], int]) -> None:
        if spinner:
            spinner.share(lambda: (passed + told()) / total)

    sizes = [size_of(path) if spinner and path != "-" else 0 for path in paths]
    total, passed = max(1, sum(sizes)), 0
    opened = [_opened(path) for path in paths]
    at = now()
    printed = _printed_at(opened, at)
    facts: set[Fact] = set()
    seen = Seen()
    told: list[datetime] = []
    for one, size in zip(opened, sizes, strict=True):
        before = len(facts)
        with _refusing(one.path):
            more, when = _bundle(one, at, seen, watch) if one.bundle else _text(one, printed, at, seen)
        if more:
            told.append(when)
        facts |= more
        passed += size
        if len(facts) == before and len(paths) > 1:
            seen.said.append(
                Text(f"nothing in {one.path} could be read as Kubernetes evidence", f"{one.path} 中没有任何内容可作为 Kubernetes 证据读取")
            )
    # A Snapshot knows its own moment, and who was asked; nothing that it holds is later.
    moment = max((s.snapshot.now for s in seen.saved), default=max(told, default=at))
    if not seen.saved and at - moment > _LATE:
        then = f"{moment:%Y-%m-%d %H:%M} UTC"
        seen.said.append(Text(f"read as of {then}, when it was written", f"按写入时刻 {then} 的状态解读"))
    return Snapshot(facts, moment, [*(f"file:{p}" for p in paths), *(w for s in seen.saved for w in s.snapshot.sources)]), seen


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        why = e.strerror or e
        raise InputError(Text(f"cannot read {path}: {why}", f"无法读取 {path}：{why}")) from e
    except FormatError as e:
        raise InputError(Text(f"{path}: {e.said.en}", f"{path}：{e.said.zh}")) from e


def _opened(path: str) -> _Path:
    """Errors: InputError."""
    from unstuck.collect.bundle.members import begins_bundle, is_bundle  # noqa: PLC0415
    from unstuck.collect.text import large  # noqa: PLC0415

    name = "stdin" if path == "-" else path.rstrip("/").rpartition("/")[2] or path
    data = None if path != "-" and (Path(path).is_file() or Path(path).is_dir() or not Path(path).exists()) else read_bytes(path)
    with _refusing(path):
        return _Path(
            path,
            name,
            data,
            is_bundle(path) if data is None else begins_bundle(data[:512]) or len(data) > large.FROM,
            Path(path).stat().st_mtime if data is None else None,
        )


def _printed_at(opened: list[_Path], latest: datetime) -> datetime | None:
    """Of short texts alone: what is beside a bundle or a long log may be of any time."""
    from unstuck.collect.bundle.members import size_of  # noqa: PLC0415
    from unstuck.collect.text import large  # noqa: PLC0415
    from unstuck.collect.text.moment import printed_at  # noqa: PLC0415

    short = [o for o in opened if not o.bundle and (o.data is not None or size_of(o.path) <= large.FROM)]
    return printed_at((o.text() for o in short), latest) if len(short) == len(opened) else None


def _bundle(one: _Path, at: datetime, seen: Seen, watch: Callable[[Callable[[], int]], None]) -> tuple[set[Fact], datetime]:
    from unstuck.collect.bundle import read_bundle  # noqa: PLC0415

    got = read_bundle(one.path if one.data is None else one.name, at, data=one.data, watch=watch)
    seen.understood += got.understood
    seen.missed += got.missed
    seen.said += got.said
    seen.saved += got.saved
    seen.refused += got.refused
    return set(got.facts), got.at or at


def _text(one: _Path, printed: datetime | None, at: datetime, seen: Seen) -> tuple[set[Fact], datetime]:
    """printed: when, where that is known. at: when it is read."""
    from unstuck.collect.bundle.read import span  # noqa: PLC0415
    from unstuck.collect.bundle.written import belies, moment  # noqa: PLC0415
    from unstuck.collect.text import read_text  # noqa: PLC0415

    when = printed or moment(one.written, at)
    text = read_text(one.text(), one.name, when)
    if printed is None and belies(text.facts, when):
        when, text = at, read_text(one.text(), one.name, at)
    seen.understood += [(form, span(one.name, first, last)) for first, last, form in text.understood]
    seen.missed += [span(one.name, first, last) for first, last in text.not_understood]
    return set(text.facts), when


def _subject(asked: Read, snap: Snapshot) -> Ref | None:
    if not asked.subject:
        return None
    ref = parse_subject((asked.subject,), asked.namespace)
    if ref is None:
        return None
    named = snap.subjects(ref.kind) or _customs(ref.kind, snap)
    if known := [r for r in named if r.name == ref.name and ref.within in (None, r.within)]:
        return known[0]
    # By another of its names: a log tells a Pod's uid and no Namespace.
    if (same := snap.canon(ref)) in named:
        return same
    others = ", ".join(str(r) for r in named[:5])
    raise NotFound(
        Text(f"nothing in the text is about {asked.subject}", f"文本中没有关于 {asked.subject} 的内容"),
        Text(f"it speaks of {others}", f"其中提到 {others}") if others else None,
    )


def _customs(word: str, snap: Snapshot) -> tuple[Ref, ...]:
    """What the facts are about of a kind that is not Kubernetes' own, as a person types it: `widget`, `widgets`, `widgets.example.com`."""
    name, _, group = word.lower().partition(".")
    about = {snap.canon(f.about) for f in snap.facts if "." in f.about.kind}
    kinds = {k for k in {r.kind for r in about} if _means(name, k.lower()) and group in ("", k.partition(".")[2].lower())}
    return tuple(sorted((r for r in about if r.kind in kinds), key=lambda r: r.key))


def _means(word: str, kind: str) -> bool:
    """A plural is the kind with another end, as a CRD's author chose it: `-s`, `-es`, `-ies` for `-y`."""
    one = kind.partition(".")[0]
    return word in (one, f"{one}s", f"{one}es", f"{one[:-1]}ies")
