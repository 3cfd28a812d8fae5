"""Differences between two answers about the same objects, apart from ages. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.api.report import Report
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.core import Ref
from unstuck.facts.text import Messages, Text
from unstuck.render.words import WORDS

say = Messages(__name__)


def list_changes(before: Report, now: Report) -> tuple[Text, ...]:
    """Return the changes, object by object: new and vanished objects, and changed states, stages and
    causes.
    """
    old = {_name(d.subject): d for d in before.diagnoses}
    new = {_name(d.subject): d for d in now.diagnoses}
    texts = [
        text
        for who, d in new.items()
        for text in (_list_differences(old[who], d) if who in old else _describe_arrival(d))
    ]
    return (*texts, *(say("{who} is no longer among them", who=who) for who in old if who not in new))


def is_all_fine(report: Report) -> bool:
    """Tell whether every object in question is fine, and no other problem was found."""
    return not report.failed and all(d.state.name == "fine" and not d.broken for d in report.diagnoses)


def _name(ref: Ref) -> str:
    """Name the object without its uid: a Pod of a StatefulSet returns with a new uid."""
    return str(Ref(ref.kind, ref.within, ref.name, None if ref.name else ref.uid, ref.block))


def _describe_arrival(d: Diagnosis) -> Iterator[Text]:
    yield d.state.headline


def _list_differences(old: Diagnosis, new: Diagnosis) -> Iterator[Text]:
    who = _name(new.subject)
    if old.subject.uid and new.subject.uid and old.subject.uid != new.subject.uid:
        yield say("{who} is another object now, uid {uid}", who=who, uid=new.subject.uid)
    if old.state.name != new.state.name:
        yield new.state.headline
    old_states = {stage.id: stage.state for stage in old.stages}
    for stage in new.stages:
        if stage.state == "done" and old_states.get(stage.id) not in (None, "done"):
            yield say("{who}: {says} ✓", who=who, says=stage.says)
        if stage.state == "not-done" and old_states.get(stage.id) == "done":
            yield say("{who}: {says} ✗", who=who, says=stage.says)
    known = {cause.id: cause.confidence for cause in old.causes}
    for cause in new.causes:
        if known.get(cause.id) != cause.confidence:
            sure = WORDS[cause.confidence]
            yield say("{who}: {sure}: {says}", who=who, sure=sure, says=cause.finding.says)
    still = {cause.id for cause in new.causes}
    for id_ in (id_ for id_ in known if id_ not in still):
        yield say("{who}: {id} is no longer the cause", who=who, id=id_)
