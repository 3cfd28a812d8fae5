"""The addresses in the values of variables and ConfigMaps: hosts and ports, and never a user, a password, a
path or anything else of a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from unstuck.facts.aspects.objects import KeyAddress
from unstuck.facts.regex import regex

_LONGEST, _MOST, _OF_EACH = 1 << 16, 40, 8
_HOST = (
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9-]{1,63}){0,8}|\[[0-9a-fA-F:]{2,45}\])"
)
# `postgres://user:…@db.data:5432/x`, and `db.data:5432` where a name or an address precedes a port.
_ADDRESS = regex(
    rf"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{{1,20}}://)(?:[^\s@/]{{1,200}}@)?(?P<host>{_HOST})(?::(?P<port>\d{{1,5}}))?"
    rf"(?![\w@:])|(?<![\w.@/:-])(?P<bare>{_HOST}):(?P<number>\d{{2,5}})(?![\w.:@])"
)
# A variable whose whole value is a host: DB_HOST, BROKER_ADDRESS, SERVER.
_OF_HOST = regex(r"(?i)(?:host(?:name)?|server|addr(?:ess)?|endpoint|url|uri|proxy|broker|bind|listen)s?$")
_IP = regex(r"\d{1,3}(?:\.\d{1,3}){3}")
_WHOLE = regex(rf"{_HOST}")


def find_addresses(pairs: Iterable[tuple[str, str]]) -> tuple[KeyAddress, ...]:
    """Return the addresses in values, by the variable or the key that holds them."""
    return tuple(islice(_list_all(pairs), _MOST))


def _list_all(pairs: Iterable[tuple[str, str]]) -> Iterator[KeyAddress]:
    for key, value in pairs:
        if len(value) > _LONGEST:
            continue
        # Each form of an address has a colon, and few values have one.
        found = _ADDRESS.finditer(value) if ":" in value else ()
        seen = dict.fromkeys((m["host"] or m["bare"], int(m["port"] or m["number"] or 0)) for m in found)
        whole = value.strip()
        if not seen and (_IP.fullmatch(whole) or (_OF_HOST.search(key) and _WHOLE.fullmatch(whole))):
            seen = {(whole, 0): None}
        yield from (KeyAddress(key, host, port) for host, port in islice(seen, _OF_EACH))
