"""Classifies oddities in the form of a value in a ConfigMap or a Secret: only the class leaves this module,
never a part of the value.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from unstuck.facts.aspects.objects import KeyShape
from unstuck.facts.regex import regex

_LONGEST = 1 << 16
_BASE64 = regex(r"[A-Za-z0-9+/\r\n]{8,}={0,2}\s*")
_QUOTES = ('"', "'")
UrlShape = Literal["url-#", "url-/", "url-?", "url-@", "url-%", "url-blank"]
_URL = regex(r"(?:jdbc:)?[a-zA-Z][a-zA-Z0-9+.-]{1,20}://(?P<rest>[^\r\n]{1,2000})")
_ENDS_AUTHORITY = regex(r"[/?#]")
_OF_CHARACTER: Mapping[str, UrlShape] = {"#": "url-#", "/": "url-/", "?": "url-?"}
# A user and the beginning of a password, which no port is.
_CUT = regex(r"^[^:@]+:(?!\d{1,5}$)[^@]*$")
_BARE_PERCENT = regex(r"%(?![0-9A-Fa-f]{2})")


def find_shapes(pairs: Iterable[tuple[str, str]]) -> tuple[KeyShape, ...]:
    """Return the keys whose value has an odd form."""
    return tuple(
        shape for key, value in pairs if len(value) <= _LONGEST for shape in _list_shapes_of(key, value)
    )


def decode_values(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the values of a Secret's data, without binary and masked values."""
    for key, value in pairs:
        if len(value) <= _LONGEST and (text := _decode(value)) is not None:
            yield key, text


def _list_shapes_of(key: str, value: str) -> Iterator[KeyShape]:
    if not value:
        yield KeyShape(key, "empty")
        return
    bare = value.strip()
    if "\n" not in bare and value.endswith("\n"):
        yield KeyShape(key, "newline")
    elif "\n" not in bare and bare != value:
        yield KeyShape(key, "blanks")
    if len(bare) > 1 and bare[0] in _QUOTES and bare[-1] == bare[0] and "\n" not in bare:
        yield KeyShape(key, "quoted")
    if _is_base64_of_text(bare):
        yield KeyShape(key, "base64")
    if (url := _URL.fullmatch(bare)) and (broken := _find_break(url["rest"])):
        yield KeyShape(key, broken)


def _find_break(rest: str) -> UrlShape | None:
    """Return the character that ends a URL's user and password too early (RFC 3986, section 3.2); None for
    none.

    If there is no `@` before the first `/`, `?` or `#`, and one after it, the password is cut there.
    """
    end = _ENDS_AUTHORITY.search(rest)
    authority = rest[: end.start()] if end else rest
    if end and "@" not in authority and _CUT.search(authority) and "@" in rest[end.start() :]:
        return _OF_CHARACTER[end[0]]
    user, at, _ = authority.rpartition("@")
    if not at:
        return None
    if " " in user:
        return "url-blank"
    return "url-@" if "@" in user else "url-%" if _BARE_PERCENT.search(user) else None


def _is_base64_of_text(value: str) -> bool:
    """Tell whether the value is base64 of printable text: about one random word in some hundred is, no
    certificate is.
    """
    if not _BASE64.fullmatch(value):
        return False
    text = _decode("".join(value.split()))
    return (
        text is not None
        and len(text) > 5
        and all(c.isprintable() or c in "\t\r\n" for c in text)
        and text.isascii()
    )


def _decode(value: str) -> str | None:
    try:
        return b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
