"""Decides whether a server is asked to compress its answers (gzip): by the option, else by its address.
See docs/why/fast-paths.md.
"""

from __future__ import annotations

import ipaddress
from typing import Literal

# auto: by the server's address.
Compress = Literal["auto", "always", "never"]

# Loopback, link-local and private addresses: RFC 1122, 3927, 1918; 4291, 4193. Not `is_private`, which also
# holds ranges that say nothing about the distance: 198.18.0.0/15, where proxies put the names of distant
# hosts.
_NEAR = tuple(
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8",
        "169.254.0.0/16",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fe80::/10",
        "fc00::/7",
    )
)


def accept_encoding(compress: Compress, peer: str) -> str:
    """Return the header of that name. peer: the address at the other end of the connection; "" where only
    a proxy knows it.
    """
    packed = compress == "always" or (compress == "auto" and not _is_near(peer))
    return "gzip" if packed else "identity"


def _is_near(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address in network for network in _NEAR)
