"""Parses the scheduler's sentence, in every historical form.

- ≤ 1.4: `pod (x) failed to fit in any node` + `fit failure on node (n): MatchNodeSelector` for each
- 1.5–1.7: `pod (x) failed to fit in any node` + `fit failure summary on nodes : Insufficient cpu (1), MatchNodeSelector (2)`
- 1.8: `No nodes are available that match all of the predicates: Insufficient cpu (1), MatchNodeSelector (2).`
- 1.9: `0/3 nodes are available: 1 Insufficient cpu, 2 MatchNodeSelector.`; a predicate's name is read as the words that 1.10 has for it.
- 1.10 on: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.`; from 1.24 a second sentence
  `preemption: 0/3 nodes are available: …` repeats the first and is no second cause.
- a PreFilter plugin's refusal carries no counts, with or without the head.
- a reason by itself, as a person copied it out of the sentence: `1 node(s) had volume node affinity conflict`.

Sources: pkg/scheduler/framework/types.go (`FitError.Error`, 1.19–1.34), plugin/pkg/scheduler/core/generic_scheduler.go (1.5–1.9),
pkg/scheduler/algorithm/predicates/error.go (1.10: each predicate's name beside its words), field notes.
"""

from __future__ import annotations

import re
from collections import Counter

from unstuck.facts.regex import regex
from unstuck.wording.clean import clean

Reasons = tuple[tuple[str, int], ...]
_LONGEST = 500

_HEAD = regex(r"\b(\d{1,6})/(\d{1,6}) nodes are available:?\s*")
_PREDICATES = regex(
    r"No nodes are available that match all of the (?:following )?predicates:{1,2}\s*", re.IGNORECASE
)
_SUMMARY = regex(r"fit failure summary on nodes\s?:\s*", re.IGNORECASE)
# ≤ 1.4: a line for each Node.
_ON_NODE = regex(r"fit failure on node \([^()\s]{1,253}\):\s+(\S.{0,300}?)(?=\s+fit failure on node |$)")
# ≤ 1.8: a predicate that itself fails; the same error of many Nodes is repeated for each, or counted.
_AS_SUCH = regex(r"SchedulerPredicates failed due to (\S.{0,500}?), which is unexpected\.")
_REPEATED = regex(r" \(repeated \d{1,6} times\)$")
# ErrNoNodesAvailable: the cluster has no Node at all.
_NONE = regex(r"no nodes available to schedule pods")
_FAILED = regex(r"failed to fit in any node", re.IGNORECASE)
_PREEMPTION = regex(r"[.,;]? ?(?:no new claims to deallocate, ?)?preemption:", re.IGNORECASE)
# A comma parts two reasons only where the next one begins with its number: `had taint {a: }, that the pod didn't tolerate`.
_BETWEEN = regex(r",\s+(?=\d{1,6} )")
# Marks of omitted reasons.
_ELIDED = regex(r"[, ]{0,8}(?:\.{3}|…)[, ]{0,8}")
_COUNTED = regex(r"(\d{1,6}) (\S.{0,2000})", re.DOTALL)
_COUNTED_BEHIND = regex(r"(\S[^()]{0,500}(?:\([^()\d][^()]{0,100}\)[^()]{0,100})?) \((\d{1,6})\)", re.DOTALL)
_BETWEEN_BEHIND = regex(r"(?<=\)),\s+")
_UNCOUNTED = regex(
    r"unbound (?:immediate )?PersistentVolumeClaims|PersistentVolumeClaim is not bound|persistentvolume(?:claim)? \S{1,300} (?:not found|bound to non-existent)|pod affinity terms conflict|"
    r"cannot allocate all claims|resourceclaim .{1,100}(?:not|does)|request \S{1,100}: device class|node\(s\) ",
    re.IGNORECASE,
)
# Of a reason by itself the beginning: `1 node(s) had volume node affinity conflict`, `2 Insufficient cpu`.
_REASONS = regex(
    r"(?:^|(?<=[,>│|] ))\d{1,6} (?:node\(s\) (?:had|have|did|didn't|were|exceed|unavailable)|"
    r"Insufficient (?:cpu|memory|pods|ephemeral-storage|hugepages-\w{1,10}|[\w.-]{1,253}/[\w.-]{1,63}))\b"
)
# pkg/scheduler/algorithm/predicates/error.go (1.10).
_PREDICATE = {
    "CheckNodeLabelPresence": "node(s) didn't have the requested labels",
    "CheckServiceAffinity": "node(s) didn't match service affinity",
    "ExistingPodsAntiAffinityRulesNotMatch": "node(s) didn't satisfy existing pods anti-affinity rules",
    "HostName": "node(s) didn't match the requested hostname",
    "MatchInterPodAffinity": "node(s) didn't match pod affinity/anti-affinity",
    "MatchNodeSelector": "node(s) didn't match node selector",
    "MaxVolumeCount": "node(s) exceed max volume count",
    "NoDiskConflict": "node(s) had no available disk",
    "NoVolumeNodeConflict": "node(s) had volume node affinity conflict",
    "NoVolumeZoneConflict": "node(s) had no available volume zone",
    "NodeNetworkUnavailable": "node(s) had unavailable network",
    "NodeNotReady": "node(s) were not ready",
    "NodeOutOfDisk": "node(s) were out of disk space",
    "NodeUnderDiskPressure": "node(s) had disk pressure",
    "NodeUnderMemoryPressure": "node(s) had memory pressure",
    "NodeUnschedulable": "node(s) were unschedulable",
    "PodAffinityRulesNotMatch": "node(s) didn't match pod affinity rules",
    "PodAntiAffinityRulesNotMatch": "node(s) didn't match pod anti-affinity rules",
    "PodFitsHostPorts": "node(s) didn't have free ports for the requested pod ports",
    "PodToleratesNodeTaints": "node(s) had taints that the pod didn't tolerate",
    "VolumeBindingNoMatch": "node(s) didn't find available persistent volumes to bind",
    "VolumeNodeAffinityConflict": "node(s) had volume node affinity conflict",
}


