"""Pseudonyms of IP addresses: different ones stay different; what shares its first octets still does, so a network holds its own."""

from __future__ import annotations

import ipaddress

# What says nothing of anybody.
_EVERYBODYS = ("127.", "0.", "255.", "169.254.169.254")
_PRIVATE = frozenset(("10", "172", "192", "100", "169"))


class Addresses:
    """count: how many were replaced."""

    def __init__(self) -> None:
        self._octets: dict[tuple[str, ...], int] = {}
        self._next: dict[tuple[str, ...], int] = {}
        self._known: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many different ones were replaced."""
        return sum(a != b for a, b in self._known.items())

    @staticmethod
    def is_address(text: str) -> bool:
        """Of either family."""
        try:
            ipaddress.ip_address(text)
        except ValueError:
            return False
        return True

    def hidden(self, address: str) -> str:
        """Its pseudonym; itself where it is everybody's (loopback, unspecified) or no address."""
        if address not in self._known:
            self._known[address] = self._new(address)
        return self._known[address]

    def _new(self, address: str) -> str:
        if not self.is_address(address) or address.startswith(_EVERYBODYS) or address in ("::", "::1"):
            return address
        if ":" in address:
            return f"fd00::{len(self._known) + 1:x}"
        parts = address.split(".")
        first = parts[0] if parts[0] in _PRIVATE else "198"
        # The last one stays: a network's own is 0, a Service network's first is the API server's.
        return ".".join([first, *(str(self._octet(tuple(parts[: i + 1]))) for i in (1, 2)), parts[3]])

    def _octet(self, prefix: tuple[str, ...]) -> int:
        """0 stays, too."""
        if prefix[-1] == "0":
            return 0
        if prefix not in self._octets:
            above = prefix[:-1] if prefix[0] in _PRIVATE or len(prefix) > 2 else ("",)
            self._octets[prefix] = self._next[above] = self._next.get(above, 0) % 254 + 1
        return self._octets[prefix]
