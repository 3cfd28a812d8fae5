"""Parses the conditions that the namespace controller writes during a Namespace's deletion.

Source: pkg/controller/namespace/deletion/status_condition_utils.go (1.16–1.34), client-go discovery `ErrGroupDiscoveryFailed` and
discovery/cached/memory/memcache.go.
"""

from __future__ import annotations

import re

from unstuck.facts.regex import regex
from unstuck.wording.clean import clean

_REMAINING = regex(r"(?P<resource>[a-z0-9.-]{1,253}?)\.? has (?P<count>\d{1,9}) resource instances")
_FINALIZER = regex(r"(?P<name>[^\s,:]{1,317}) in (?P<count>\d{1,9}) resource instances")
_DISCOVERY = regex(r"unable to retrieve the complete list of server APIs: (?P<groups>.+)", re.DOTALL)
_GROUP = regex(r"(?:^|, )(?P<gv>[a-z0-9][a-z0-9.-]{0,252}/v\d[a-z0-9]{0,15}): ")
_STALE = regex(r"stale GroupVersion discovery: ")
# client-go's wording of the aggregator's 503 for an unreachable API server (apimachinery api/errors). Only an aggregated group
# is a domain: for `apps` the API server itself is not answering.
_UNSERVED = regex(
    # Only after a word that introduces it: at the beginning of a line, the group's own beginning may be cut off.
    r"(?:(?<=[:,] )|(?<=for )|(?<=[\"'“(`]))(?P<group>[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8})/(?P<version>v\d[a-z0-9]{0,15}): "
    r"the server is currently unable to handle the request"
)
# How each condition's message begins, its type and its reason (makeDeleteContentCondition and its neighbours).
_CONDITIONS = tuple(
    (regex(rf"(?<![\w`]){begins}"), type_, reason)
    for begins, type_, reason in (
        (
            r"Discovery failed for some groups, \d{1,6} failing: ",
            "NamespaceDeletionDiscoveryFailure",
            "DiscoveryFailed",
        ),
        (
            r"Failed to delete all resource types, \d{1,6} remaining: ",
            "NamespaceDeletionContentFailure",
            "ContentDeletionFailed",
        ),
        (r"Some resources are remaining: ", "NamespaceContentRemaining", "SomeResourcesRemain"),
        (
            r"Some content in the namespace has finalizers remaining: ",
            "NamespaceFinalizersRemaining",
            "SomeFinalizersRemain",
        ),
    )
)


def parse_remaining(message: str) -> tuple[tuple[str, int], ...]:
    """Read `NamespaceContentRemaining`: ((`widgets.example.com`, 2), (`pods`, 1)); () if the message says
    nothing of this kind.
    """
    return tuple((m["resource"], int(m["count"])) for m in _REMAINING.finditer(clean(message)))


def parse_finalizers(message: str) -> tuple[tuple[str, int], ...]:
    """Read `NamespaceFinalizersRemaining`: ((finalizer, number of objects), …)."""
    return tuple((m["name"], int(m["count"])) for m in _FINALIZER.finditer(clean(message)))


def parse_failed_groups(message: str) -> tuple[tuple[str, str], ...]:
    """Read `NamespaceDeletionDiscoveryFailure`: ((group/version, the server's words), …)."""
    match = _DISCOVERY.search(clean(message))
    if match is None:
        return ()
    parts = _GROUP.split(match["groups"])
    return tuple((gv, words.strip(" ,")) for gv, words in zip(parts[1::2], parts[2::2], strict=True))


def find_unserved(message: str) -> tuple[tuple[str, str], ...]:
    """Return ((group, version), …) of each aggregated API that a message reports as unanswered now."""
    if "unable to handle" not in message:
        return ()
    return tuple(dict.fromkeys((m["group"], m["version"]) for m in _UNSERVED.finditer(clean(message))))


def find_condition(text: str) -> tuple[str, str, str] | None:
    """Return (type, reason, message) of the condition whose message a text contains; None if there is none."""
    if "ing: " not in text:
        return None
    cleaned = clean(text)
    for pattern, type_, reason in _CONDITIONS:
        if match := pattern.search(cleaned):
            return type_, reason, " ".join(cleaned[match.start() :].split())
    return None


def infer_condition(why: str) -> tuple[str, str]:
    """Return the type and reason of the condition for a failed deletion of a Namespace: failed discovery of its types, or failed deletion of its content."""
    return _CONDITIONS[0][1:] if parse_failed_groups(why) else _CONDITIONS[1][1:]


def is_stale(words: str) -> bool:
    """Tell whether a group's failure is only stale discovery (1.26 on), which can show while the group works."""
    return _STALE.match(words) is not None
