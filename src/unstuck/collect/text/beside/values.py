"""Values in a text, against their use: a variable that is empty, a value with a line break."""

from __future__ import annotations

import re

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.page import FoundReason, ShownRow, ShownText, TextReport
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

_VARIABLE = regex(r"\$(?:\{(?P<braced>[A-Za-z_]\w{0,60})\}|(?P<bare>[A-Za-z_]\w{0,60}))")
# A word of a command that a shell expands.
_WORD = regex(r"(?<!\S)[\"']?(?P<word>[^\s\"']{0,200}\$[^\s\"']{1,200})[\"']?")
_LITERAL = 4
# Errors that a wrong value explains.
_OF_VALUES: tuple[ProgramError, ...] = (
    "credentials-refused",
    "name-unresolved",
    "object-invalid",
    "request-refused",
    "value-malformed",
    "value-refused",
)
# Every shell sets these.
_ALWAYS_SET = frozenset({"PWD", "HOME", "USER", "PATH", "SHELL", "HOSTNAME"})
_EXPANDED = r"[\w.@:/+%=~-]"
_UNSET = regex(r"^\s*(?:export |ENV |declare -x )?(?P<name>[A-Z][A-Z0-9_]{2,60})=(?:\"\"|'')?\s*$")
_EMPTY_ENTRY = regex(r"^\s*(?P<name>[A-Z][A-Z0-9_]{2,60}):\s*(?:\"\"|'')?\s*$")
# Images of Bitnami; docker-library's postgres and mysql.
_KEPT = regex(
    r"(?P<said>[Uu]sing persisted data|Deploying \w{2,30} with persisted data|Skipping initialization)\b"
)
_OPEN = regex(r"(?<![\w\\])(?P<quote>[\"'])(?P<value>[^\"'\s][^\"']{0,200})$")
_CLOSED_BELOW = regex(r"^\s*(?P<quote>[\"'])")
_ESCAPED = regex(r"[\"'/@](?P<value>[\w.:@/-]{1,200}?)(?:\\[nr]|%0[AaDd])+(?=[\"'/:\\%])")


def find_line_break(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find a value of the report that ends with a line break: its quote closes below, or an escape shows
    it.
    """
    at = page.place(report.at)
    if at is None:
        return None
    row = page.rows[at]
    for found in _ESCAPED.finditer(row.text):
        # A program's output ends with one as well.
        if report.name and found["value"] in report.name:
            return FoundReason("line-break", row, mask(found["value"]))
    if report.error not in _OF_VALUES:
        return None
    below = page.rows[at + 1] if at + 1 < len(page.rows) else None
    value = find_open_value(row.text, below.text if below else "")
    return FoundReason("line-break", below, mask(value)) if value and below else None


def find_open_value(line: str, below: str) -> str:
    """Return the value whose quote opens at the end of a line and closes at the start of the next one."""
    found, closed = _OPEN.search(line.rstrip()), _CLOSED_BELOW.match(below)
    if found is None or closed is None or closed["quote"] != found["quote"]:
        return ""
    even = line[: found.start()].count(found["quote"]) % 2 == 0
    return found["value"] if even else ""


def find_kept_data(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the line of a server that starts with the data of an earlier installation, beside a refused
    login.
    """
    if report.error != "credentials-refused":
        return None
    rows = ((row, m["said"]) for row in page.rows if (m := _KEPT.search(row.text)))
    found = next(rows, None)
    return FoundReason("data-kept", found[0], found[1]) if found else None


def find_empty_variable(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find a variable that was empty where a shell expanded it: the report has the word of a command above
    without its value.
    """
    at = page.place(report.at)
    line = page.rows[at].text if at is not None else report.line
    # All rows of one output have the same command.
    first = dict[str, ShownRow]()
    for row in page.rows:
        first.setdefault(row.typed or row.text, row)
    for text, row in first.items():
        for word in _WORD.finditer(text) if "$" in text else ():
            if name := _find_empty(word["word"], line):
                return FoundReason("variable-empty", row, name, mask(word["word"]))
    for row in page.rows:
        found = _UNSET.match(row.text) or (
            _EMPTY_ENTRY.match(row.text) if "describe" in row.typed or "env" in row.typed else None
        )
        if found and _uses(found["name"], report, page, row):
            return FoundReason("variable-empty", row, found["name"])
    return None


def _uses(name: str, report: TextReport, page: ShownText, own: ShownRow) -> bool:
    """Tell whether the report or a command of the text names the variable."""
    named = re.compile(rf"(?<![\w]){re.escape(name)}(?!\w)")
    used = re.compile(rf"\$[({{]?{re.escape(name)}\b")
    return bool(named.search(report.line)) or any(
        used.search(row.typed) or used.search(row.text) for row in page.rows if row is not own
    )


def _find_empty(word: str, line: str) -> str:
    """Return the variable of a word that was empty when the word was expanded to a part of the line."""
    names = [m["braced"] or m["bare"] for m in _VARIABLE.finditer(word)]
    literals = _VARIABLE.split(word)[:: _VARIABLE.groups + 1]
    if not 1 <= len(names) <= 6 or sum(len(text.strip("/:=@.")) for text in literals) < _LITERAL:
        return ""
    if word in line:
        return ""
    pattern = re.escape(literals[0].partition("=")[2] if literals[0].startswith("--") else literals[0])
    # Of variables side by side, nobody can tell which one was empty, unless all were.
    parts = [*zip(names[:-1], literals[1:-1], strict=True)]
    parts = [part for part in parts if part[1]]
    # Without a way back, as each part would multiply the time of the others.
    for _, literal in parts:
        pattern += f"(?>({_EXPANDED}{{0,200}}?){re.escape(literal)})"
    pattern += f"({_EXPANDED}{{0,200}}?){re.escape(literals[-1])}"
    found = re.search(rf"(?<![\w.@:/+=~-]){pattern}(?![\w.@/+=~-])", line)
    if found is None:
        return ""
    pairs = zip((*(name for name, _ in parts), names[-1]), found.groups(), strict=True)
    empty = [name for name, value in pairs if not value and name not in _ALWAYS_SET]
    return empty[0] if empty else ""
