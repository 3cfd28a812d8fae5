"""`read`: answers from texts that a person has."""

from __future__ import annotations

from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer, emit, report_of
from unstuck.cli.ask import now
from unstuck.cli.files import read_bytes, write_saved
from unstuck.cli.replay import from_text
from unstuck.cli.subjects import parse_subject
from unstuck.engine import diagnose, listed
from unstuck.errors import InputError, NotFound
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot


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
    snap, missed = read_all(asked.paths)
    if not snap.facts:
        named = ", ".join(asked.paths)
        raise InputError(
            f"nothing in {named} could be read as Kubernetes evidence", "kubectl's -o yaml, describe and events, or the kubelet's log can"
        )
    if asked.show_facts:
        from unstuck.render.facts import facts_text  # noqa: PLC0415

        emit(facts_text(snap.facts, asked.shape.lang, terminal.colour(), missed))
        return 0
    ref = _subject(asked, snap)
    if asked.save:
        write_saved(asked.save, Saved(snap, ref, asked.after))
    if ref:
        return answer(report_of(snap, [diagnose(ref, snap, listed(), asked.after)]), asked.shape)
    found, view = from_text(snap, asked.after)
    return answer(report_of(snap, found), asked.shape, view)


def read_all(paths: tuple[str, ...]) -> tuple[Snapshot, list[str]]:
    """Every text as facts of one moment, and the places (`FILE:FIRST-LAST`) that no reader understood.

    Errors: InputError for a file that cannot be read.
    """
    from unstuck.collect.text import read_text  # noqa: PLC0415

    at = now()
    facts: set[Fact] = set()
    missed: list[str] = []
    for path in paths:
        name = "stdin" if path == "-" else path.rpartition("/")[2] or path
        got = read_text(read_bytes(path).decode("utf-8", "replace"), name, at)
        facts |= set(got.facts)
        missed += [f"{name}:{first}" if first == last else f"{name}:{first}-{last}" for first, last in got.not_understood]
    return Snapshot(facts, at, [f"file:{p}" for p in paths]), missed


def _subject(asked: Read, snap: Snapshot) -> Ref | None:
    if not asked.subject:
        return None
    ref = parse_subject((asked.subject,), asked.namespace)
    if ref is None:
        return None
    named = snap.subjects(ref.kind)
    if known := [r for r in named if r.name == ref.name and ref.within in (None, r.within)]:
        return known[0]
    others = ", ".join(str(r) for r in named[:5])
    raise NotFound(f"nothing in the text is about {asked.subject}", f"it speaks of {others}" if others else "")
