"""Which answers form one block: equal answers about Pods with one owner, or about objects that one text
leaves unnamed. Their records are compared, never their sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis


def group_similar(diagnoses: Sequence[Diagnosis]) -> tuple[tuple[Diagnosis, ...], ...]:
    """Group similar answers, each group at the place of its first."""
    found: dict[object, list[Diagnosis]] = {}
    for n, d in enumerate(diagnoses):
        found.setdefault(_key(d) or n, []).append(d)
    return tuple(tuple(group) for group in found.values())


def _key(d: Diagnosis) -> object:
    """Return a key that similar answers share; None for an answer that stands alone."""
    if not d.group:
        return _unnamed_key(d)
    causes = tuple((t.id, t.confidence, t.finding.culprit.kind, t.consequence_of) for t in d.causes)
    stages = tuple((s.id, s.state) for s in d.stages)
    return (d.subject.kind, d.subject.within, d.group, d.state.name, d.state.word, causes, d.leads, stages)


def _unnamed_key(d: Diagnosis) -> object:
    """Return a key shared by similar messages of one text that name no object: most likely one object's,
    and certainly one trouble.
    """
    if d.subject.name or d.subject.uid or d.subject.block is None or not d.causes:
        return None
    file = d.subject.block.rpartition(":")[0]
    causes = tuple((t.id, t.confidence, t.finding.says, t.consequence_of) for t in d.causes)
    return (d.subject.kind, file, d.state.name, d.state.word, causes, d.leads)
