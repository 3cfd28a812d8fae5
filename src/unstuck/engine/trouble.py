"""Classes of trouble, by which a person sorts a long list of incidents."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis, Trouble
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses

# Between two equally wide troubles, the one that affects more people comes first.
TROUBLES: tuple[Trouble, ...] = ("not-starting", "crashing", "not-going-away", "nodes", "other")
_RUN_ON = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController")


def classify_trouble(diagnoses: Sequence[Diagnosis]) -> Trouble:
    """Sort by a Node among them, else by the first with a known trouble. diagnoses: of the members, the
    representative first.
    """
    if any(d.subject.kind == "Node" for d in diagnoses):
        return "nodes"
    return next((found for d in diagnoses if (found := _find_trouble(d))), _rate_by_kind(diagnoses))


def _find_trouble(d: Diagnosis) -> Trouble | None:
    # Every deletion line ends with this stage, and no other line does.
    if any(s.id == "gone" for s in d.stages):
        return "not-going-away"
    if d.subject.kind != "Pod":
        return None
    shown = (f for f in d.state.evidence if isinstance(f, ContainerStatuses))
    return "crashing" if any(_has_failed(s) for f in shown for s in f.items) else "not-starting"


def _has_failed(s: ContainerStatus) -> bool:
    ended = s.ended or s.last
    return s.reason == "CrashLoopBackOff" or (ended is not None and (ended.code != 0 or s.kind == "main"))


def _rate_by_kind(diagnoses: Sequence[Diagnosis]) -> Trouble:
    """Return the trouble by the kinds of the subjects, if no Pod was read."""
    return "not-starting" if any(d.subject.kind in _RUN_ON for d in diagnoses) else "other"
