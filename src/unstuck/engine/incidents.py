"""Many diagnoses with one root are one incident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis, Incident, Told
from unstuck.facts.core import Ref


def incidents(diagnoses: Sequence[Diagnosis]) -> tuple[Incident, ...]:
    """Grouped by the root's id and culprit, the widest first."""
    groups: dict[tuple[str, Ref], list[int]] = {}
    roots: dict[tuple[str, Ref], Told] = {}
    for i, diagnosis in enumerate(diagnoses):
        for told in diagnosis.causes:
            if told.consequence_of is None:
                key = (told.id, told.finding.culprit)
                groups.setdefault(key, []).append(i)
                roots.setdefault(key, told)
    ranked = sorted(groups, key=lambda k: (-len(groups[k]), k[0], k[1].key))
    return tuple(_incident(n, key, groups[key], roots[key], diagnoses) for n, key in enumerate(ranked, 1))


def _incident(n: int, key: tuple[str, Ref], indexes: list[int], root: Told, diagnoses: Sequence[Diagnosis]) -> Incident:
    members = tuple(sorted({diagnoses[i].subject for i in indexes}, key=lambda r: r.key))
    blocked = {b for i in indexes for t in diagnoses[i].causes if (t.id, t.finding.culprit) == key for b in t.finding.blocks} | set(members)
    times = [s for i in indexes if (s := diagnoses[i].state.since)]
    return Incident(
        id=n,
        cause=key[0],
        says=root.finding.says,
        culprit=key[1],
        representative=indexes[0],
        members=members,
        reach=tuple(sorted(Counter(b.kind for b in blocked - {key[1]}).items())),
        since=min(times) if times else None,
    )
