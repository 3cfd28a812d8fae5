"""Joins lines of a paste that a terminal, a mailer or a chat broke, if only the whole line is understood.

The lines show the breaks: all have one length, or each has no room for the next line's first word. Lines are
joined only if the result means more than the single lines; everything else stays as it was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.text.cutting.message import VAGUE, find_known_failures
from unstuck.collect.text.cutting.piece import Origin
from unstuck.collect.text.cutting.records import join_record
from unstuck.collect.text.cutting.sentences import list_keys
from unstuck.collect.text.cutting.split import parse_command
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header
from unstuck.wording.program.read import SERVERS_OWN, read_complaint

# A program's output below its error, as mount and a runtime's hooks have it. Source: k8s.io/mount-utils
# mount_linux.go.
CONTINUES = ("Unmounting arguments:", "Output:", "Mounting command:", "Mounting arguments:", "(exit")
_BEGINS = regex(
    r"^\s*(?:\S{1,60}\s+){0,2}(?:Warning|Normal)\s{2,}|^\s*(?:Name|Namespace|Reason|Type|Status|Events?"
    r"|Message):\s{2,}|^\s*```|^\s*[-*] |"
    r"^\s*\"[\w./-]{1,80}\": ?(?:[\"{\[\d-]|true|false|null|$)|^\s*_{0,2}[A-Z][A-Z_]{2,40}=|^[┌└├╭╰]|"
    r"^(?:panic|fatal error): \S|^goroutine \d{1,9} \["
    # A list of checks; the second line of an error of AWS' SDK (awserr/types.go), which ends what it says.
    r"|^\s*\[[A-Z]{3,10} [\w./-]{1,120}\]: |^\s*status code: \d{3}, request id: "
)
# An object as YAML marks its folded lines itself.
_OBJECT = regex(r"^\s*(?:- )?(?:apiVersion|kind|metadata):(?:\s|$)")
_WORD = re.compile(r"\S+")
_DIGIT = re.compile(r"\d")
_LEAD = regex(r"(?:.*[\s>│|\]]|[\w./-]{1,200}:\d{1,7}:)")
_OF_A_LEAD = re.compile(r"[\d>│|\]]|^\s+$")
_SHORTEST, _NARROWEST, _WIDEST_BY_WORDS, _MOST = 12, 30, 140, 24
_COLUMNS = regex(r"\S(?: {2,}|\t)\S")
# The most lines into which a message is broken by hand.
_MOST_BY_HAND = 8
# A webhook's own message follows, in as many lines as its server wrote, with blank ones between its parts.
# Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
_DENIED = regex(r"\bdenied the request:\s*$")
_MOST_OF_A_DENIAL = 16
# Who has the volume. Source: pkg/controller/volume/attachdetach/reconciler/reconciler.go
# (reportMultiAttachError).
_ATTACHED = regex(r"\bMulti-Attach error for volume \"[^\"]{1,253}\"\s*$")
_HOLDER = "Volume is already "
_Meaning = frozenset[tuple[object, ...]]


def rejoin(lines: Sequence[str], origin: Origin) -> tuple[list[str], Origin]:
    """Return the lines of a short text with broken ones joined, and where each began; a text that holds an
    object unchanged.
    """
    if any(_OBJECT.match(line) for line in lines):
        return list(lines), origin
    out, numbers, ends = list[str](), list[int](), dict[int, int]()
    i = 0
    while i < len(lines):
        end, line = _join_at(lines, i)
        out.append(line)
        numbers.append(origin.numbers[i] if i < len(origin.numbers) else i + 1)
        if end > i + 1:
            ends[len(out)] = origin.numbers[end - 1] if end <= len(origin.numbers) else end
        i = end
    return (out, replace(origin, numbers=tuple(numbers), ends=ends)) if ends else (list(lines), origin)


def _join_at(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join the message that begins at a line; return its end and the joined line."""
    end, record = join_record(lines, i)
    if end > i + 1:
        return end, record
    if _DENIED.search(lines[i]):
        return _join_denial(lines, i)
    if _ATTACHED.search(lines[i]) and "".join(lines[i + 1 : i + 2]).lstrip().startswith(_HOLDER):
        return i + 2, f"{lines[i].rstrip()} {lines[i + 1].strip()}"
    # A program's name before its message is alone on its line if the path after it had no room.
    short = len(lines[i].strip()) < _SHORTEST and not lines[i].rstrip().endswith(":")
    if short or lines[i].lstrip().startswith("```") or parse_command(lines[i]):
        return i + 1, lines[i]
    found: tuple[int, str] | None = None
    for join in (_join_full_lines, _join_by_words, _join_continued, _join_by_hand):
        end, joined = join(lines, i)
        cut = join is _join_by_hand and _is_cut(joined, lines[i:end])
        if end > i + 1 and (cut or _says_more(joined, lines[i:end])):
            found = found or (end, joined)
            if _without_vague(_meaning_of(joined)):
                # Joined in another way its words were no known ones: a blank was lost, or one too many.
                found = end, joined
                break
    if found is None:
        return i + 1, lines[i]
    # A program's output may follow a broken line, with each of its lines broken as well.
    end, joined = found
    more, longer = _join_continued([joined, *lines[end:]], 0)
    return (
        (end + more - 1, longer)
        if more > 1 and _says_more(longer, [joined, *lines[end : end + more - 1]])
        else found
    )


