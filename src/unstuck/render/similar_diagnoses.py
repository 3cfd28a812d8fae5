"""Grouping of answers into blocks: equal answers about Pods with one owner, or about unnamed objects of one
text. Records are compared, never sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis


def group_similar(diagnoses: Sequence[Diagnosis]) -> tuple[tuple[Diagnosis, ...], ...]:
    """Group similar answers, each group at the place of its first answer."""
    found: dict[object, list[Diagnosis]] = {}
    for n, d in enumerate(diagnoses):
        found.setdefault(_key(d) or n, []).append(d)
    return tuple(tuple(group) for group in found.values())


def _key(d: Diagnosis) -> object:
    """Return a common key of similar answers; None for a separate answer."""
    if not d.group:
        return _unnamed_key(d)
    causes = tuple((t.id, t.confidence, t.finding.culprit.kind, t.consequence_of) for t in d.causes)
    stages = tuple((s.id, s.state) for s in d.stages)
    return (d.subject.kind, d.subject.within, d.group, d.state.name, d.state.word, causes, d.leads, stages)


def _unnamed_key(d: Diagnosis) -> object:
    """Return a common key of similar messages in one text that name no object: they most likely belong to one
    object, and certainly to one trouble.
    """
    if d.subject.name or d.subject.uid or d.subject.block is None or not d.causes:
        return None
    file = d.subject.block.rpartition(":")[0]
    causes = tuple((t.id, t.confidence, t.finding.says, t.consequence_of) for t in d.causes)
    return (d.subject.kind, file, d.state.name, d.state.word, causes, d.leads)
