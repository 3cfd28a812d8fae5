"""Which answers are one block: those that say the same of Pods with one owner. Held by their records; no sentence is read back."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis


def groups(diagnoses: Sequence[Diagnosis]) -> tuple[tuple[Diagnosis, ...], ...]:
    """Those that are alike together, each group where its first stands."""
    found: dict[object, list[Diagnosis]] = {}
    for n, d in enumerate(diagnoses):
        found.setdefault(_key(d) or n, []).append(d)
    return tuple(tuple(group) for group in found.values())


def _key(d: Diagnosis) -> object:
    """None of what stands alone."""
    if not d.group:
        return None
    causes = tuple((t.id, t.confidence, t.finding.culprit.kind, t.consequence_of) for t in d.causes)
    stages = tuple((s.id, s.state) for s in d.stages)
    return (d.subject.kind, d.subject.within, d.group, d.state.name, d.state.word, causes, d.leads, stages)
