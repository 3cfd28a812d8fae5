"""The absolute paths in the values of variables, arguments and ConfigMaps, and nothing else of a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from unstuck.facts.aspects.objects import KeyPath
from unstuck.facts.regex import regex

_LONGEST, _MOST, _OF_EACH = 1 << 16, 40, 16
# Two names at least; neither the path of a URL nor a part of a word.
_PATH = regex(r"(?<![\w./@$~*+-])/(?:[\w@+-][\w.@:+-]{0,100}/){1,12}[\w@+.-][\w.@:+-]{0,100}(?<![.:])")
# The user and the password of a URL, which may have slashes.
_LOGIN = regex(r"://[^\s\"']{0,500}@")
# An option before its value, or joined to it.
_OPTION = regex(r"(?P<name>--?[A-Za-z][\w.-]{0,60})(?:=(?P<value>.*))?", re.DOTALL)


def find_paths_in(pairs: Iterable[tuple[str, str]]) -> tuple[KeyPath, ...]:
    """Return the paths in values, by the variable or the key that holds them."""
    return tuple(islice(_list_all(pairs), _MOST))


def name_arguments(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a command line, each with the option that it belongs to; "" without one."""
    before = ""
    for word in words:
        if found := _OPTION.fullmatch(word):
            before = found["name"]
            if found["value"] is not None:
                yield before, found["value"]
                before = ""
        else:
            # A script of a shell names more paths than it is given.
            yield before, "" if any(c.isspace() for c in word) else word
            before = ""


def _list_all(pairs: Iterable[tuple[str, str]]) -> Iterator[KeyPath]:
    for key, value in pairs:
        if "/" in value and len(value) <= _LONGEST:
            found = dict.fromkeys(_PATH.findall(_LOGIN.sub("://", value)))
            yield from (KeyPath(key, path) for path in islice(found, _OF_EACH))
