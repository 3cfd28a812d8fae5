"""Pull Secrets and the ServiceAccounts that link them. Of a Secret's content only the names of servers
leave this module.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Iterator, Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.collect.objects.settings import read_account_token
from unstuck.facts.aspects.pulls import PullLinks, PullServers
from unstuck.facts.core import Fact
from unstuck.facts.regex import regex

# Type → key, and whether the servers lie below `auths` (pkg/credentialprovider/secrets/secrets.go).
_TYPES = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson", True),
    "kubernetes.io/dockercfg": (".dockercfg", False),
}
_LONGEST = 1 << 20
_MOST = 50
# A valid server name: any other key is not a name and may be anything.
_SERVER = regex(
    r"(?:https?://)?[A-Za-z0-9*](?:[A-Za-z0-9.*-]{0,252}[A-Za-z0-9*])?(?::\d{1,5})?"
    r"(?:/[A-Za-z0-9._/-]{0,200})?"
)


def pull_server_facts(seen: SeenObject) -> Iterator[PullServers]:
    """Yield the servers that the kubelet would find in this Secret for pulling; nothing for a Secret
    without its data.
    """
    type_ = doc.text(seen.obj, "type")
    known = _TYPES.get(type_)
    if known is None:
        if type_:
            yield PullServers(
                about=seen.ref, src=seen.src(f"type {type_}"), flaw="wrong-type", whole=seen.observed
            )
        return
    key, below = known
    held = doc.at(seen.obj, "data", key)
    if not isinstance(held, str):
        return
    found = _decode(held)
    if found is None:
        # The server accepts no Secret of these types without JSON in it: the value was removed before it was
        # shown.
        return
    auths = found.get("auths") if below else found
    if not isinstance(auths, Mapping):
        yield PullServers(
            about=seen.ref, src=seen.src(f"type {type_}, no auths"), flaw="unreadable", whole=seen.observed
        )
        return
    servers = tuple(sorted(k for k in auths if isinstance(k, str) and _SERVER.fullmatch(k)))[:_MOST]
    shown = ", ".join(servers) or "none"
    yield PullServers(
        about=seen.ref, src=seen.src(f"type {type_}, servers {shown}"), servers=servers, whole=seen.observed
    )


def _decode(held: str) -> doc.Doc | None:
    """Return the JSON object of a base64 value, None if there is none."""
    if len(held) > _LONGEST:
        return None
    try:
        inner = json.loads(b64decode(held, validate=True))
    except (binascii.Error, ValueError, RecursionError):
        return None
    return inner if isinstance(inner, Mapping) else None


def account_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield PullLinks of a ServiceAccount, and whether Pods get its token."""
    names = tuple(n for row in doc.rows(seen.obj, "imagePullSecrets") if (n := doc.text(row, "name")))
    yield PullLinks(
        about=seen.ref,
        src=seen.src(f"imagePullSecrets {', '.join(names) or 'none'}"),
        names=names,
        whole=seen.observed,
    )
    yield read_account_token(seen)
    yield from status_facts(seen)
