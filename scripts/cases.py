"""`<cause>.cases.md`: the required answers of a cause, with evidence in its usual form.

```
# config.configmap-missing: cases

## match: a volume names a ConfigMap that is not there
subject: Pod f/no-configmap
expect: proven
says: app-conf

```yaml pod.yaml
…
```
```

A heading is `KIND: title`, below it lines `word: value`, then fenced blocks; the info string after the fence
is the language and, after a space, the text's name. `facts` blocks hold a JSON list as `facts.codec` reads
it, for evidence without a text form. Text between these is for readers and ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from unstuck.errors import InputError
from unstuck.facts.codec import parse_time
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.facts.text import Text

EXPECT = ("proven", "likely", "possible", "undecided", "ruled-out")
_HEADING = regex(r"## (?P<kind>[^:]+): (?P<title>.+)")
_FIELD = regex(r"(?P<word>subject|expect|says|does|does-not|now|whole): *(?P<value>.*)")
_FENCE = regex(r"(?P<ticks>`{3,})(?P<info>.*)")


@dataclass(frozen=True, slots=True)
class Case:
    """One case. kind: `match`, `near miss`, `undecided`, `likely` … from its heading. expect: one of EXPECT.

    says: words that the main sentence must contain. does, does_not: words that a step of its help must
    contain, and words forbidden in all steps. now: the Snapshot's time, None if it does not matter. texts:
    (info string, text) of each fenced block, in order. whole: whether the case declares its evidence as
    complete. line: of its heading, 1-based.
    """

    title: str
    kind: str
    subject: Ref
    expect: str
    says: str | None
    now: datetime | None
    texts: tuple[tuple[str, str], ...]
    whole: bool = False
    line: int = 0
    does: str | None = None
    does_not: str | None = None


def load_cases(path: Path | str) -> tuple[Case, ...]:
    """Return the cases of a file, in order. Errors: InputError with file and line for a deviation from the
    form above; OSError.
    """
    path = Path(path)
    return tuple(parse_cases(path.read_text("utf-8"), path.name))


def parse_cases(text: str, name: str) -> Iterator[Case]:
    """Yield cases as `load_cases` does, from a text. name: used in errors."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    line = 1
    for part in _rejoin(parts):
        if part.startswith("## "):
            yield _parse_case(part, name, line)
        line += part.count("\n")


def _rejoin(parts: list[str]) -> Iterator[str]:
    """Yield the sections, rejoined if a `## ` inside a fence split them: it is evidence, not a heading."""
    held = ""
    for part in parts:
        held += part
        if _find_open_fence(held) is None:
            yield held
            held = ""
    if held:
        yield held


def _find_open_fence(text: str) -> str | None:
    fence: str | None = None
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found and fence is None:
            fence = found["ticks"]
        elif fence is not None and line.strip() == fence:
            fence = None
    return fence


def _parse_case(part: str, name: str, at: int) -> Case:
    lines = part.splitlines()
    head = _HEADING.fullmatch(lines[0].rstrip())
    if head is None:
        raise InputError(
            Text(
                f"{name}:{at}: a case's heading reads `## KIND: title`, not {lines[0]!r}",
                f"{name}:{at}：用例的标题应写作 `## KIND: title`，而不是 {lines[0]!r}",
            )
        )
    fields = {
        m["word"]: m["value"].strip()
        for line in _take_before_fence(lines[1:])
        if (m := _FIELD.fullmatch(line.rstrip()))
    }
    expect = fields.get("expect", "")
    if expect not in EXPECT:
        raise InputError(
            Text(
                f"{name}:{at}: expect is one of {', '.join(EXPECT)}, not {expect!r}",
                f"{name}:{at}：expect 只能是 {', '.join(EXPECT)} 之一，而不是 {expect!r}",
            )
        )
    texts = tuple(_list_fenced(lines[1:], name, at))
    if not texts:
        raise InputError(
            Text(
                f"{name}:{at}: a case without a fenced block has no evidence",
                f"{name}:{at}：没有围栏代码块的用例没有任何证据",
            )
        )
    now = parse_time(fields.get("now"))
    if now is None and fields.get("now"):
        raise InputError(
            Text(
                f"{name}:{at}: now is an RFC 3339 time, not {fields['now']!r}",
                f"{name}:{at}：now 应为 RFC 3339 时间，而不是 {fields['now']!r}",
            )
        )
    return Case(
        title=head["title"].strip(),
        kind=head["kind"].strip(),
        subject=_parse_subject(fields.get("subject", ""), name, at),
        expect=expect,
        says=fields.get("says") or None,
        now=now,
        texts=texts,
        whole=fields.get("whole", "").lower() == "true",
        line=at,
        does=fields.get("does") or None,
        does_not=fields.get("does-not") or None,
    )


def _take_before_fence(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if _FENCE.match(line):
            return
        yield line


def _parse_subject(text: str, name: str, at: int) -> Ref:
    """Return the Ref of `Pod f/no-configmap`, `Node n-1`, `Pod no-configmap` without a known Namespace, or
    `Pod UID` with the uid alone.
    """
    kind, _, rest = text.partition(" ")
    within, slash, thing = rest.strip().rpartition("/")
    if not kind or not thing:
        raise InputError(
            Text(
                f"{name}:{at}: subject reads `KIND NAMESPACE/NAME` or `KIND NAME`, not {text!r}",
                f"{name}:{at}：subject 应写作 `KIND NAMESPACE/NAME` 或 `KIND NAME`，而不是 {text!r}",
            )
        )
    if not slash and re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", thing):
        return Ref(kind, uid=thing)
    return Ref(kind, within if slash else None, thing)


def _list_fenced(lines: list[str], name: str, at: int) -> Iterator[tuple[str, str]]:
    fence: str | None = None
    info, held = "", list[str]()
    for line in lines:
        found = _FENCE.match(line)
        if fence is None:
            if found:
                fence, info, held = found["ticks"], found["info"].strip(), []
        elif line.strip() == fence:
            yield info, "\n".join(held) + "\n"
            fence = None
        else:
            held.append(line)
    if fence is not None:
        raise InputError(
            Text(
                f"{name}:{at}: a fenced block of this case is not closed",
                f"{name}:{at}：该用例的围栏代码块没有结束",
            )
        )
