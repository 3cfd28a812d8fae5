"""A condition that any program states about the things that it works with, in ordinary words.

As in `verdicts`, the grammar of the clause decides: the thing, and the relation that does not hold (`is older
than`, `overlaps`, `does not match`, `is already bound to`, `limit … reached`). They count only in a line that
is written as an error, after all narrower words.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, LastWord, words

# A quoted word belongs to the clause; another quote ends it.
_QUOTED = r"(?<=[ (])\"[^\"\s]{1,80}\""
# From the beginning of the clause.
_THING = rf"(?<![\w/])(?:/|\b)[A-Za-z](?:[^:\"\n]|:(?! )|{_QUOTED}){{1,200}}?"
_REST = rf"(?:[^\"\n]|{_QUOTED}){{0,200}}"
_IS = r"(?:is|are|was|were|has been|have been)"
# Limits of time, of tries and of a rate only say that it took too long or came too often.
_OF_TIME = (
    "backoff",
    "back-off",
    "burst",
    "deadline",
    "rate limit",
    "equest limit",
    "RequestLimitExceeded",
    "rateLimit",
    "retries",
    "retry",
    "attempt",
    "restart",
    "start-limit",
    "start request",
    "time limit",
    "timeout",
    "timed out",
    "inotify",
    "memory limit",
    "Memory cgroup",
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "limit-reached",
        words(
            r"(?:^|[.:-] )(?P<reason>max (?:node group|cluster) (?:size|\w{3,10} limit) (?:is )?reached\b)"
        ),
        ("max node group", "max cluster"),
        (
            Seen(
                "cluster-autoscaler",
                "1.20–1.34",
                "core/scaleup/orchestrator/skippedreasons.go, core/static_autoscaler.go",
            ),
        ),
        (
            Example(
                "Error: Pod shop/web can't be scheduled on blue. max node group size reached",
                "limit-reached reason=max node group size reached",
            ),
            Example(
                "Skipping node group blue - max cluster cpu limit reached",
                "limit-reached reason=max cluster cpu limit reached",
            ),
        ),
        own=True,
    ),
    LastWord(
        "limit-reached",
        words(
            rf"(?P<reason>{_THING}(?:\bexceed(?:s|ed)? (?:the |its |their )?(?:[a-z-]{{1,30}} ){{0,3}}(?:limits?|quotas?|maximum)\b"
            rf"|\b(?:reached|hit) (?:the |its |their )(?:[a-z-]{{1,30}} ){{0,3}}(?:limits?|quotas?|maximum)\b"
            rf"|\b(?:limits?|quotas?|[Mm]ax(?:imum)?(?: [a-z-]{{2,30}}){{1,4}}) (?:{_IS} )?(?:already )?(?:reached|exceeded|hit)\b){_REST})"
        ),
        ("exceed", "reached", " hit"),
        (ANY_PROGRAM, Seen("karpenter", "0.32–1.6", "pkg/controllers/provisioning/scheduling/scheduler.go")),
        (
            Example(
                'Error: all pools exceed limits for class "small"',
                'limit-reached reason=all pools exceed limits for class "small"',
            ),
            Example(
                "level=error msg=cannot grow: node pool blue has reached its maximum",
                "limit-reached reason=node pool blue has reached its maximum",
            ),
            Example(
                "ERROR cannot grow: the storage quota is exceeded for tenant a",
                "limit-reached reason=the storage quota is exceeded for tenant a",
            ),
        ),
        unless=_OF_TIME,
        marked=True,
    ),
    LastWord(
        "condition-unmet",
        words(
            rf"(?P<reason>{_THING}\b(?:"
            rf"{_IS} (?:older|newer|lower|higher|smaller|larger|bigger|greater|less|fewer) than"
            # Without a verb, the limit is a number.
            r"|(?:less|lower|smaller|fewer|greater|larger|higher|more) than(?= \d)"
            rf"|{_IS} (?:out (?:of )?the range of|outside(?: of)?|not (?:within|in the range of|contained in))"
            rf"|overlaps?(?: with)?"
            rf"|do(?:es)? not (?:match|support|belong to|meet|satisfy|overlap|contain|include|exist in|have enough)"
            rf"|{_IS} (?:already|still) (?:defined|used|in use|bound|assigned|claimed|attached|mounted|allocated|registered|reserved|exported|managed|owned) (?:in|by|to|on|as|for)"
            rf"|(?:{_IS} |be )?not (?:supported|allowed|permitted|compatible|enabled|installed|encrypted)(?: (?:by|on|in|with|for|to))?"
            rf"|{_IS} not (?:in|on|of|part of) the same"
            rf"|{_IS} (?:set|given|enabled|configured|defined) but (?:(?:there )?{_IS} no|no|not)"
            rf"|{_IS} (?:marked for deletion|being deleted|disabled|deprecated|read-only|out of range|too (?:small|large|long|short|old|new))"
            rf"|conflicts? (?:with|found)"
            rf"|mismatch(?:es|ed)?"
            rf") {_REST})"
            rf"|(?P<reason_2>\b(?:[Nn]o (?:valid|suitable|shared|matching|eligible|compatible|usable) [\w-]{{2,40}}(?: [\w-]{{2,40}}){{0,3}} (?:{_IS} )?(?:found|available)"
            rf"|[Mm]ultiple [\w-]{{2,40}}(?: [\w-]{{2,40}}){{0,3}} found"
            rf"|[Ii]nsufficient (?:storage|space|capacity|disk space)){_REST})"
        ),
        (
            *(
                " than ",
                " the range of ",
                " outside",
                "verlap",
                " not ",
                "lready ",
                "still ",
                "marked for",
                "being deleted",
                "disabled",
            ),
            *("deprecated", "read-only", "out of range", "too ", "onflict", "ismatch", "o ", "ultiple "),
            "nsufficient ",
        ),
        (
            ANY_PROGRAM,
            Seen("containerd", "1.4–2.1", "plugins/snapshots/overlay/overlay.go"),
            Seen("Calico", "3.10–3.30", "node/pkg/lifecycle/startup/startup.go"),
        ),
        (
            Example(
                "level=fatal msg=setup error: pool 10.0.0.0/16 overlaps with link eth0",
                "condition-unmet reason=pool 10.0.0.0/16 overlaps with link eth0",
            ),
            Example(
                "Error: the seal key hash does not match the hash of the cluster",
                "condition-unmet reason=the seal key hash does not match the hash of the cluster",
            ),
            Example(
                "ERROR store 7: volume v-1 is already bound to claim shop/db",
                "condition-unmet reason=volume v-1 is already bound to claim shop/db",
            ),
            Example(
                "Error: range 10.9.0.0/24 of member m-1 is out the range of pool 10.8.0.0/16",
                "condition-unmet reason=range 10.9.0.0/24 of member m-1 is out the range of pool 10.8.0.0/16",
            ),
            Example(
                "ERROR: The variable TILL_CA is set but there is no authority configured at till-0",
                "condition-unmet reason=The variable TILL_CA is set but there is no authority configured at till-0",
            ),
            Example(
                "Error: requested bytes less than 1GB",
                "condition-unmet reason=requested bytes less than 1GB",
            ),
            Example(
                "error: no shared datastores found for machine m-1",
                "condition-unmet reason=no shared datastores found for machine m-1",
            ),
        ),
        unless=(
            *_OF_TIME,
            "onnection",
            "panic:",
            "not found",
            "EOF",
            # A guess states nothing.
            "possible that",
            "might ",
            " may ",
        ),
        marked=True,
    ),
)
