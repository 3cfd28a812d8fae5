"""The meaning of condition types for an object, with sources; for an unlisted type only the condition's own
wording counts.

The conventions: conditions report an observed state, a type has the meaning "well" or "not well" when True,
and Unknown means that the state is not known yet (kubernetes/community,
contributors/devel/sig-architecture/api-conventions.md, "Typical status properties").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.regex import regex
from unstuck.knowledge.condition_rows import OF_ALL, OF_KINDS, Meaning, Tone
from unstuck.knowledge.condition_rows_of_projects import OF_PROJECTS

# The first matching row decides; rows for one kind come before rows for all kinds.
MEANINGS: tuple[Meaning, ...] = (*OF_KINDS, *OF_PROJECTS, *OF_ALL)
_BY_TYPE: Mapping[str, tuple[Meaning, ...]] = MappingProxyType(
    {t: tuple(m for m in MEANINGS if t in m.types) for m in MEANINGS for t in m.types}
)

# The last word of an unlisted type often shows its meaning, which is enough for doubt but not for a claim.
_WELL_ENDS = (
    *("Ready", "Available", "Healthy", "Succeeded", "Valid", "Reachable", "Synced"),
    # Steps of a start that are done once they are True.
    *("Accepted", "Admitted", "Applied", "Attached", "Bound", "Configured", "Connected", "Deployed"),
    *("Established", "Initialized", "Installed", "Joined", "Loaded", "Provided", "Provisioned"),
    *("Published", "Registered", "Resolved", "Synchronized", "Validated", "Verified"),
)
_ILL_ENDS = (
    "Failed",
    "Failure",
    "Error",
    "NotReady",
    "Unavailable",
    "Unhealthy",
    "Degraded",
    "Invalid",
    "Stalled",
    "Unreachable",
)
# Types that summarise the state of the whole object.
SUMMARIES = frozenset(
    {
        "Ready",
        "Available",
        "Healthy",
        "Succeeded",
        "Complete",
        "Completed",
        "Finished",
        "Established",
        "Programmed",
    }
    | {"ScalingActive", "DisruptionAllowed", "Approved"}
)


# Steps of a deletion in types and reasons of conditions (cluster-api Deleting, Draining,
# WaitingForVolumeDetach; crossplane and rook Deleting, DeletionIsBlocked; capi infrastructure providers
# DeletionFailed).
_DELETION_STEPS = (
    "delet",
    "drain",
    "terminat",
    "finaliz",
    "evict",
    "volumedetach",
    "detachvolume",
    "dependents",
)


def is_deletion_word(word: str) -> bool:
    """Tell whether a condition's type or reason names a step of a deletion."""
    low = word.lower()
    return any(step in low for step in _DELETION_STEPS)


# The endings of reasons for failures; by convention a reason is one CamelCase word for the last transition.
_FAILURES = (
    "Failed",
    "Failure",
    "Error",
    "Errored",
    "Invalid",
    "NotFound",
    "Missing",
    "Denied",
    "Forbidden",
    "Rejected",
    "Unsupported",
)
# Some of these endings also occur in reasons for temporary states.
_TROUBLES = (
    *_FAILURES,
    *(
        "Failing",
        "Unauthorized",
        "Refused",
        "Exceeded",
        "TimedOut",
        "Timeout",
        "Unavailable",
        "Unreachable",
        "Mismatch",
        "Conflict",
    ),
)


def names_failure(reason: str) -> bool:
    """Tell whether a condition's reason is a word for a failure, as opposed to a pending step."""
    return reason.endswith(_FAILURES)


def names_trouble(reason: str) -> bool:
    """Tell whether a condition's reason is a word for a failure or a temporary problem."""
    return reason.endswith(_TROUBLES)


