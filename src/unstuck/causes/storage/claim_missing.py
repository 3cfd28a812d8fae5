"""A claim that the Pod uses does not exist

## How it happens

The Pod's volume names a PersistentVolumeClaim that is not in its Namespace: it was never made, was deleted
with its data, is spelled differently, or is in another Namespace. No Node is chosen while it is missing.

## How to tell

The condition says `persistentvolumeclaim "x" not found`. Held against all claims of the Namespace, none has
this name.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/volumebinding, pkg/scheduler/framework/plugins/volumerestrictions
  (1.34)
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis

_KIND = "storage.claim-missing"


def _words(text: str) -> bool:
    return text.lower().startswith('persistentvolumeclaim "') and "not found" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    claim = Ref("PersistentVolumeClaim", pod.within, _claim_in_words(pod, snap) or None)
    there = bool(claim.name and snap.of(Phase, claim))
    # The message is from the scheduler's last try; the claim may have been made since.
    told = _placed.make_signs(
        pod,
        snap,
        _KIND,
        _words,
        lambda at, hits: _make_finding(pod, at, hits[0].what if hits else claim.name or ""),
        lambda text: _words(text) and not there,
    )
    if there or not claim.name:
        return told
    return replace(
        told,
        decisive={
            says: s._replace(wants=unique((*s.wants, Want(Phase, claim))))
            for says, s in told.decisive.items()
        },
    )


def _claim_in_words(pod: Ref, snap: Facts) -> str:
    """Return the claim's name in the scheduler's message."""
    texts = (text for f in snap.of(Unschedulable, pod) for text, _ in f.reasons if _words(text))
    return next((text.split('"')[1] for text in texts), "")


def _make_finding(pod: Ref, at: PlacementAnalysis | None, name: str) -> Finding:
    there = sorted(n for space, n in at.cluster.claims if space == pod.within) if at else []
    near = get_close_matches(name, there, 1, 0.7)
    notes = tuple(say("did you mean {count}? That PVC exists", count=n) for n in near)
    return Finding(
        say("PVC {name} of the Pod does not exist", name=name),
        culprit=Ref("PersistentVolumeClaim", pod.within, name or None),
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("create PVC {name}, or use the intended one in the owner's template", name=name),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("create an empty PVC of that name in place of one with data"),
                say("the app starts without its data, and may initialize over a later restore"),
            ),
        ),
    )


CAUSE = Cause(
    id="storage.claim-missing",
    title=say("the Pod's PVC does not exist"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Phase},
    rule=_rule,
)
