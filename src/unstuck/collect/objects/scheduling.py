"""The scheduler's sentence taken apart.

Forms (pkg/scheduler/framework/types.go, `FitError.Error()`, and its ancestors):
`0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}. preemption: 0/3 nodes are available: …` (1.19 on;
the second sentence repeats the first and is left out), `… match all of the predicates: Insufficient cpu (2), MatchNodeSelector (1)`
(1.8, 1.9), and a sentence without counts when a PreFilter plugin refused.
"""

from __future__ import annotations

import re

from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.core import Ref, Source

_HEAD = re.compile(r"(\d{1,6})/(\d{1,6}) nodes are available:?\s*")
_OLD_HEAD = re.compile(r"No nodes are available that match all of the (?:following )?predicates:+\s*", re.I)
_COUNTED = re.compile(r"(\d{1,6}) (.+)", re.S)
_COUNTED_OLD = re.compile(r"(.+?) \((\d{1,6})\)", re.S)
# A comma parts two reasons only where the next one begins with its number: `had taint {a: }, that the pod didn't tolerate`.
_BETWEEN = re.compile(r", (?=\d{1,6} )")
_TAIL = re.compile(r"\.?\s*(?:no new claims to deallocate,\s*)?preemption:", re.I)


def unschedulable(message: str, *, about: Ref, src: Source, whole: bool = True) -> Unschedulable | None:
    """The reasons with their node counts; None where the message is not the scheduler's.

    whole: whether the message was seen uncut (a condition's is, an event's may be cut).
    """
    sentence = _TAIL.split(message, maxsplit=1)[0].strip()
    if head := _HEAD.search(sentence):
        nodes, rest = int(head[2]), sentence[head.end() :].rstrip(". ")
        reasons = [(m[2].strip(), int(m[1])) for part in _BETWEEN.split(rest) if (m := _COUNTED.fullmatch(part))]
        # A PreFilter plugin's refusal carries no counts: it holds for every node.
        return _made(about, src, nodes, reasons or ([(rest, nodes)] if rest else []), whole)
    if old := _OLD_HEAD.search(sentence):
        parts = (m for part in sentence[old.end() :].rstrip(". ").split(", ") if (m := _COUNTED_OLD.fullmatch(part)))
        return _made(about, src, None, [(m[1].strip(), int(m[2])) for m in parts], whole)
    if sentence and re.search(
        r"unbound immediate|persistentvolumeclaim .* not found|pod affinity terms conflict|node\(s\)", sentence, re.I
    ):
        return _made(about, src, None, [(sentence.rstrip(". "), 0)], whole)
    return None


def _made(about: Ref, src: Source, nodes: int | None, reasons: list[tuple[str, int]], whole: bool) -> Unschedulable:
    return Unschedulable(about=about, src=src, nodes=nodes, reasons=tuple(sorted(reasons)), whole=whole)
