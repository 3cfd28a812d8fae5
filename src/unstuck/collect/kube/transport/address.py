"""Parses addresses of servers and proxies, and formats them for people, never with a user name or
password.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from unstuck.errors import AccessError
from unstuck.facts.regex import regex
from unstuck.facts.text import Messages

say = Messages(__name__)

_HOST_AND_PORT = regex(r"(\[[0-9A-Fa-f:.%]*\]|[^:\[\]]*)(:\d*)?(/.*)?")
# Characters that no request may contain.
_UNSENT = regex(r"[^\x21-\x7e]")
_PROXIES = ("http", "socks5", "socks5h")


def format_address(address: str) -> str:
    """Return an address as people may see it: its scheme, host, port and path. Also of an address that does
    not read nothing is shown that may be a password: all before the last `@` (a password may hold any
    character), a query, a fragment, and a port that is no number.
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        scheme, rest = "", address
    plain = re.split(r"[?#\s]", rest.rpartition("@")[2], maxsplit=1)[0]
    shown = plain if _HOST_AND_PORT.fullmatch(plain) else f"{plain.partition(':')[0]}:…"
    return f"{scheme}{mark}{shown}"


def parse_server(server: str) -> SplitResult:
    """Return the parts of `cluster.server`; one without a scheme is reached by https. Errors: AccessError for
    anything but an http or https address.
    """
    url = _split(server if "://" in server else f"https://{server}")
    if url is None or url.scheme not in ("http", "https") or _UNSENT.search(f"{url.hostname}{url.path}"):
        raise AccessError(
            say("the kubeconfig's server {named!r} is no http or https address", named=format_address(server))
        )
    return url


def parse_proxy(proxy: str) -> SplitResult:
    """Return the parts of a proxy's address. Errors: AccessError for an unsupported form."""
    url = _split(proxy)
    if url is None or url.scheme not in _PROXIES:
        raise AccessError(
            say("proxy-url {named!r} cannot be used", named=format_address(proxy)),
            say("http:// and socks5:// proxies can"),
        )
    return url


def _split(address: str) -> SplitResult | None:
    """Return None for anything but an address with a host. The messages of `urllib`'s errors are dropped:
    they may quote a password.
    """
    try:
        url = urlsplit(address)
        return url if url.hostname and url.port != 0 else None
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Tell whether this name or address means this machine, without asking a resolver."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def proxy_from(env: Mapping[str, str], server: str) -> str | None:
    """Return the proxy that HTTPS_PROXY and NO_PROXY give for this server, by the rules of Go's
    `golang.org/x/net/http/httpproxy`.

    Errors: AccessError for a server that is no address.
    """
    variable = proxy_variable(server)
    proxy = env.get(variable) or env.get(variable.lower())
    if not proxy or _direct(
        parse_server(server).hostname or "", env.get("NO_PROXY") or env.get("no_proxy") or ""
    ):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def proxy_variable(server: str) -> str:
    """Return the environment variable that names the proxy for this server. Errors: AccessError for an
    invalid address.
    """
    return "HTTPS_PROXY" if parse_server(server).scheme == "https" else "HTTP_PROXY"


def _direct(host: str, no_proxy: str) -> bool:
    if is_loopback(host):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    for part in filter(None, (p.strip().lower() for p in no_proxy.split(","))):
        if part == "*" or host == part.lstrip("."):
            return True
        if address is None and host.endswith("." + part.removeprefix("*").lstrip(".")):
            return True
        if address is not None and "/" in part:
            try:
                if address in ipaddress.ip_network(part, strict=False):
                    return True
            except ValueError:
                continue
    return False
