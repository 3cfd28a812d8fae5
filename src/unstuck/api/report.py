"""The answer to one question, and its output formats."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from unstuck import __version__
from unstuck.diagnosis.answer import Answer, Diagnosis, Incident
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Refused
from unstuck.facts.record import Record, record, replace
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text

Lang = Literal["en", "zh"]
View = Literal["why", "scan"]
Detail = Literal["short", "wide", "all"]


@record()
class Report(Record):
    """The answer to one question. The same Snapshot and question always give the same document and texts.

    answer: the record behind every format. saved: the Snapshot with the question, in the form of `save`.
    view: "why" for answers about single objects, "scan" for a survey. notes: unreadable input with the
    reasons, in two languages. failed: the objects of failed questions, with the reasons.
    """

    answer: Answer
    saved: Saved
    view: View = "why"
    notes: tuple[Text, ...] = ()
    failed: tuple[Text, ...] = ()

    def __repr__(self) -> str:
        """Return one line: thousands of facts are no help at a prompt."""
        from unstuck.render.visible import visible

        heads = "; ".join(d.state.headline.en for d in self.diagnoses[:3]) or "no problems found"
        more = len(self.diagnoses) - 3
        return (
            f"<Report {self.view} as of {self.at:%Y-%m-%d %H:%M:%S}Z: "
            f"{visible(heads)}{f'; and {more} more' if more > 0 else ''}>"
        )

    @property
    def at(self) -> datetime:
        """Return the time of the Snapshot, in UTC: the reference of all durations in the answer."""
        return self.answer.at

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the sources: clusters, nodes and files."""
        return self.answer.sources

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Return one diagnosis per object, worst first."""
        return self.answer.diagnoses

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Return the diagnoses grouped by their root cause, stuck ones before those with time left; the
        widest group first.
        """
        return self.answer.incidents

    @property
    def not_seen(self) -> tuple[Refused, ...]:
        """Return, for a scan, the unanswered questions."""
        return self.answer.not_seen

    @property
    def left_out(self) -> tuple[Text, ...]:
        """Return, for a scan or several objects, the unasked questions, and how to ask them."""
        return self.answer.left_out

    @property
    def held(self) -> tuple[Ref, ...]:
        """Return, for `with_held`, the objects stopped on purpose."""
        return self.answer.held

    @property
    def snapshot(self) -> Snapshot:
        """Return the facts behind the answer."""
        return self.saved.snapshot

    def with_held(self) -> Report:
        """Return the report of a scan with a list of the objects stopped on purpose, in place of their
        count among `left_out`.
        """
        from unstuck.engine.omissions import count_held, find_held_objects

        stopped = find_held_objects(self.snapshot)
        told = replace(
            self.answer, held=stopped, left_out=tuple(t for t in self.left_out if t != count_held(stopped))
        )
        return replace(self, answer=told) if stopped else self

    def to_document(self, *, members: bool = False) -> dict[str, Any]:
        """Return the report as plain values: the `unstuck/v1` document, whose schema is docs/schema.json.

        members: whether each incident also names its members.
        """
        from unstuck.render.json import make_document

        return make_document(self.answer, members=members)

    def to_text(
        self,
        lang: Lang = "en",
        width: int = 100,
        *,
        colour: bool = False,
        explain: bool = False,
        members: bool = False,
        detail: Detail = "short",
    ) -> str:
        """Return the report as text for a terminal. It contains no control characters, except colours if
        `colour` is set.

        width: in cells, at least 20. explain: every sign of every cause instead of the answer. members: for a
        scan, every member of each incident. detail: for an object's answer, "short" for a screen, "wide" with
        every stage, "all" with the parts otherwise only counted.
        """
        if explain:
            from unstuck.render.explain import explain as explained

            return explained(self.answer, lang, width, colour)
        if self.view == "scan":
            from unstuck.render.scan import Manner, scan

            return scan(self.answer, lang, width, colour, Manner(members=members))
        from unstuck.render.text import write_text

        return write_text(self.answer, lang, width, colour, detail)

    def to_markdown(self, lang: Lang = "en", *, members: bool = False) -> str:
        """Return the answer in Markdown, for an issue or a chat.

        members: whether to list every member, or the first ten of each incident.
        """
        from unstuck.render.markdown import write_markdown

        return write_markdown(
            self.answer, lang, members=members, title=f"unstuck {self.view}", survey=self.view == "scan"
        )

    def to_html(self, lang: Lang = "en", *, members: bool = False) -> str:
        """Return the answer as one HTML page without external resources or scripts.

        members: whether the lists of members are unfolded.
        """
        from unstuck.render.html import write_html

        return write_html(
            self.answer, lang, members=members, title=f"unstuck {self.view}", survey=self.view == "scan"
        )

    def to_names(self) -> str:
        """Return the stuck objects, one per line, as arguments of another command: `pod/web-0 -n shop`."""
        from unstuck.render.names import names

        return names(self.answer)

    def to_junit(self, lang: Lang = "en") -> str:
        """Return JUnit XML: a test case for each object, failed if the object is stuck."""
        from unstuck.render.junit import write_junit

        return write_junit(self.answer, lang, f"unstuck {self.view}")

    def to_github(self, lang: Lang = "en") -> str:
        """Return the workflow commands for GitHub Actions to annotate a run."""
        from unstuck.render.github import write_github

        return write_github(self.answer, lang)

    def to_proof(self) -> str:
        """Return the smallest Snapshot that proves the first cause, as input of `unstuck verify`; "" if no
        cause is known.
        """
        from unstuck.api.proving import find_proof
        from unstuck.api.saved_files import to_text

        proof = find_proof(self)
        return to_text(proof) if proof else ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the Snapshot and the question to a file for `replay`; compressed if the path ends in `.gz`.

        The file is readable only by its owner and appears whole or not at all. Errors: InputError if it
        cannot be written.
        """
        from unstuck.api.saved_files import write_saved

        write_saved(os.fspath(path), self.saved)

    def _repr_html_(self) -> str:
        """Return the form for a notebook: a scan's page in a separate frame, or an answer's text."""
        from html import escape

        if self.view == "scan":
            return (
                f'<iframe srcdoc="{escape(self.to_html())}" sandbox '
                'style="width:100%;height:30em;border:0"></iframe>'
            )
        return f"<pre>{escape(self.to_text())}</pre>"


def report_of(
    saved: Saved,
    diagnoses: Sequence[Diagnosis],
    view: View = "why",
    notes: Iterable[Text] = (),
    left_out: Iterable[Text] = (),
) -> Report:
    """Return the report about these objects at the Snapshot's time; for a scan, with its unanswered and
    omitted questions.

    left_out: for a text, named objects without an answer.
    """
    from unstuck.engine.incidents import group_incidents

    snap = saved.snapshot
    answer = Answer(
        snap.now,
        snap.sources,
        tuple(diagnoses),
        group_incidents(diagnoses, snap),
        __version__,
        left_out=tuple(left_out),
    )
    if view == "scan":
        from unstuck.engine.omissions import describe_omissions as not_asked
        from unstuck.engine.omissions import find_unanswered

        answer = replace(
            answer, not_seen=find_unanswered(snap), left_out=(*not_asked(snap), *answer.left_out)
        )
    return Report(answer, saved, view, tuple(notes))
