"""Writes the evidence for an answer into one file, for use elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from unstuck import __version__
from unstuck.api.investigation import Means, ask_one, look_closer, read_saved_facts
from unstuck.api.node_access import Guard, close_on_error
from unstuck.api.ranking import SCAN, find_unwell
from unstuck.api.reader import ClusterReader
from unstuck.api.redaction import Redacted, redact_saved
from unstuck.api.saved_files import make_unwritable_error
from unstuck.api.scanning import JudgingOptions, ScanProgress, deepen, survey
from unstuck.collect.bundle.write import BundleFile
from unstuck.collect.output_file import check_target
from unstuck.engine import list_causes
from unstuck.engine.batch import choose_representatives
from unstuck.engine.evaluator import Evaluator
from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Refused
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages

say = Messages(__name__)


# The number of unhealthy objects of a Namespace or a cluster examined as in `why`, with their Nodes: one per
# group of similar objects. An agent answers six questions a minute.
CLOSELY = 10


class CloserProgress(Protocol):
    """A callable for progress reports on the examined objects."""

    def __call__(self, number: int, of: int, subject: Ref, /) -> None:
        """Take note of the object under examination. number: its index, from 1. of: the number of objects."""


@record()
class Collected(Record):
    """The written file. saved: the Snapshot before redaction. subjects: the number of unhealthy objects (1
    for a question about one object).

    closely: the number of closely examined ones, nodes included. redacted: the replacements, None without
    redaction.
    """

    saved: Saved
    subjects: int
    closely: int
    redacted: Redacted | None = None


@record()
class CollectionOrder(Record):
    """The scope of a collection. subject: None for a Namespace, or for the whole cluster if `within` is
    None too.
    """

    subject: Ref | None
    within: str | None
    means: Means
    after: float | None = None
    progress: ScanProgress | None = None
    looking: CloserProgress | None = None


def check_free(path: str, *, overwrite: bool) -> None:
    """Refuse an existing file before waiting for a cluster. Errors: InputError."""
    try:
        check_target(path, replace=overwrite)
    except FileExistsError as e:
        raise _exists_error(path) from e


def collect_into(
    path: str,
    reader: Callable[[], ClusterReader],
    order: CollectionOrder,
    *,
    redact: bool,
    overwrite: bool,
    guard: Guard = close_on_error,
) -> Collected:
    """Write the file, or leave none behind. guard: as in `Nodes`; entered with a callable to remove the
    unfinished file.

    Errors: InputError if the file cannot be written, else those of `unstuck.errors`.
    """
    check_free(path, overwrite=overwrite)
    try:
        out = BundleFile(path, replace=overwrite)
        with guard(out.abandon), out:
            seen = (
                _collect_one(reader(), order.subject, order)
                if order.subject
                else _collect_all(reader(), order)
            )
            hidden = redact_saved(seen.saved) if redact else None
            counts = {"subjects": seen.subjects, "closely": seen.closely}
            out.write(
                hidden.saved if hidden else seen.saved, __version__, counts, hidden.report if hidden else None
            )
    except FileExistsError as e:
        raise _exists_error(path) from e
    except OSError as e:
        raise make_unwritable_error(path, e) from e
    return Collected(seen.saved, seen.subjects, seen.closely, hidden)


def _exists_error(path: str) -> InputError:
    return InputError(
        say("{path} exists and was left as it is", path=path),
        say("give another name, or --overwrite"),
    )


def _collect_one(reader: ClusterReader, subject: Ref, order: CollectionOrder) -> Collected:
    snap, diagnosis = ask_one(reader, subject, order.means, order.after)
    return Collected(Saved(snap, diagnosis.subject, order.after), 1, 1)


def _collect_all(reader: ClusterReader, order: CollectionOrder) -> Collected:
    """Look at a Namespace or the cluster as a scan does, then at its worst problems as `why` does."""
    within, after = order.within, order.after
    if order.progress is not None:
        reader.on_progress(order.progress)
    evaluator = Evaluator()
    snap = deepen(reader, survey(reader, within), within, JudgingOptions(list_causes(), after, evaluator))
    snap = snap.plus(*read_saved_facts(order.means.facts))
    found = find_unwell(snap, after, within, evaluator)
    closely = choose_representatives(found, snap)[:CLOSELY]
    # A scan asks no node; its open questions are asked now.
    snap = Snapshot(
        (f for f in snap.facts if not (isinstance(f, Refused) and f.origin == "nobody")),
        snap.now,
        snap.sources,
    )
    for i, ref in enumerate(closely, 1):
        if order.looking is not None:
            order.looking(i, len(closely), ref)
        snap, _ = look_closer(reader, ref, snap, order.means, after, evaluator)
    return Collected(Saved(snap, Ref(SCAN, within), after), len(found), len(closely))