def _join_denial(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join the server's sentence that a webhook denied a write with the webhook's reason below it."""
    end = i + 1
    while end < min(len(lines), i + _MOST_OF_A_DENIAL) and not _is_beginning(lines[end]):
        end += 1
    parts = [line.strip() for line in lines[i:end] if line.strip()]
    return (end, " ".join(parts)) if len(parts) > 1 else (i + 1, lines[i])


def _join_full_lines(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join lines that are all as long as the first, and the one behind them."""
    width, end = len(lines[i]), i + 1
    joined = lines[i]
    while (
        end < min(len(lines), i + _MOST)
        and width >= _NARROWEST
        and 0 < len(lines[end]) <= width
        and not _is_beginning(lines[end])
    ):
        # A blank in the last column is lost when the text is copied.
        joined += (" " if len(lines[end - 1]) == width - 1 else "") + lines[end][
            len(_find_lead(lines[i], lines[end])) :
        ]
        end += 1
        if len(lines[end - 1]) < width - 1:
            break
    return end, joined


def _join_by_words(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join lines that were broken because the next word had no room."""
    width, end = len(lines[i].rstrip()), i + 1
    joined = lines[i].rstrip()
    while (
        end < min(len(lines), i + _MOST)
        and width <= _WIDEST_BY_WORDS
        and lines[end].strip()
        and not _is_beginning(lines[end])
    ):
        lead = _find_lead(lines[i], lines[end])
        rest = lines[end][len(lead) :].strip()
        word = _WORD.match(rest)
        width = max(width, len(lines[end].rstrip()))
        if word is None or any(
            len(lines[k].rstrip()) + 1 + _measure_first_word(lines, i, k + 1) <= width for k in range(i, end)
        ):
            break
        joined += f" {rest}"
        end += 1
    if (
        end == i + 2
        and not _is_open(joined := lines[i].rstrip())
        and _meaning_of(lines[i])
        and _meaning_of(lines[i + 1])
    ):
        return i + 1, joined
    return (
        end,
        joined
        if end != i + 2
        else f"{lines[i].rstrip()} {lines[i + 1][len(_find_lead(lines[i], lines[i + 1])) :].strip()}",
    )


def _measure_first_word(lines: Sequence[str], i: int, k: int) -> int:
    word = _WORD.match(lines[k][len(_find_lead(lines[i], lines[k])) :].strip())
    return len(word[0]) if word else 0


def _join_continued(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join a message with the output below it, or with the line that closes its quotes and brackets."""
    end, joined = i + 1, lines[i]
    while end < min(len(lines), i + _MOST) and lines[end].strip() and not _is_beginning(lines[end]):
        rest = lines[end][len(_find_lead(lines[i], lines[end])) :].strip()
        if not (_is_open(joined) or rest.startswith(CONTINUES) or lines[end].startswith("       ")):
            break
        joined += f" {rest}"
        end += 1
    return end, joined


def _join_by_hand(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join a paragraph that was broken by hand after its colons and commas, as far as its lines continue."""
    last = min(len(lines), i + _MOST_BY_HAND)
    end = next((n for n in range(i + 1, last) if not lines[n].strip() or _is_beginning(lines[n])), last)
    # A table below its title is no paragraph.
    if is_header(lines[i]) or any(_COLUMNS.search(line.strip()) for line in lines[i:end]):
        return i + 1, lines[i]
    if not any(line.rstrip().endswith((":", ",")) for line in lines[i : end - 1]):
        return i + 1, lines[i]
    # A line with a meaning of its own, and without a colon at its end, is a separate message.
    known = [bool(find_known_failures(line) or read_complaint(line)) for line in lines[i:end]]
    if any(known[1:]) or (known[0] and not lines[i].rstrip().endswith(":")):
        return i + 1, lines[i]
    return end, " ".join(line.strip() for line in lines[i:end])


def _is_cut(joined: str, lines: Sequence[str]) -> bool:
    """Tell whether the first line is a known message that ends with a colon, with its reason in the lines
    below.
    """
    whole, first = _meaning_of(joined), _meaning_of(lines[0])
    return (
        lines[0].rstrip().endswith(":") and bool(first) and whole == first.union(*map(_meaning_of, lines[1:]))
    )


def _is_beginning(line: str) -> bool:
    return bool(_BEGINS.match(line)) or is_header(line) or parse_command(line) is not None


def _is_open(line: str) -> bool:
    """Tell whether a line ends inside a quote or a bracket, or with a colon."""
    bare = line.rstrip()
    return (
        bare.endswith((":", ",", "="))
        or bare.count('"') % 2 == 1
        or bare.count("(") > bare.count(")")
        or bare.count("[") > bare.count("]")
    )


def _find_lead(first: str, line: str) -> str:
    """Return the prefix that a line shares with the first one: a quote's sign, a bar, a Pod's name, a
    number.
    """
    n = 0
    for a, b in zip(_DIGIT.sub("0", first), _DIGIT.sub("0", line), strict=False):
        if a != b:
            break
        n += 1
    found = _LEAD.match(line[:n])
    return found[0] if found and _OF_A_LEAD.search(found[0]) else ""


def _says_more(joined: str, lines: Sequence[str]) -> bool:
    """Tell whether the joined line reports a failure that its parts lack, or corrects a failure of a part."""
    whole = _meaning_of(joined)
    parts: _Meaning = frozenset().union(*map(_meaning_of, lines))
    sure = _without_vague(whole)
    if not parts:
        return bool(whole)
    return bool(sure - parts) or bool(whole and parts - whole and (sure or not _without_vague(parts)))


def _without_vague(meaning: _Meaning) -> _Meaning:
    """Return the failures whose error is more precise than that something failed."""
    return frozenset(one for one in meaning if one[1] not in VAGUE)


def _meaning_of(line: str) -> _Meaning:
    found = find_known_failures(line)
    calls = ((f.operation, f.error, f.path, f.object, f.key, f.container, f.host, f.volume) for f in found)
    said = None if found else read_complaint(line)
    own = (
        ((said.error, said.error, said.name, said.verb, said.resource),)
        if said and said.error in SERVERS_OWN
        else ()
    )
    return frozenset((*calls, *list_keys(line), *own))
