"""A paste cut into blocks: one for each command that its shell prompts show.

Prompts are as many as shells. A line is one when it is `…$ command` or `…# command` with a host-like word,
brackets or nothing before the sign; after a bare `#` (a comment in YAML and in shells) only a known program
counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.collect.text.cutting.piece import KUBECTL, TextBlock, TypedCommand
from unstuck.facts.regex import regex

LONGEST_TEXT = 64 * 1024 * 1024
LONGEST_LINE = 64 * 1024

_ANSI = regex(r"\x1b(?:\[[0-9;?]{0,16}[ -/]?[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78])")
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_UNCLEAN = regex(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff“”„‟″‘’‚‛\u00a0\u2007\u202f\u3000]"
)
_PLAIN_ASCII = bytes((10, *range(32, 127)))
_KUBECTL = "|".join(re.escape(name) for name in KUBECTL)
_PROGRAMS = (
    f"{_KUBECTL}|crictl|ctr|nerdctl|docker|docker-runc|docker-container-ctr|runc|lsattr|chattr|grep|egrep|zgrep|journalctl|systemctl|"
    "cat|tail|head|less|ps|ls|df|mount|umount|findmnt|lsblk|lsof|fuser|dmesg|ip|stat|find|uname|sysctl|helm|etcdctl|awk|sed|echo|sudo|ssh|curl|unstuck|free|top|rm|kill|"
    "k3s|rke2|k0s|microk8s|minikube|podman|kubeadm|nsenter|hostnamectl|zcat|pgrep|iptables|date|hostname"
)
_HOST = r"(?:[\w.-]{1,64}@)?(?P<host>(?:(?<=@)\d|[A-Za-z])[\w.-]{0,252})"
_PROMPT = regex(
    # Before it the prefix of conda or venv, or the time.
    r"^\s{0,8}(?:\([\w.+-]{1,40}\) ?|\[\d\d?:\d\d(?::\d\d)?(?: [AP]M)?\] ?)?"
    rf"(?:\[{_HOST.replace('host', 'host1')}"
    r"(?:[ :][^\]\n]{0,200})?\]\s?|"
    rf"{_HOST.replace('host', 'host2')}(?::[^\s#$]{{0,200}})?(?:\s[~/][^\s#$]{{0,200}})?\s?|"
    # A directory alone.
    r"(?P<directory>(?:~|\.{1,3}/|/)[^\s#$]{0,200})\s?)?"
    rf"(?P<sign>[$#❯➜%]|(?<=[~/\w])>(?=\s))\s{{1,3}}(?P<command>\S.{{0,2000}})$"
)
# Where zsh with its commonest theme stands, between its arrow and the command: `➜  app git:(main) ✗ kubectl
# get pods`.
_PLACE = regex(r"^(?:~|[\w.~-][\w./~-]{0,200})\s{1,3}(?:git:\([^)\n]{1,120}\)\s{1,3}(?:✗\s{1,3})?)?(?=\S)")
# cmd.exe and PowerShell.
_WINDOWS = regex(r"^\s{0,8}(?:PS )?[A-Za-z]:\\[^>\n]{0,200}>\s{0,3}(?P<command>\S.{0,2000})$")
_QUOTES = str.maketrans("“”„‟″", '"' * 5)
_APOSTROPHES = str.maketrans("‘’‚‛", "'" * 4)
_BLANKS = str.maketrans("\u00a0\u2007\u202f\u3000", " " * 4)
_DASHES = str.maketrans({"—": "--", "–": "-", "−": "-"})
_KNOWN = regex(rf"^(?:sudo\s+)?(?:{_PROGRAMS})(?:\s|$)")
_BARE = regex(
    rf"^\s{{0,8}}[+$]?\s?(?:(?:sudo )?(?:microk8s|k3s|rke2|k0s) kubectl|{_KUBECTL})\s+(?:-\S+\s+)*"
    r"(?:get|describe|logs|delete|top|apply|edit|patch|exec|explain|version|api-resources)\b|"
    # A command that shows a file, a unit or a container, alone on its line: no sentence has this form.
    r"^(?:sudo )?(?:(?:cat|ls(?: -\w+)?|lsattr(?: -\w+)?|stat|df(?: -\w+)?) /[\w./-]{1,200}|systemctl "
    r"(?:status|cat) [\w@.-]{1,80}"
    r"|(?:docker|crictl|podman) (?:ps|info|pods|images|inspect|logs)(?: [\w/.-]{1,80}){0,4})\s*$"
)
# A prompt of any other shell, where kubectl reads something behind it.
_ANY_PROMPT = regex(
    r"^\s{0,8}(?:PS )?(?:\([^)\n]{1,80}\) ?|\[[^\]\n]{1,80}\] ?)?[^\s|:`'\"]{0,80}?"
    r"(?:\s[~/]\S{0,120})?\s?[$>#%»λ❯➜▶✗⚡][>]?\s{0,3}(?=kubectl )(?P<command>\S.{0,2000})$"
)
# go-task, which names its task first.
_TASK = regex(r"^task: \[[^\]\n]{1,80}\] (?P<command>\S.{0,2000})$")
# A shell without a prompt of its own shows its name and version (bash(1), PROMPTING: `\s-\v\$`).
_SHELL = regex(r"(?:ba|da|z|k)?sh-\d[\d.]*")
# The header of watch(1): its command, then the host and the time.
_WATCHED = regex(r"^Every \d{1,4}(?:[.,]\d)?s: (?P<command>\S.{0,400}?)(?:\s{2,}\S.{0,200})?$")


# Every prompt or fence line contains one of these.
_OF_A_PROMPT = (
    *("$ ", "# ", "% ", "> ", "➜ ", "kubectl", "oc ", "k get ", "k describe ", "k logs ", ":\\", "```"),
    *("cat /", "ls ", "lsattr ", "stat /", "df ", "systemctl ", "docker ", "crictl ", "podman "),
)


def decode_text(data: bytes) -> str:
    """Return text as it was written: UTF-8, or the UTF-16 of PowerShell's `>`, which says so by its first
    bytes; anything else is replaced.
    """
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text, cleaned: bounded, without ANSI sequences and other control characters,
    CRLF as LF.

    Only `\\n` separates lines (U+2028 and friends occur inside Go's JSON). Each line keeps its number in the
    text.
    """
    text = text[:LONGEST_TEXT]
    return [_clean_line(line) for line in text.split("\n")]


