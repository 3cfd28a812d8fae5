"""Pseudonyms of addresses: different ones stay different; IPv4 that shares its first octets still does, so
a network holds its own.
"""

from __future__ import annotations

import ipaddress

# Addresses that identify no one: loopback, unspecified, masks, every cloud's metadata service.
_EVERYBODYS = ("127.", "0.", "255.", "169.254.169.254")
_PRIVATE = frozenset(("10", "172", "192", "100", "169"))
# RFC 1918: 172.16.0.0/12 and 192.168.0.0/16.
_LARGER, _LARGER_SECONDS, _SMALLER = 172, range(16, 32), (192, 168)
# Of documentation and above: no address of the ones that are private.
_PUBLIC = 198


def plain_v4(text: str) -> str:
    """Return an IPv4 address of four parts in its usual form, "" for anything else.

    As inet_aton(3) reads it, with hex and octal parts; but three digits with zeros before them are decimal,
    as people pad them.
    """
    parts = text.split(".")
    try:
        numbers = [
            int(p, 16) if p[:2] in ("0x", "0X") else int(p, 8) if len(p) > 3 and p[0] == "0" else int(p)
            for p in parts
        ]
    except ValueError:
        return ""
    return ".".join(map(str, numbers)) if len(numbers) == 4 and max(numbers) < 256 else ""


class Addresses:
    """count: how many were replaced."""

    def __init__(self) -> None:
        self._octets: dict[tuple[str, ...], int] = {}
        self._next: dict[tuple[str, ...], int] = {}
        self._pairs: dict[tuple[str, ...], int] = {}
        self._pseudonyms: dict[str, str] = {}
        self._hardware: dict[str, str] = {}
        self._larger: dict[tuple[str, ...], int] = {}

    @property
    def count(self) -> int:
        """How many different ones were replaced."""
        return sum(a != b for a, b in self._pseudonyms.items()) + len(self._hardware)

    @staticmethod
    def is_address(text: str) -> bool:
        """Tell whether a text is an address of either family."""
        try:
            ipaddress.ip_address(text)
        except ValueError:
            return False
        return True

    def pseudonym_of(self, address: str) -> str:
        """Return the address' pseudonym, the same however it is written; loopback, unspecified and no
        addresses stay.
        """
        if not self.is_address(address) or address.startswith(_EVERYBODYS):
            return address
        plain = str(ipaddress.ip_address(address.partition("%")[0]))
        if plain not in self._pseudonyms:
            self._pseudonyms[plain] = self._new(plain)
        return address if self._pseudonyms[plain] == plain else self._pseudonyms[plain]

    def machine(self, address: str) -> str:
        """Return a pseudonym of a network card's address, in the original's form."""
        digits = "".join(c for c in address.lower() if c.isalnum())
        if digits not in self._hardware:
            # Locally administered: no maker's.
            self._hardware[digits] = f"02{len(self._hardware) + 1:0{len(digits) - 2}x}"
        new = iter(self._hardware[digits])
        return "".join(next(new) if c.isalnum() else c for c in address)

    def _new(self, address: str) -> str:
        one = ipaddress.ip_address(address)
        if isinstance(one, ipaddress.IPv6Address):
            if one.ipv4_mapped:
                return f"::ffff:{self.pseudonym_of(str(one.ipv4_mapped))}"
            return (
                address if one.is_loopback or one.is_unspecified else f"fd00::{len(self._pseudonyms) + 1:x}"
            )
        parts = tuple(address.split("."))
        kept = parts[0] in _PRIVATE
        begun = [parts[0], str(self._second(parts[:2]))] if kept else self._public(parts[:2])
        return ".".join([*begun, str(self._octet(parts[:3])), str(self._octet(parts))])

    def _public(self, two: tuple[str, ...]) -> list[str]:
        number = self._pairs.setdefault(two, len(self._pairs))
        return [str(_PUBLIC + number // 256), str(number % 256)]

    def _second(self, two: tuple[str, ...]) -> int:
        """Return the second octet: a private network stays private, as causes look for the owner of such an
        address alone.
        """
        first, second = map(int, two)
        if first == _LARGER and second in _LARGER_SECONDS:
            return self._larger.setdefault(two, _LARGER_SECONDS.start + len(self._larger))
        return second if (first, second) == _SMALLER else self._octet(two)

    def _octet(self, prefix: tuple[str, ...]) -> int:
        """Return the last octet. 0 and 1 stay: a network's own address ends in 0, and the API server's in
        a network of Services in 1.
        """
        if prefix[-1] in ("0", "1"):
            return int(prefix[-1])
        if prefix not in self._octets:
            self._octets[prefix] = self._next[prefix[:-1]] = self._next.get(prefix[:-1], 1) + 1
        return self._octets[prefix]
