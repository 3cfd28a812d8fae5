"""The scheduler's sentence taken apart, in every form that it had.

- ≤ 1.7: `pod (x) failed to fit in any node` + `fit failure summary on nodes : Insufficient cpu (1), MatchNodeSelector (2)`
- 1.8–1.9: `No nodes are available that match all of the predicates: Insufficient cpu (1), MatchNodeSelector (2).`
- 1.10 on: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.`; from 1.24 a second sentence
  `preemption: 0/3 nodes are available: …` repeats the first and is no second cause.
- a PreFilter plugin's refusal carries no counts, with or without the head.

Sources: pkg/scheduler/framework/types.go (`FitError.Error`, 1.19–1.34), plugin/pkg/scheduler/core/generic_scheduler.go (1.5–1.9), field notes.
"""

from __future__ import annotations

import re

from unstuck.facts.regex import regex
from unstuck.wording.clean import clean

Reasons = tuple[tuple[str, int], ...]
_LONGEST = 500

_HEAD = regex(r"\b(\d{1,6})/(\d{1,6}) nodes are available:?\s*")
_PREDICATES = regex(r"No nodes are available that match all of the (?:following )?predicates:{1,2}\s*", re.IGNORECASE)
_SUMMARY = regex(r"fit failure summary on nodes\s?:\s*", re.IGNORECASE)
_FAILED = regex(r"failed to fit in any node", re.IGNORECASE)
_PREEMPTION = regex(r"[.,;]? ?(?:no new claims to deallocate, ?)?preemption:", re.IGNORECASE)
# A comma parts two reasons only where the next one begins with its number: `had taint {a: }, that the pod didn't tolerate`.
_BETWEEN = regex(r",\s+(?=\d{1,6} )")
_COUNTED = regex(r"(\d{1,6}) (\S.{0,2000})", re.DOTALL)
_COUNTED_BEHIND = regex(r"(\S[^()]{0,500}(?:\([^()\d][^()]{0,100}\)[^()]{0,100})?) \((\d{1,6})\)", re.DOTALL)
_BETWEEN_BEHIND = regex(r"(?<=\)),\s+")
_UNCOUNTED = regex(
    r"unbound immediate PersistentVolumeClaims|persistentvolume(?:claim)? \S{1,300} (?:not found|bound to non-existent)|pod affinity terms conflict|"
    r"cannot allocate all claims|resourceclaim .{1,100}(?:not|does)|request \S{1,100}: device class|node\(s\) ",
    re.IGNORECASE,
)


def unschedulable(message: str) -> tuple[int | None, Reasons] | None:
    """(nodes looked at or None, ((reason, number of nodes), …) in the message's order); None where the scheduler did not say this.

    message: of `conditions[PodScheduled]` or of a FailedScheduling event. A reason without a count holds for every node looked at,
    and has 0 where their number is not told. Never raises.
    """
    sentence = _PREEMPTION.split(" ".join(clean(message).split()), maxsplit=1)[0].strip()
    if head := _HEAD.search(sentence):
        return _counted(int(head[2]), sentence[head.end() :])
    for start in (_PREDICATES, _SUMMARY):
        if found := start.search(sentence):
            return None, _counted_behind(sentence[found.end() :])
    if _FAILED.search(sentence):
        return None, ()
    return (None, ((_tidy(sentence), 0),)) if _UNCOUNTED.search(sentence) else None


def preemption(message: str) -> str:
    """What the same message says of removing other Pods, without its head; "" where it says nothing of that. Never raises."""
    parts = _PREEMPTION.split(" ".join(clean(message).split()), maxsplit=1)
    return _tidy(_HEAD.sub("", parts[1], count=1))[:_LONGEST] if len(parts) > 1 else ""


def _counted(nodes: int, rest: str) -> tuple[int, Reasons]:
    rest = _tidy(rest)
    found = tuple((_tidy(m[2]), int(m[1])) for part in _BETWEEN.split(rest) if (m := _COUNTED.fullmatch(part)))
    return nodes, found or (((rest, nodes),) if rest else ())


def _counted_behind(rest: str) -> Reasons:
    return tuple((_tidy(m[1]), int(m[2])) for part in _BETWEEN_BEHIND.split(_tidy(rest)) if (m := _COUNTED_BEHIND.fullmatch(part.strip())))


def _tidy(text: str) -> str:
    """Without the full stops and blanks around it; 1.34 appends `. not found` to an uncounted refusal."""
    text = " ".join(text.split()).strip(" .,")
    return text.removesuffix(". not found")
