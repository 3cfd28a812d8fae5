"""Evidence with names chosen by an attacker: the facts of a case with one class of strings replaced
consistently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, list_field_names
from unstuck.facts.snapshot import Snapshot

VALUES = (
    *(
        "--all",
        "-A",
        "-oProxyCommand=id",
        "x;id",
        "$(id)",
        "`id`",
        "x|id",
        "x&id",
        "x>f",
        "<x",
        "*",
        "~",
        "#x",
        "!x",
        "\\",
        "x\\",
    ),
    *(
        "a\nid",
        "a\rb",
        "it's",
        "'; id '",
        'say "x"',
        '"; id "',
        "a b",
        "../x",
        "x/../../etc",
        "\u202ex",
        "x\u200b",
        "a\x1b[2Jb",
        "\0",
    ),
    *("x" * 300, "", "NAME", "é", "{name}", "%s", "-"),
)
CLASSES = ("name", "within", "uid", "path", "message", "word")


@dataclass(frozen=True)
class Changed:
    """A changed Snapshot of a case. subject: its changed name."""

    what: str
    value: str
    snapshot: Snapshot
    subject: Ref


def change(
    facts: Iterable[Fact], subject: Ref, snap: Snapshot, what: str, value: str, random: Random
) -> Changed | None:
    """Return the case with the strings of one class replaced; None without such strings. what: one of
    CLASSES.
    """
    facts = tuple(facts)
    found = sorted(_is_of_class(facts, what))
    if what == "word" and found:
        found = [random.choice(found)]
    if not found:
        return None
    new = {old: _replace_word(old, value, i, what, random) for i, old in enumerate(found)}
    swap = _swap(new)
    return Changed(
        what,
        value,
        Snapshot([cast(Fact, _map_strings(f, swap)) for f in facts], snap.now, snap.sources),
        cast(Ref, _map_strings(subject, swap)),
    )


def rename(fact: Fact, new: dict[str, str]) -> Fact:
    """Return the fact with these strings replaced, also within longer ones."""
    return cast(Fact, _map_strings(fact, _swap(new)))


def _replace_word(old: str, value: str, i: int, what: str, random: Random) -> str:
    """Replace a string; different strings stay different, except for values that must stand alone. A path or
    a message may keep its beginning.
    """
    mine = f"{value}{i}" if i and value else value
    if what in ("path", "message") and random.random() < 0.7:
        return f"{old}{'/' if what == 'path' else ' '}{mine}"
    return mine


def _swap(new: dict[str, str]) -> Callable[[str], str]:
    """Replace whole strings, and longer ones within others at word boundaries."""
    within = sorted((old for old in new if len(old) > 3), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, within))})(?![\w-])") if within else None

    def swap(text: str) -> str:
        if text in new:
            return new[text]
        return pattern.sub(lambda m: new[m[0]], text) if pattern else text

    return swap


def _is_of_class(facts: tuple[Fact, ...], what: str) -> set[str]:
    if what in ("name", "within", "uid"):
        # `NAMESPACE/POD` of a Container is composed of names.
        return {
            value
            for f in facts
            for ref in _list_refs(f)
            if (value := getattr(ref, what)) and not (what == "within" and "/" in value)
        }
    strings = {text for f in facts for text in _list_strings(f)}
    if what == "path":
        return {text for text in strings if text.startswith("/") and " " not in text}
    if what == "message":
        return {text for text in strings if " " in text}
    return {text for text in strings if " " not in text and len(text) > 1}


def _list_refs(value: object) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    else:
        for part in _list_parts(value):
            yield from _list_refs(part)


def _list_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for part in _list_parts(value):
            yield from _list_strings(part)


def _list_parts(value: object) -> Iterable[Any]:
    if isinstance(value, tuple):
        return value
    return (
        [getattr(value, name) for name in list_field_names(type(value))] if isinstance(value, Record) else ()
    )


def _map_strings(value: object, swap: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return swap(value)
    if isinstance(value, tuple):
        return tuple(_map_strings(item, swap) for item in value)
    if isinstance(value, Record):
        kind: Any = type(value)
        return kind(
            **{
                name: _map_strings(getattr(value, name), swap)
                for name in list_field_names(kind)
                if name != "_hash"
            }
        )
    return value
