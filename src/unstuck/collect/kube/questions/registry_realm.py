"""Decides which token services a registry may name: itself, or a host below the same registered domain.

The creator of a Pod names the registry, and this machine reaches hosts that the creator does not: a realm
elsewhere would be asked on the creator's behalf. No list of public suffixes is kept: below a likely one, and
below a cloud's names, one more label has to be the same.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from unstuck.collect.redact.names import CLOUDS

# `co.uk`, `com.cn`: below them names are registered as below `com`.
_SECOND_LEVEL = frozenset(
    (
        "ac",
        "co",
        "com",
        "edu",
        "go",
        "gob",
        "gov",
        "govt",
        "gr",
        "idv",
        "ltd",
        "mil",
        "ne",
        "net",
        "nom",
        "or",
        "org",
        "sch",
    )
)
# Names that any user with a Pod may have: a Service of theirs is in the same domain as the API server's.
_OF_SERVICES = (".svc", ".cluster.local")


def may_name(registry: str, realm: str) -> bool:
    """Tell whether this registry may send its clients to this token service. registry: its host, with its
    port. realm: the token service's address, as named by the registry.
    """
    try:
        here, there = urlsplit(f"https://{registry}"), urlsplit(realm)
        ports = (here.port or 443, there.port or 443)
    except ValueError:
        return False
    plain = realm.isascii() and realm.isprintable() and not set(realm) & set(' \\#"<>')
    if (
        not plain
        or there.scheme != "https"
        or not there.hostname
        or there.username is not None
        or there.password is not None
    ):
        return False
    if ports[1] not in (443, ports[0]):
        return False
    return _is_near((here.hostname or "").rstrip("."), there.hostname.rstrip("."))


def _is_near(registry: str, service: str) -> bool:
    if registry == service:
        return True
    if _is_address(registry) or _is_address(service) or registry.endswith(_OF_SERVICES):
        return False
    domain = _find_registered(registry)
    return bool(domain) and (service == domain or service.endswith(f".{domain}"))


def _find_registered(host: str) -> str:
    """Return the registered domain of a host, "" if the host is only a public suffix."""
    labels = host.split(".")
    size = 2
    if len(labels) >= 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL:
        size = 3
    suffix = max((s for s in CLOUDS if host.endswith(s)), key=len, default="")
    # Hosts of `registry.REGION.CLOUD` share the region; hosts of `CUSTOMER.CLOUD` share nothing.
    if suffix:
        size = suffix.count(".") + 1
    return ".".join(labels[-size:]) if len(labels) >= size + bool(suffix) else ""


def _is_address(host: str) -> bool:
    """Tell whether the host is an address, also in a form that only some resolvers read: `0x7f.1`,
    `2130706433`.
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return all(label[:1].isdigit() for label in host.split(".")[-1:])
    return True
