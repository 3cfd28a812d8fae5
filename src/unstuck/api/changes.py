"""Differences between two answers about the same objects. Pure; ages alone are no difference."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.api.report import Report
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.core import Ref
from unstuck.facts.text import Text
from unstuck.render.words import WORDS


def changes(before: Report, now: Report) -> tuple[Text, ...]:
    """Return what has changed, object by object: what came or went, its state, its stages, its causes."""
    old = {_who(d.subject): d for d in before.diagnoses}
    new = {_who(d.subject): d for d in now.diagnoses}
    told = [text for who, d in new.items() for text in (_between(old[who], d) if who in old else _came(d))]
    return (*told, *(Text(f"{who} is no longer among them", f"{who} 已不在其中") for who in old if who not in new))


def fine(report: Report) -> bool:
    """Tell whether everything that was asked about is fine."""
    return not report.failed and all(d.state.name == "fine" for d in report.diagnoses)


def _who(ref: Ref) -> str:
    """Name it without its uid: a Pod of a StatefulSet comes back as another one."""
    return str(Ref(ref.kind, ref.within, ref.name, None if ref.name else ref.uid, ref.block))


def _came(d: Diagnosis) -> Iterator[Text]:
    yield d.state.headline


def _between(old: Diagnosis, new: Diagnosis) -> Iterator[Text]:
    who = _who(new.subject)
    if old.subject.uid and new.subject.uid and old.subject.uid != new.subject.uid:
        yield Text(f"{who} is another object now, uid {new.subject.uid}", f"{who} 现为另一个对象，uid 为 {new.subject.uid}")
    if old.state.name != new.state.name:
        yield new.state.headline
    was = {stage.id: stage.state for stage in old.stages}
    for stage in new.stages:
        if stage.state == "done" and was.get(stage.id) not in (None, "done"):
            yield Text(f"{who}: {stage.says.en} ✓", f"{who}：{stage.says.zh} ✓")
        if stage.state == "not-done" and was.get(stage.id) == "done":
            yield Text(f"{who}: {stage.says.en} ✗", f"{who}：{stage.says.zh} ✗")
    known = {cause.id: cause.confidence for cause in old.causes}
    for cause in new.causes:
        if known.get(cause.id) != cause.confidence:
            sure = WORDS[cause.confidence]
            yield Text(f"{who}: {sure.en}: {cause.finding.says.en}", f"{who}：{sure.zh}：{cause.finding.says.zh}")
    still = {cause.id for cause in new.causes}
    for id_ in (id_ for id_ in known if id_ not in still):
        yield Text(f"{who}: {id_} is no longer the cause", f"{who}：原因不再是 {id_}")
