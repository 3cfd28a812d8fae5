"""The conditions that the namespace controller writes while a Namespace goes, taken apart.

Source: pkg/controller/namespace/deletion/status_condition_utils.go (1.16–1.34), client-go discovery `ErrGroupDiscoveryFailed`.
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


def remaining(message: str) -> tuple[tuple[str, int], ...]:
    """Read `NamespaceContentRemaining`: ((`widgets.example.com`, 2), (`pods`, 1)); () where the message says nothing of this kind."""
    return tuple((m["resource"], int(m["count"])) for m in _REMAINING.finditer(clean(message)))


def finalizers(message: str) -> tuple[tuple[str, int], ...]:
    """Read `NamespaceFinalizersRemaining`: ((finalizer, number of objects), …)."""
    return tuple((m["name"], int(m["count"])) for m in _FINALIZER.finditer(clean(message)))


def failed_groups(message: str) -> tuple[tuple[str, str], ...]:
    """Read `NamespaceDeletionDiscoveryFailure`: ((group/version, the server's words), …)."""
    found = _DISCOVERY.search(clean(message))
    if found is None:
        return ()
    parts = _GROUP.split(found["groups"])
    return tuple((gv, words.strip(" ,")) for gv, words in zip(parts[1::2], parts[2::2], strict=True))


def stale(words: str) -> bool:
    """Tell whether a group's failure is only stale discovery (1.26 on), which can show while the group works."""
    return _STALE.match(words) is not None