def needs_cleaning(text: str) -> bool:
    """Tell whether `split_lines` would change a character of this text."""
    return not is_plain_ascii(text) and bool(_UNCLEAN.search(text))


def is_plain_ascii(text: str) -> bool:
    """Tell whether a text consists of printable ASCII and new lines alone."""
    return text.isascii() and not text.encode("ascii").translate(None, _PLAIN_ASCII)


def _clean_line(line: str) -> str:
    line = line[:LONGEST_LINE].rstrip("\r")
    if not line.isprintable():
        line = _CONTROL.sub("", _ANSI.sub("", line).replace("\r", "").translate(_BLANKS))
    return line if line.isascii() else _straighten_quotes(line)


def _straighten_quotes(line: str) -> str:
    """Straighten the quotes that a word processor bent; beside straight ones, bent ones are a message's
    own.
    """
    line = line.translate(_BLANKS)
    line = line if '"' in line else line.translate(_QUOTES)
    return line if "'" in line else line.translate(_APOSTROPHES)


def parse_command(line: str) -> TypedCommand | None:
    """Return the command that a prompt line shows; None for every other line."""
    found = _PROMPT.match(line) if len(line) < 2400 else None
    if found:
        host, sign = found["host1"] or found["host2"], found["sign"]
        if host and _SHELL.fullmatch(host):
            host = None
        shown = found["command"].strip().translate(_DASHES)
        if sign == "➜" and (place := _PLACE.match(shown)) and _KNOWN.match(shown[place.end() :]):
            shown = shown[place.end() :]
        before = line[: found.start("sign")]
        if sign == "#" and host is None and line[0] == " ":
            return None
        known = _KNOWN.match(shown) and (sign != ">" or ("@" in before and host))
        if (
            known
            or (sign in "$❯➜" and not found["directory"] and (host is None or "@" in line or "[" in line))
            or (sign == "#" and _is_root_prompt(before))
        ):
            return TypedCommand(shown, host)
    windows = _WINDOWS.match(line) if ":\\" in line[:16] and len(line) < 2400 else None
    if windows and _KNOWN.match(windows["command"]):
        return TypedCommand(windows["command"].strip().translate(_DASHES))
    if _BARE.match(line):
        return TypedCommand(line.strip().lstrip("+$ "))
    other = (
        _ANY_PROMPT.match(line) or _WATCHED.match(line) or _TASK.match(line)
        if len(line) < 2400 and "kubectl " in line
        else None
    )
    return (
        TypedCommand(other["command"].strip().translate(_DASHES))
        if other and _BARE.match(other["command"])
        else None
    )


def _is_root_prompt(before: str) -> bool:
    """Tell whether root's prompt precedes the `#` (`[root@x ~]`, `root@x:~`): then it opens no comment."""
    return "@" in before and (before.rstrip().endswith("]") or ":" in before)


def has_divider(text: str, lines: list[str]) -> bool:
    """Tell whether a prompt or a fence divides a text, as `blocks_of` would see it. lines: of the text,
    cleaned.
    """
    signs = [sign for sign in _OF_A_PROMPT if sign in text]
    return any(
        sign in line and (line.lstrip().startswith("```") or parse_command(line))
        for sign in signs
        for line in lines
    )


def blocks_of(lines: list[str]) -> Iterator[TextBlock]:
    """Yield the blocks in order. Markdown fences part blocks as prompts do, without a command."""
    start, command, held = 1, None, list[str]()
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith("```")
        shown = None if fence else parse_command(line)
        if fence or shown:
            if any(h.strip() for h in held):
                yield TextBlock(start, tuple(held), command)
            start, command, held = number + 1, shown, []
        else:
            held.append(line)
    if any(h.strip() for h in held):
        yield TextBlock(start, tuple(held), command)
