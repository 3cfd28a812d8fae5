"""Which answers are one block: those that say the same of Pods with one owner. Held by their records; no sentence is read back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis

# NAME-HASH-SUFFIX of a ReplicaSet's Pods (k8s.io/apimachinery/pkg/util/rand: no vowels, no 0, 1, 3).
_OF_REPLICA_SET = re.compile(r"(?P<owner>.+-[bcdfghjklmnpqrstvwxz2456789]{5,10})-[bcdfghjklmnpqrstvwxz2456789]{5}")


def groups(diagnoses: Sequence[Diagnosis]) -> tuple[tuple[Diagnosis, ...], ...]:
    """Those that are alike together, each group where its first stands."""
    found: dict[object, list[Diagnosis]] = {}
    for n, d in enumerate(diagnoses):
        found.setdefault(_key(d) or n, []).append(d)
    return tuple(tuple(group) for group in found.values())


def owner_of(d: Diagnosis) -> str | None:
    """Return the controller's name: told, or as the name of a ReplicaSet's Pod shows it."""
    if d.owner is not None:
        return d.owner.name
    named = _OF_REPLICA_SET.fullmatch(d.subject.name or "") if d.subject.kind == "Pod" else None
    return named["owner"] if named else None


def _key(d: Diagnosis) -> object:
    """None of what stands alone."""
    owner = owner_of(d)
    if owner is None:
        return None
    causes = tuple((t.id, t.confidence, t.finding.culprit.kind, t.consequence_of) for t in d.causes)
    stages = tuple((s.id, s.state) for s in d.stages)
    return (d.subject.kind, d.subject.within, owner, d.state.name, d.state.word, causes, d.leads, stages)
