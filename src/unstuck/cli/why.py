"""`why`: one object's answer, once or until something is known."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from unstuck.api.subject import parse_subject
from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer
from unstuck.cli.connecting import Place, Sight, connected, consenting
from unstuck.cli.progress import progress
from unstuck.facts.record import Record, record
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.cluster import Cluster
    from unstuck.api.report import Report
    from unstuck.diagnosis.answer import Diagnosis
    from unstuck.facts.core import Ref


@record()
class Why(Record):
    """The question as it was typed. after: seconds. timeout: seconds to wait, None for asking once."""

    subject: tuple[str, ...]
    place: Place
    sight: Sight
    shape: Shape
    after: float | None = None
    save: str | None = None
    timeout: float | None = None


def why(asked: Why) -> int:
    """Prints the answer, saves its Snapshot where that was wanted, and returns its exit status.

    Errors: `UnstuckError` where the question cannot be asked.
    """
    parse_subject(asked.subject, None)
    cluster = connected(asked.place, asked.sight)
    report = _report(cluster, parse_subject(asked.subject, cluster.namespace), asked)
    if asked.save:
        report.save(asked.save)
    return answer(report, asked.shape)


def _report(cluster: Cluster, subject: Ref | None, asked: Why) -> Report:
    source = cluster.source
    with progress(f"{source}: {subject or cluster.namespace}") as spinner:
        # Only for an answer in text a question may be put to whoever sits at the terminal.
        ask = asked.shape.output == "text" and terminal.answering()
        nodes = consenting(asked.sight.nodes, asked.shape.lang, spinner, ask=ask)
        if subject is None or asked.timeout is None:
            return cluster.why(subject, nodes=nodes, facts=asked.sight.facts, after=asked.after)

        def pause(diagnosis: Diagnosis, seconds: float) -> None:
            with spinner.labelled(f"{source}: {in_lang(diagnosis.state.headline, asked.shape.lang)}"):
                time.sleep(seconds)

        return cluster.wait(subject, timeout=asked.timeout, nodes=nodes, facts=asked.sight.facts, after=asked.after, pause=pause)
