"""A configuration in a text, against the error about it: the line that it names is opened and judged."""

from __future__ import annotations

from posixpath import basename

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.indentation import find_misplaced
from unstuck.collect.text.beside.page import FoundReason, ShownRow, ShownText, TextReport
from unstuck.facts.regex import regex

_PARSERS = ("config-unparsable", "value-malformed", "format-refused", "chart-refused", "object-invalid")
_OF_YAML = regex(r"yaml: |YAML|mapping values|did not find expected|could not find expected|cannot unmarshal")
_OF_SHAPE = regex(r"mapping values|did not find expected|could not find expected|bad indentation|found a tab")
# One key where its value should end, and another key behind it.
_TWO_KEYS = regex(r"^\s*(?:- )?(?P<key>[\w.-]{1,80}): (?P<second>[\w./-]{1,200}):(?:\s+\S.{0,200})?\s*$")
_TAB = regex(r"^ *\t+ *(?:- )?[\w.-]{1,80}:")
_STRING = regex(r"^\s*(?:- )?\"?(?P<key>[\w./-]{1,200})\"?:\s*[|>][+-]?\d?\s*$")
_INTO = regex(r"cannot unmarshal !!str\b|cannot unmarshal string into")
_BOOT = regex(r"\bcmdline\.txt\b")
_PARAMETER = regex(r"(?<!\S)(?:cgroup_enable=\S+|cgroup_memory=1|systemd\.\S+=\S+)")
_CGROUPS = regex(r"(?i)memory cgroup|cgroup.{0,40}(?:memory|missing|not (?:found|enabled))")
_WANTS_STRING = regex(r"cannot unmarshal (?:number|bool) .{0,240}of type string|ReadString: expects")
# An element of `env`, in the server's words and in a manifest.
_IN_JSON = regex(r"\{?\"name\":\"(?P<name>[^\"]{1,120})\",\"value\":(?P<value>-?[\d.]{1,40}|true|false)\b")
_NAME = regex(r"^\s*- *name: \"?(?P<name>[\w.-]{1,120})\"?\s*$")
_PLAIN = regex(r"^\s*value: (?P<value>-?\d[\d.]{0,39}|true|false|yes|no|on|off|\{\{[^|}]{1,200}\}\})\s*$")
_DIFFERS = regex(
    r"cgroup driver: \\?\"(?P<own>\w{3,20})\\?\" is different from "
    r"\w+ cgroup driver: \\?\"(?P<other>\w{3,20})"
)
_DRIVER = regex(r"^\s*cgroupDriver: \"?(?P<driver>\w{3,20})\"?\s*$")


def find_broken_line(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the line of the configuration that a YAML parser cannot have understood."""
    if not _is_of_parser(report):
        return None
    others = _list_others(report, page)
    for row in others:
        if found := _TWO_KEYS.match(row.text):
            return FoundReason("keys-on-one-line", row, found["key"], mask(row.text.strip()), found["second"])
        if _TAB.match(row.text):
            return FoundReason("tab", row, mask(row.text.strip()))
    return find_misplaced(others) if _OF_SHAPE.search(report.line) else None


def _is_of_parser(report: TextReport) -> bool:
    return report.error in _PARSERS and _OF_YAML.search(report.line) is not None


def _list_others(report: TextReport, page: ShownText) -> list[ShownRow]:
    """Return the rows of the text but the report's own."""
    at = page.place(report.at)
    return [row for i, row in enumerate(page.rows) if i != at]


def find_block_string(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find a key whose value is a block of text, where the parser wants a mapping."""
    if report.error not in _PARSERS or not _INTO.search(report.line):
        return None
    rows = [(row, m["key"]) for row in _list_others(report, page) if (m := _STRING.match(row.text))]
    file = basename(report.path)
    named = [one for one in rows if file and one[1] == file]
    chosen = named or (rows if len(rows) == 1 else [])
    return FoundReason("block-string", chosen[0][0], chosen[0][1]) if chosen else None


def find_second_line(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find kernel parameters that stand below the only line of cmdline.txt that the firmware reads."""
    if not _CGROUPS.search(report.line):
        return None
    shown = [row for row in page.rows if _BOOT.search(row.typed)]
    second = next((row for row in shown[1:] if _PARAMETER.search(row.text)), None)
    file = next((w for w in (second.typed.split() if second else ()) if _BOOT.search(w)), "cmdline.txt")
    return FoundReason("second-line", second, file, second.text.strip()[:200]) if second else None


def find_unread_setting(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the setting of the kubelet's configuration that says otherwise than the kubelet itself."""
    said = _DIFFERS.search(report.line)
    rows = [(row, m["driver"]) for row in page.rows if (m := _DRIVER.match(row.text))] if said else []
    told = next(((row, driver) for row, driver in rows if said and driver != said["own"]), None)
    return (
        FoundReason("setting-unread", told[0], "cgroupDriver", told[1], said["own"])
        if told and said
        else None
    )


def find_unquoted(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the variable whose value is a number or bool, where the server wants a string."""
    if not _WANTS_STRING.search(report.line):
        return None
    for i, row in enumerate(page.rows):
        if found := _IN_JSON.search(row.text):
            return FoundReason("unquoted", row, found["name"], _hide(found["name"], found["value"]))
        above = _NAME.match(page.rows[i - 1].text) if i else None
        if above and (plain := _PLAIN.match(row.text)):
            value = _hide(above["name"], plain["value"])
            # A row that holds a secret without its name is not quoted.
            shown = row if value == plain["value"] else page.rows[i - 1]
            return FoundReason("unquoted", shown, above["name"], value)
    return None


def _hide(name: str, value: str) -> str:
    """Return a variable's value, masked if its name suggests a secret."""
    return mask(f"{name}: {value}").removeprefix(f"{name}: ")
