"""The page about the known bugs, from `knowledge/bugs`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from unstuck.knowledge.bugs import BUGS, KnownBug
from unstuck.knowledge.bugs.record import spell
from unstuck.knowledge.versions import VersionRange

_HEAD = {
    "en": (
        "# Known bugs, by version",
        "Bugs of components that make something stick, as [version.known-bug](causes/version.known-bug.md) "
        "knows them. *likely*: only\n"
        "this bug looks so; *possible*: other causes do as well. The version at the end of a range has the "
        "fix, a vendor's maybe earlier.",
        "| bug | affected | what goes wrong | until the upgrade | told as | sources |",
        ("likely", "possible"),
        ("before {ended}", "{first} up to before {ended}"),
    ),
    "zh": (
        "# 已知缺陷（按版本）",
        "会使对象卡住的组件缺陷，供 "
        "[version.known-bug](causes/version.known-bug.md) "
        "使用。*很可能*：只有该缺陷有此表现；*可能*：\n"
        "其他原因也会如此。区间末端的版本已包含修复，厂商可能更早修复。",
        "| 缺陷 | 受影响版本 | 表现 | 升级前 | 判定 | 来源 |",
        ("很可能", "可能"),
        ("{ended} 之前", "{first} 至 {ended} 之前"),
    ),
}


def make_page(lang: str, note: str) -> str:
    """Return the whole page, in Markdown."""
    title, intro, head, _, _ = _HEAD[lang]
    lines = [note, title, "", intro, ""]
    for component, bugs in groupby(sorted(BUGS, key=lambda b: b.component), key=lambda b: b.component):
        lines += [f"## {component}", "", head, "|---|---|---|---|---|---|", *_list_rows(bugs, lang), ""]
    return "\n".join(lines)


def _list_rows(bugs: Iterator[KnownBug], lang: str) -> Iterator[str]:
    at = 0 if lang == "en" else 1
    _, _, _, told, spans = _HEAD[lang]
    for bug in bugs:
        affected = "<br>".join(_format_span(s, spans) for s in bug.affected)
        sources = " ".join(f"[{n}]({url})" for n, url in enumerate(bug.sources, 1))
        meanwhile = bug.workaround[at] if bug.workaround else ""
        yield (
            f"| {bug.id} | {affected} | {bug.says[at]} | {meanwhile} | {told[0 if bug.specific else 1]} | "
            f"{sources} |"
        )


def _format_span(span: VersionRange, words: tuple[str, str]) -> str:
    ended = spell(span.ended) if span.ended else ""
    return (
        words[0].format(ended=ended)
        if span.first is None
        else words[1].format(first=spell(span.first), ended=ended)
    )