def parse_unschedulable(message: str) -> tuple[int | None, Reasons] | None:
    """Return (nodes looked at or None, ((reason, number of nodes), …) in the message's order); None if the
    scheduler did not say this.

    message: of `conditions[PodScheduled]` or of a FailedScheduling event. A reason without a count applies to every node looked at, and has 0 if
    their number is unknown. Never raises.
    """
    sentence = _PREEMPTION.split(" ".join(clean(message).split()), maxsplit=1)[0].strip()
    if head := _HEAD.search(sentence):
        return _parse_counts(int(head[2]), sentence[head.end() :])
    if match := _NONE.search(sentence):
        return 0, ((match[0], 0),)
    for start in (_PREDICATES, _SUMMARY):
        if match := start.search(sentence):
            return None, _parse_trailing_counts(sentence[match.end() :])
    if each := _ON_NODE.findall(sentence):
        return len(each), tuple((reason, n) for reason, n in Counter(map(_normalize_reason, each)).items())
    if _FAILED.search(sentence):
        return None, ()
    if as_such := _AS_SUCH.findall(sentence):
        return None, tuple((reason, 0) for reason in dict.fromkeys(map(_normalize_reason, as_such)))
    if match := _REASONS.search(sentence):
        # The head was cut off, and with it the number of Nodes.
        return None, _parse_counts(0, sentence[match.start() :])[1]
    return (None, ((_tidy(sentence), 0),)) if _UNCOUNTED.search(sentence) else None


def parse_preemption(message: str) -> str:
    """Return the message's part about preemption, without its head; "" if there is none. Never raises."""
    parts = _PREEMPTION.split(" ".join(clean(message).split()), maxsplit=1)
    return _tidy(_HEAD.sub("", parts[1], count=1))[:_LONGEST] if len(parts) > 1 else ""


def _parse_counts(nodes: int, rest: str) -> tuple[int, Reasons]:
    rest = _tidy(_ELIDED.sub(", ", rest))
    counts = tuple(
        (_normalize_reason(m[2]), int(m[1]))
        for part in _BETWEEN.split(rest)
        if (m := _COUNTED.fullmatch(part))
    )
    return nodes, counts or (((rest, nodes),) if rest else ())


def _parse_trailing_counts(rest: str) -> Reasons:
    return tuple(
        (_normalize_reason(m[1]), int(m[2]))
        for part in _BETWEEN_BEHIND.split(_tidy(rest))
        if (m := _COUNTED_BEHIND.fullmatch(part.strip()))
    )


def _normalize_reason(text: str) -> str:
    reason = _tidy(text)
    return _PREDICATE.get(reason, reason)


def _tidy(text: str) -> str:
    """Return the text without the full stops and blanks around it; 1.34 appends `. not found` to an uncounted refusal."""
    text = _REPEATED.sub("", " ".join(text.split()).strip(" .,"))
    return text.removesuffix(". not found")