# Phrases of messages that only count attempts, or only repeat that the object is not well.
_COUNTS = regex(
    (
        r"\b\d+ (?:attempts?|retries|times?|errors?|failures?)(?:\(s\))?\b|\b(?:retries|attempts?) "
        r"(?:exhausted|exceeded)\b"
    ),
    re.I,
)
_SUMS_UP = regex(
    r"(?:the |this |cluster |object |resource |some |one or more |not all |all |\w+ )*(?:is|are|has|have)?"
    r"(?: not|n't)?(?: yet)? ?"
    r"(?:ready|healthy|available|active|synced|reconciled|degraded|failed|progressing)\b[ .!]*(?:see .*)?",
    re.I,
)
_CAMEL = regex(r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+")
_SHORT = 60


def says_little(reason: str, message: str) -> bool:
    """Tell whether a message only counts attempts, sums up, or repeats its reason."""
    words = {w.lower() for w in _CAMEL.findall(message)}
    if words <= {w.lower() for w in _CAMEL.findall(reason)}:
        return True
    return len(message) <= _SHORT and (
        _COUNTS.search(message) is not None or _SUMS_UP.fullmatch(message) is not None
    )


_WAITS = regex(
    r"\bwait(?:s|ing)? (?:for|on|until)\b|\bblocked (?:by|on)\b|\block(?:ed)? (?:is )?held\b|\bheld by\b",
    re.I,
)


def names_wait(message: str) -> bool:
    """Tell whether a message reports waiting for something else."""
    return _WAITS.search(message) is not None


_ERRORS = regex(
    r"\b(?:rpc error|error|failed|failure|denied|forbidden|refused|unauthorized|unable to|cannot|could not"
    r"|timed out|invalid|not found|no such|expired)\b",
    re.I,
)


def reports_error(message: str) -> bool:
    """Tell whether a message quotes an error."""
    return _ERRORS.search(message) is not None


# What a controller says of the whole, or of parts that it waits for; never of a matter of its own.
_OF_PARTS = regex(
    r"(?:Ready|Available|Healthy|Running|Progressing|Degraded|Stalled|Reconciled|Reconciling|Released|Deployed"
    r"|Synced|Up)$"
)
_PATIENCE_ENDED = regex(
    r"\btim(?:ed?|ing)[ -]?out\b|\bdeadline\b|\bnot (?:yet )?(?:ready|healthy|available)\b", re.I
)


def is_apart(type_: str, reason: str, message: str) -> bool:
    """Tell whether a condition is about one matter of its own and quotes that one's error: the troubles of
    the object's parts do not explain it (`ContinuousArchiving=False … AccessDenied`).
    """
    general = type_ in SUMMARIES or _OF_PARTS.search(type_) is not None
    waits = names_wait(message) or _PATIENCE_ENDED.search(message) is not None
    return not general and not waits and reports_error(message) and not says_little(reason, message)


# Reasons in any condition by which a controller reports that its reconciliation is paused. Sources:
# crossplane-runtime apis/common/v1/condition.go (ReasonReconcilePaused); strimzi-kafka-operator
# (ReconciliationPaused).
_HOLDS = frozenset({"ReconcilePaused", "ReconciliationPaused"})


_APPROVAL = regex(
    r"(?:(?:Requires?|Required|Await(?:s|ing)?|Pending|Wait(?:s|ing)?(?:For|On)?|Needs?)(?:Manual|User"
    r"|Human)?Approval"
    r"|(?:Manual)?Approval(?:Required|Pending|Needed)|NotApproved|Unapproved)",
    re.I,
)


def names_approval(word: str) -> bool:
    """Tell whether a reason, a type or a phase shows a pending approval."""
    return _APPROVAL.fullmatch(word.replace("_", "").replace("-", "").replace(" ", "")) is not None


def _asks_approval(row: Meaning | None, type_: str, status: str, reason: str) -> bool:
    if row is not None and "waits" not in (row.true, row.false):
        return False
    return (names_approval(reason) and (row is None or status != "True")) or (
        names_approval(type_) and status == "True"
    )


def _find_row(kind: str, type_: str) -> Meaning | None:
    return next((m for m in _BY_TYPE.get(type_, ()) if not m.kinds or _is_of(kind, m.kinds)), None)


def _is_of(kind: str, kinds: tuple[str, ...]) -> bool:
    return any(kind == one or (one.startswith(".") and kind.endswith(one)) for one in kinds)


def find_tone(kind: str, type_: str, status: str, reason: str = "") -> Tone:
    """Return the tone of a condition on an object of this kind. status: "" if a kind's conditions have
    none (Argo CD).
    """
    row = _find_row(kind, type_)
    if "." in kind and _asks_approval(row, type_, status, reason):
        return "held"
    if row is None:
        return _infer_tone(type_, status)
    if status == "Unknown":
        usual: Tone = (
            "waits" if "well" in (row.true, row.false) or "ill" in (row.true, row.false) else "nothing"
        )
        return dict(row.reasons).get(reason, usual)
    if status not in ("True", "False") and (status or not row.kinds):
        return "odd"
    # If a kind's conditions have no status, an existing condition holds.
    usual = row.false if status == "False" else row.true
    if row.true == "moves" and status == "False" and names_failure(reason):
        # The step ended, with a failure (cert-manager Issuing).
        usual = "odd"
    return dict(row.reasons).get(reason, "held" if reason in _HOLDS else usual) if usual != "well" else usual


def says_outright(kind: str, type_: str, status: str, reason: str) -> bool:
    """Tell whether the reason itself is known to mean a fault, even if this status usually does not."""
    row = _find_row(kind, type_)
    usual = (row.true if status == "True" else row.false) if row else "ill"
    return row is not None and usual != "ill" and dict(row.reasons).get(reason) == "ill"


def _infer_tone(type_: str, status: str) -> Tone:
    # `NotReady` also ends in `Ready`.
    if type_.endswith(_ILL_ENDS):
        return "nothing" if status == "False" else "odd" if status in ("True", "") else "unheard"
    if type_.endswith(_WELL_ENDS) and status in ("True", "False"):
        return "well" if status == "True" else "odd"
    return "unheard"
