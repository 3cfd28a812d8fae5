"""The addresses in messages about an attempt to connect: `Get "http://10.1.0.7:80/"`, `dial tcp
[fd00::7]:80`.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_ASKED = regex(
    r"(?:https?://|dial tcp |address \"?)(?P<host>\[[0-9a-fA-F:]{2,45}\]|[^\s\"\[\]/:]{1,253}):"
    r"(?P<port>\d{1,5})\b"
)
_IPV4 = regex(r"\d{1,3}(?:\.\d{1,3}){3}")
_LOOPBACK = regex(r"127\.|localhost$|\[::1\]$")


@record()
class AskedAddress(Record):
    """host: a name or an IP address, IPv6 in brackets."""

    host: str
    port: int

    @property
    def is_ip(self) -> bool:
        """Tell whether the host is an IP address."""
        return self.host.startswith("[") or is_ipv4(self.host)

    @property
    def is_loopback(self) -> bool:
        """Tell whether the host is the asking machine itself."""
        return _LOOPBACK.match(self.host) is not None


def is_ipv4(text: str) -> bool:
    """Tell whether a text has the form of an IPv4 address."""
    return _IPV4.fullmatch(text) is not None


def find_asked(text: str) -> tuple[AskedAddress, ...]:
    """Find the requested addresses, in the order of the text: the URL's, then the dialled one."""
    return tuple(AskedAddress(found["host"], int(found["port"])) for found in _ASKED.finditer(text))
