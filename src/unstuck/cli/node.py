"""`node`: this machine's own evidence, and the conclusions from it alone."""

from __future__ import annotations

from unstuck import __version__
from unstuck.api.saved_files import write_saved
from unstuck.api.this_machine import look_at_node
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, dump_document, format_report
from unstuck.cli.progress import progress
from unstuck.cli.status import status_of
from unstuck.facts.codec import Saved, save
from unstuck.facts.record import Record, record


@record()
class NodeRequest(Record):
    """The question as typed. pod: its uid. touch: whether mounts that may hang are touched. seconds: the time
    limit, None for the default.
    """

    root: str
    pod: str | None
    shape: OutputOptions
    save: str | None = None
    touch: bool = False
    seconds: float | None = None


def node(request: NodeRequest) -> int:
    """Print the facts file (json, yaml), or the answer from this node alone and the facts below it (text).

    Errors: InputError if `root` is no node or is unreadable.
    """
    with progress("node"):
        saved = look_at_node(request.root, request.pod, touch=request.touch, seconds=request.seconds)
    if request.save:
        write_saved(request.save, saved)
    if request.shape.output != "text":
        terminal.emit(dump_document(save(saved, __version__), request.shape.output))
        return 0
    return _text(saved, request.shape)


def print_script() -> int:
    """Print the collector for hosts without Python."""
    from unstuck.collect.script import script_text

    terminal.emit(script_text())
    return 0


def _text(saved: Saved, shape: OutputOptions) -> int:
    from unstuck.api.replaying import replay_saved
    from unstuck.render.facts import write_facts

    report = replay_saved(saved)
    terminal.emit(
        format_report(report, shape) + "\n" + write_facts(saved.snapshot.facts, shape.lang, terminal.colour())
    )
    return status_of(report.answer)
