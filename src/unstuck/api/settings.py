"""The settings of `unstuck.yaml`: known troubles, a time limit, Namespaces left out, the language. Pure: text in, records out.

No command, server or token can stand in it: a key that is none of these makes the whole file be left aside, and is named with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Literal, TypeVar

import yaml

from unstuck.facts.duration import seconds_in
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text

FURTHEST = timedelta(days=90)
LARGEST = 1 << 20
_CAUSE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
T = TypeVar("T")


@record()
class KnownTrouble(Record):
    """One known trouble. object: `KIND/NAME`, in which `*` stands for anything. namespace: None for any. line: where it stands.

    until: its last day. matches: how many objects it was written for.
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
    """where: the file. known: silences in force today. left_out: Namespaces, `*` for anything. after: seconds. said: what does not hold."""

    where: str = ""
    known: tuple[KnownTrouble, ...] = ()
    left_out: tuple[str, ...] = ()
    after: float | None = None
    language: Literal["en", "zh"] | None = None
    said: tuple[Text, ...] = ()

    def all_shown(self) -> Settings:
        """Return the same without what is left out of answers."""
        return replace(self, known=(), left_out=())


class SettingsError(Exception):
    """line: where, None where that cannot be told. said: what is wrong."""

    def __init__(self, said: Text, line: int | None = None) -> None:
        super().__init__(said.en)
        self.said, self.line = said, line


def parse_settings(text: str, where: str, today: date) -> Settings:
    """Read the file's text. today: in UTC; entries that ended before it, or that end too late, are said and do not hold.

    Errors: SettingsError.
    """
    root = _composed(text)
    if root is None:
        return Settings(where)
    fields = _fields(root, _KEYS)
    known, said = list[KnownTrouble](), list[Text]()
    for node in _rows(fields.get("known")):
        one = _known(node)
        if why := _does_not_hold(one, today):
            said.append(_at(where, one.line) + why)
        else:
            known.append(one)
    return Settings(
        where,
        tuple(known),
        tuple(_string(node) for node in _rows(fields.get("leave-out"))),
        _given(fields, "after", _seconds),
        _given(fields, "language", _language),
        tuple(said),
    )


_KEYS = ("known", "after", "leave-out", "language")
_ENTRY = ("cause", "object", "namespace", "reason", "until", "matches")


def _composed(text: str) -> yaml.Node | None:
    """Return Nodes, so that everything has its line. No object is made of them, and no alias is followed more than once."""
    try:
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        mark = getattr(e, "problem_mark", None) or getattr(e, "context_mark", None)
        raise SettingsError(Text("is not valid YAML", "不是有效的 YAML"), mark.line + 1 if mark else None) from None
    return root


def _fields(node: yaml.Node, allowed: tuple[str, ...]) -> Mapping[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(Text("a mapping is expected here", "此处应为映射"), _line(node))
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name not in allowed:
            told, there = name[:40], ", ".join(allowed)
            raise SettingsError(Text(f"no key {told!r} is known; there are {there}", f"没有键 {told!r}；可用的有 {there}"), _line(key))
        if name in found:
            raise SettingsError(Text(f"{name} stands twice", f"{name} 出现了两次"), _line(key))
        found[name] = value
    return found


def _rows(node: yaml.Node | None) -> Iterator[yaml.Node]:
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise SettingsError(Text("a list is expected here", "此处应为列表"), _line(node))
    yield from node.value


def _string(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise SettingsError(Text("a word is expected here", "此处应为一个词"), _line(node))
    value: str = node.value
    return value.strip()


def _given(fields: Mapping[str, yaml.Node], key: str, read: Callable[[yaml.Node], T]) -> T | None:
    return read(fields[key]) if key in fields else None


def _known(node: yaml.Node) -> KnownTrouble:
    fields = _fields(node, _ENTRY)
    for key in ("cause", "object", "reason", "until"):
        if key not in fields:
            raise SettingsError(Text(f"{key} is missing", f"缺少 {key}"), _line(node))
    return KnownTrouble(
        line=_line(node),
        cause=_matching(fields["cause"], _CAUSE, Text("a cause's id is expected: file.immutable", "应为原因的 id：file.immutable")),
        object=_matching(fields["object"], re.compile(r"[^/\s]+/[^/\s]+"), Text("KIND/NAME is expected", "应为 KIND/NAME")),
        reason=" ".join(_string(fields["reason"]).split())[:200],
        until=_date(fields["until"]),
        namespace=_given(fields, "namespace", _string),
        matches=_given(fields, "matches", _count) or 1,
    )


def _matching(node: yaml.Node, pattern: re.Pattern[str], said: Text) -> str:
    value = _string(node)
    if not pattern.fullmatch(value):
        raise SettingsError(said, _line(node))
    return value


def _date(node: yaml.Node) -> date:
    try:
        return date.fromisoformat(_string(node))
    except ValueError:
        raise SettingsError(Text("a day is expected, e.g. 2026-12-24", "应为日期，例如 2026-12-24"), _line(node)) from None


def _count(node: yaml.Node) -> int:
    return int(_matching(node, re.compile(r"[1-9]\d{0,5}"), Text("a number of objects is expected", "应为对象个数")))


def _seconds(node: yaml.Node) -> float:
    seconds = seconds_in(_string(node))
    if seconds is None:
        raise SettingsError(Text("a duration is expected: 90s, 5m or 1h30m", "应为时长：90s、5m 或 1h30m"), _line(node))
    return seconds


def _language(node: yaml.Node) -> Literal["en", "zh"]:
    value = _matching(node, re.compile("en|zh"), Text("the language is en or zh", "语言只能是 en 或 zh"))
    return "zh" if value == "zh" else "en"


def _does_not_hold(one: KnownTrouble, today: date) -> Text | None:
    if one.until < today:
        return Text(
            f"{one.cause} of {one.object} was known until {one.until} and is told again",
            f"{one.object} 的 {one.cause} 仅在 {one.until} 之前视为已知，现重新报告",
        )
    if one.until > today + FURTHEST:
        days = FURTHEST.days
        return Text(f"{one.until} is more than {days} days ahead: the entry does not hold", f"{one.until} 超过 {days} 天：该条目无效")
    return None


def _at(where: str, line: int | None) -> Text:
    at = f"{where}:{line}" if line else where
    return Text(f"{at}: ", f"{at}：")


def broken(where: str, error: SettingsError) -> Settings:
    """Return settings that hold nothing but what is wrong with the file."""
    rest = Text("; the answer comes without it", "；作答时未使用它")
    return Settings(where, said=(_at(where, error.line) + error.said + rest,))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
