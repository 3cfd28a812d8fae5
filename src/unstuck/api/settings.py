"""The settings of `unstuck.yaml`: known troubles, a time limit, Namespaces left out, the language. Pure: text
in, records out.

The file cannot contain a command, server or token: an unknown key makes the whole file invalid, and is
reported with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Literal, TypeVar

import yaml

from unstuck.facts.duration import parse_duration
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

FURTHEST = timedelta(days=90)
LARGEST = 1 << 20
_CAUSE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
T = TypeVar("T")


@record()
class KnownTrouble(Record):
    """One known trouble. object: `KIND/NAME`, with `*` as a wildcard. namespace: None for any. line: its
    place in the file.

    until: its last day. matches: the intended number of objects.
    """

    line: int
    cause: str
    object: str
    reason: str
    until: date
    namespace: str | None = None
    matches: int = 1


@record()
class Settings(Record):
    """The settings of a file. path: its path. troubles: known troubles in force today. hidden_namespaces:
    with `*` as a wildcard.

    after: seconds. notes: errors of the file.
    """

    path: str = ""
    troubles: tuple[KnownTrouble, ...] = ()
    hidden_namespaces: tuple[str, ...] = ()
    after: float | None = None
    language: Literal["en", "zh"] | None = None
    notes: tuple[Text, ...] = ()

    def all_shown(self) -> Settings:
        """Return the settings without known troubles and left-out Namespaces."""
        return replace(self, troubles=(), hidden_namespaces=())


class SettingsError(Exception):
    """An error in the file. line: None if unknown. text: the fault."""

    def __init__(self, text: Text, line: int | None = None) -> None:
        super().__init__(text.en)
        self.text, self.line = text, line


def parse_settings(text: str, path: str, today: date) -> Settings:
    """Parse the file's text. today: in UTC; expired entries, and entries that end too late, are noted and do
    not apply.

    Errors: SettingsError.
    """
    root = _compose(text)
    if root is None:
        return Settings(path)
    fields = _fields(root, _KEYS)
    troubles, notes = list[KnownTrouble](), list[Text]()
    for node in _list_rows(fields.get("known")):
        one = _parse_trouble(node)
        if why := _explain_not_in_force(one, today):
            notes.append(_name_place(path, one.line) + why)
        else:
            troubles.append(one)
    return Settings(
        path,
        tuple(troubles),
        tuple(_parse_string(node) for node in _list_rows(fields.get("leave-out"))),
        _parse_optional(fields, "after", _parse_seconds),
        _parse_optional(fields, "language", _parse_language),
        tuple(notes),
    )


_KEYS = ("known", "after", "leave-out", "language")
_ENTRY = ("cause", "object", "namespace", "reason", "until", "matches")


def _compose(text: str) -> yaml.Node | None:
    """Return YAML nodes, which keep their lines. They are not constructed into objects, and no alias is
    followed more than once.
    """
    try:
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        mark = getattr(e, "problem_mark", None) or getattr(e, "context_mark", None)
        raise SettingsError(say("is not valid YAML"), mark.line + 1 if mark else None) from None
    return root


def _fields(node: yaml.Node, allowed: tuple[str, ...]) -> Mapping[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(say("a mapping is expected here"), _line(node))
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name not in allowed:
            told, there = name[:40], ", ".join(allowed)
            raise SettingsError(
                say("no key {told!r} is known; there are {there}", told=told, there=there), _line(key)
            )
        if name in found:
            raise SettingsError(say("{name} stands twice", name=name), _line(key))
        found[name] = value
    return found


def _list_rows(node: yaml.Node | None) -> Iterator[yaml.Node]:
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise SettingsError(say("a list is expected here"), _line(node))
    yield from node.value


def _parse_string(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise SettingsError(say("a word is expected here"), _line(node))
    value: str = node.value
    return value.strip()


def _parse_optional(fields: Mapping[str, yaml.Node], key: str, read: Callable[[yaml.Node], T]) -> T | None:
    return read(fields[key]) if key in fields else None


def _parse_trouble(node: yaml.Node) -> KnownTrouble:
    fields = _fields(node, _ENTRY)
    for key in ("cause", "object", "reason", "until"):
        if key not in fields:
            raise SettingsError(say("{key} is missing", key=key), _line(node))
    return KnownTrouble(
        line=_line(node),
        cause=_matching_string(fields["cause"], _CAUSE, say("a cause's id is expected: file.immutable")),
        object=_matching_string(
            fields["object"], re.compile(r"[^/\s]+/[^/\s]+"), say("KIND/NAME is expected")
        ),
        reason=" ".join(_parse_string(fields["reason"]).split())[:200],
        until=_parse_date(fields["until"]),
        namespace=_parse_optional(fields, "namespace", _parse_string),
        matches=_parse_optional(fields, "matches", _parse_count) or 1,
    )


def _matching_string(node: yaml.Node, pattern: re.Pattern[str], said: Text) -> str:
    value = _parse_string(node)
    if not pattern.fullmatch(value):
        raise SettingsError(said, _line(node))
    return value


def _parse_date(node: yaml.Node) -> date:
    try:
        return date.fromisoformat(_parse_string(node))
    except ValueError:
        raise SettingsError(say("a day is expected, e.g. 2026-12-24"), _line(node)) from None


def _parse_count(node: yaml.Node) -> int:
    return int(_matching_string(node, re.compile(r"[1-9]\d{0,5}"), say("a number of objects is expected")))


def _parse_seconds(node: yaml.Node) -> float:
    seconds = parse_duration(_parse_string(node))
    if seconds is None:
        raise SettingsError(say("a duration is expected: 90s, 5m or 1h30m"), _line(node))
    return seconds


def _parse_language(node: yaml.Node) -> Literal["en", "zh"]:
    value = _matching_string(node, re.compile("en|zh"), say("the language is en or zh"))
    return "zh" if value == "zh" else "en"


def _explain_not_in_force(one: KnownTrouble, today: date) -> Text | None:
    if one.until < today:
        return say(
            "{cause} of {object} was known until {until} and is told again",
            cause=one.cause,
            object=one.object,
            until=one.until,
        )
    if one.until > today + FURTHEST:
        days = FURTHEST.days
        return say(
            "{until} is more than {days} days ahead: the entry does not hold", until=one.until, days=days
        )
    return None


def _name_place(path: str, line: int | None) -> Text:
    at = f"{path}:{line}" if line else path
    return say("{at}: ", at=at)


def make_failed_settings(path: str, error: SettingsError) -> Settings:
    """Return settings with only the errors of the file."""
    rest = say("; the answer comes without it")
    return Settings(path, notes=(_name_place(path, error.line) + error.text + rest,))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
