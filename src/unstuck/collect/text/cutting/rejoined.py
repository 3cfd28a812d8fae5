"""Lines of a paste that a terminal, a mailer or a chat broke, whole again where only the whole is understood.

Where a text was broken shows in its lines: all of one length, or each so long that the next one's first word had no room. Lines are joined
only where this says more than they say one by one; all else stays as it was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.text.cutting.message import VAGUE, known_failures
from unstuck.collect.text.cutting.piece import Origin
from unstuck.collect.text.cutting.split import command_of
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

# A program's output below its error, as mount and a runtime's hooks have it. Source: k8s.io/mount-utils mount_linux.go.
CONTINUES = ("Unmounting arguments:", "Output:", "Mounting command:", "Mounting arguments:", "(exit")
_BEGINS = regex(
    r"^\s*(?:\S{1,60}\s+){0,2}(?:Warning|Normal)\s{2,}|^\s*(?:Name|Namespace|Reason|Type|Status|Events?|Message):\s{2,}|^\s*```|^\s*[-*] |"
    r"^\s*\"[\w./-]{1,80}\": ?|^\s*_{0,2}[A-Z][A-Z_]{2,40}=|^[┌└├╭╰]"
)
# An object as YAML says itself where its lines are folded.
_OBJECT = regex(r"^\s*(?:- )?(?:apiVersion|kind|metadata):(?:\s|$)")
_WORD = re.compile(r"\S+")
_DIGIT = re.compile(r"\d")
_LEAD = regex(r"(?:.*[\s>│|\]]|[\w./-]{1,200}:\d{1,7}:)")
_OF_A_LEAD = re.compile(r"[\d>│|\]]|^\s+$")
_NARROWEST, _WIDEST_BY_WORDS, _MOST = 30, 140, 24
_Told = frozenset[tuple[object, ...]]


def rejoined(lines: Sequence[str], origin: Origin) -> tuple[list[str], Origin]:
    """Return the lines of a short text with broken ones whole again, and where each began; a text that holds an object as it is."""
    if any(_OBJECT.match(line) for line in lines):
        return list(lines), origin
    out, numbers, ends = list[str](), list[int](), dict[int, int]()
    i = 0
    while i < len(lines):
        end, line = _whole(lines, i)
        out.append(line)
        numbers.append(origin.numbers[i] if i < len(origin.numbers) else i + 1)
        if end > i + 1:
            ends[len(out)] = origin.numbers[end - 1] if end <= len(origin.numbers) else end
        i = end
    return (out, replace(origin, numbers=tuple(numbers), ends=ends)) if ends else (list(lines), origin)


def _whole(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Return where what begins at a line ends, and all of it in one line."""
    if len(lines[i].strip()) < 12 or lines[i].lstrip().startswith("```") or command_of(lines[i]):
        return i + 1, lines[i]
    found: tuple[int, str] | None = None
    for end, joined in (join(lines, i) for join in (_full, _by_words, _continued)):
        if end > i + 1 and _says_more(joined, lines[i:end]):
            found = found or (end, joined)
            if _sure(_told(joined)):
                # Joined in another way its words were no known ones: a blank was lost, or one too many.
                found = end, joined
                break
    if found is None:
        return i + 1, lines[i]
    # What was broken may go on with a program's output, each of its lines broken as well.
    end, joined = found
    more, longer = _continued([joined, *lines[end:]], 0)
    return (end + more - 1, longer) if more > 1 and _says_more(longer, [joined, *lines[end : end + more - 1]]) else found


def _full(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join lines that are all as long as the first, and the one behind them."""
    width, end = len(lines[i]), i + 1
    joined = lines[i]
    while end < min(len(lines), i + _MOST) and width >= _NARROWEST and 0 < len(lines[end]) <= width and not _begins(lines[end]):
        # A blank in the last column is lost where the text is copied.
        joined += (" " if len(lines[end - 1]) == width - 1 else "") + lines[end][len(_lead(lines[i], lines[end])) :]
        end += 1
        if len(lines[end - 1]) < width - 1:
            break
    return end, joined


def _by_words(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join lines as long as the room for the next word was wanting."""
    width, end = len(lines[i].rstrip()), i + 1
    joined = lines[i].rstrip()
    while end < min(len(lines), i + _MOST) and width <= _WIDEST_BY_WORDS and lines[end].strip() and not _begins(lines[end]):
        lead = _lead(lines[i], lines[end])
        rest = lines[end][len(lead) :].strip()
        word = _WORD.match(rest)
        width = max(width, len(lines[end].rstrip()))
        if word is None or any(len(lines[k].rstrip()) + 1 + _first(lines, i, k + 1) <= width for k in range(i, end)):
            break
        joined += f" {rest}"
        end += 1
    if end == i + 2 and not _open(joined := lines[i].rstrip()) and _told(lines[i]) and _told(lines[i + 1]):
        return i + 1, joined
    return end, joined if end != i + 2 else f"{lines[i].rstrip()} {lines[i + 1][len(_lead(lines[i], lines[i + 1])) :].strip()}"


def _first(lines: Sequence[str], i: int, k: int) -> int:
    word = _WORD.match(lines[k][len(_lead(lines[i], lines[k])) :].strip())
    return len(word[0]) if word else 0


def _continued(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join a message with the output below it, or with what closes its quotes and brackets."""
    end, joined = i + 1, lines[i]
    while end < min(len(lines), i + _MOST) and lines[end].strip() and not _begins(lines[end]):
        rest = lines[end][len(_lead(lines[i], lines[end])) :].strip()
        if not (_open(joined) or rest.startswith(CONTINUES) or lines[end].startswith("       ")):
            break
        joined += f" {rest}"
        end += 1
    return end, joined


def _begins(line: str) -> bool:
    return bool(_BEGINS.match(line)) or is_header(line) or command_of(line) is not None


def _open(line: str) -> bool:
    """Tell whether a line ends within something: a quote, a bracket, behind a colon."""
    bare = line.rstrip()
    return (
        bare.endswith((":", ",", "=")) or bare.count('"') % 2 == 1 or bare.count("(") > bare.count(")") or bare.count("[") > bare.count("]")
    )


def _lead(first: str, line: str) -> str:
    """Return what stands before the text of a line as before that of the first: a quote's sign, a bar, a Pod's name, a number."""
    n = 0
    for a, b in zip(_DIGIT.sub("0", first), _DIGIT.sub("0", line), strict=False):
        if a != b:
            break
        n += 1
    found = _LEAD.match(line[:n])
    return found[0] if found and _OF_A_LEAD.search(found[0]) else ""


def _says_more(joined: str, lines: Sequence[str]) -> bool:
    """Tell whether a whole says what its lines do not, or what they say is not so in the whole."""
    whole = _told(joined)
    parts: _Told = frozenset().union(*map(_told, lines))
    sure = _sure(whole)
    if not parts:
        return bool(whole)
    return bool(sure - parts) or bool(whole and parts - whole and (sure or not _sure(parts)))


def _sure(told: _Told) -> _Told:
    """Return those failures of which it is known how they failed."""
    return frozenset(one for one in told if one[1] not in VAGUE)


def _told(line: str) -> _Told:
    found = known_failures(line)
    return frozenset((f.operation, f.error, f.path, f.object, f.key, f.container, f.host, f.volume) for f in found)
