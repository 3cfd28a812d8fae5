"""A paste cut into blocks: one for each command that its shell prompts show.

Prompts are as many as shells. A line is one when it is `…$ command` or `…# command` with a host-like word, brackets or nothing before the
sign; after a bare `#` (a comment in YAML and in shells) only a known program counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.collect.text.piece import Block, Command

LONGEST_TEXT = 64 * 1024 * 1024
LONGEST_LINE = 64 * 1024

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,16}[ -/]?[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_PROGRAMS = (
    "kubectl|oc|k|microk8s.kubectl|crictl|ctr|nerdctl|docker|docker-runc|docker-container-ctr|runc|lsattr|chattr|grep|egrep|zgrep|journalctl|systemctl|"
    "cat|tail|head|less|ps|ls|df|mount|umount|findmnt|lsof|fuser|dmesg|ip|stat|find|uname|sysctl|helm|etcdctl|awk|sed|echo|sudo|ssh|curl|unstuck|free|top|rm|kill"
)
_HOST = r"(?:[\w.-]{1,64}@)?(?P<host>[A-Za-z][\w.-]{0,252})"
_PROMPT = re.compile(
    rf"^\s{{0,8}}(?:\[{_HOST.replace('host', 'host1')}(?:[ :][^\]\n]{{0,200}})?\]\s?|"
    rf"{_HOST.replace('host', 'host2')}(?::[^\s#$]{{0,200}})?(?:\s[~/][^\s#$]{{0,200}})?\s?)?"
    rf"(?P<sign>[$#❯➜%])\s{{1,3}}(?P<command>\S.{{0,2000}})$"
)
_KNOWN = re.compile(rf"^(?:sudo\s+)?(?:{_PROGRAMS})(?:\s|$)")
_BARE = re.compile(
    r"^\s{0,8}\+?\s?(?:kubectl|oc|microk8s\.kubectl)\s+(?:-\S+\s+)*(?:get|describe|logs|delete|top|apply|edit|patch|exec|explain|version|api-resources)\b"
)


def lines_of(text: str) -> list[str]:
    r"""The lines of a text made harmless: bounded, ANSI sequences and other control characters taken out, CRLF as LF.

    Only `\\n` parts lines (U+2028 and friends stand inside Go's JSON). The number of a line stays what it was in the text.
    """
    text = text[:LONGEST_TEXT]
    return [_plain(line) for line in text.split("\n")]


def _plain(line: str) -> str:
    line = line[:LONGEST_LINE].rstrip("\r")
    if line.isprintable():
        return line
    return _CONTROL.sub("", _ANSI.sub("", line).replace("\r", ""))


def command_of(line: str) -> Command | None:
    """The command that a prompt line shows; None for every other line."""
    found = _PROMPT.match(line) if len(line) < 2400 else None
    if found:
        host = found["host1"] or found["host2"]
        shown = found["command"].strip()
        if found["sign"] == "#" and host is None and line[0] == " ":
            return None
        if _KNOWN.match(shown) or (found["sign"] in "$❯➜" and (host is None or "@" in line or "[" in line)):
            return Command(shown, host)
    return Command(line.strip().lstrip("+ ")) if _BARE.match(line) else None


def blocks_of(lines: list[str]) -> Iterator[Block]:
    """The blocks in order. Markdown fences part blocks as prompts do, without a command."""
    start, command, held = 1, None, list[str]()
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith("```")
        shown = None if fence else command_of(line)
        if fence or shown:
            if any(h.strip() for h in held):
                yield Block(start, tuple(held), command)
            start, command, held = number + 1, shown, []
        else:
            held.append(line)
    if any(h.strip() for h in held):
        yield Block(start, tuple(held), command)
