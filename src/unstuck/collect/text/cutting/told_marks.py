"""Marks that a line gets from the lines around it: the message of a condition, an uncaught exception, an
error above a program's end, an item of a list of errors, a continued line of a record.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from unstuck.collect.text.cutting.split import parse_command
from unstuck.facts.derive.ends import is_bare_end
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

_MESSAGE = regex(r"^\s*(?:- )?[Mm]essage:\s+\S")
_BESIDE = regex(r"^\s*(?:- )?(?:[Rr]eason|[Ss]tatus|[Tt]ype|[Ll]ast ?[Tt]ransition ?[Tt]ime):\s")
_WELL = regex(r"^\s*(?:- )?[Ss]tatus:\s+[\"']?True\b")
_TRACEBACK = regex(r"^\s*Traceback \(most recent call last\):\s*$")
_EXCEPTION = regex(r"^[A-Za-z_][\w.]{0,120}(?:Error|Exception): \S")
_KEY = regex(r"^\s*(?:- )?[a-z][A-Za-z]{1,60}:(?:\s|$)")
_FOLDED = 24
# So many lines beside it belong to the same condition; so many frames a traceback has at most.
_NEAR, _FRAMES = 4, 200
# The limit of lines between a program's reason and its end.
_END = 3
# go-multierror: the errors of several objects below their number.
_LISTED = regex(r"\b\d{1,4} errors? occurred:\s*$")
# A file and its failed operation, above the error itself, which is indented: helm's pkg/lint/support.
_OF_A_FILE = regex(
    r"(?:^|\s)[\w./-]{1,200}\.(?:ya?ml|json|toml|tpl|conf|cfg): (?:unable|failed|could not|cannot)(?: to)? "
    r"[a-z]+[^:]{0,60}:?$"
)
_DEEPER = regex(r"^(?:\s{2,}|\t)\S")
_ITEM = regex(r"^\s+\* \S")
_ITEMS = 100
# klog's error record continues until the next header; so many lines of it are read.
_FAILED = regex(
    r"^(?:\S{20,40} (?:std(?:out|err) [FP] )?)?(?:[^\[\]]{0,80}\[\d{1,10}\]: )?[EF]\d{4} \d\d:\d\d:\d\d"
)
_OF_A_RECORD = 24
_ANOTHER = regex(
    r"^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:|\{|```|apiVersion:|time=)"
)


def find_condition_messages(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines that are the message of a condition not reported as True."""
    return frozenset(n for n, line in enumerate(lines) if _MESSAGE.match(line) and _is_amiss(lines, n))


# hashicorp/vault api/response.go: the request, its status, and the server's message.
_REQUEST, _STATUS, _SAID = (
    regex(r"\bURL: [A-Z]{3,6} https?://\S"),
    regex(r"\bCode: \d{3}\. Errors:"),
    regex(r"^[\s|]*\* \S"),
)
_ANSWER = 6


def join_folded(lines: Sequence[str], n: int) -> tuple[int, str]:
    """Return the end of a condition's message, and the whole of it: YAML folds a long value into lines that
    are indented below its key.
    """
    margin, end = len(lines[n]) - len(lines[n].lstrip(" -")), n + 1
    while end < min(len(lines), n + _FOLDED) and lines[end].strip():
        if (
            len(lines[end]) - len(lines[end].lstrip()) <= margin
            or _BESIDE.match(lines[end])
            or _KEY.match(lines[end])
        ):
            break
        end += 1
    first, *more = (line.strip() for line in lines[n:end])
    said = " ".join([first.partition(":")[2].strip().removeprefix("|-").removeprefix(">-").strip(), *more])
    quote = said[:1] if said[:1] in ("'", '"') and said[-1:] == said[:1] and len(said) > 1 else ""
    whole = (
        said[1:-1].replace("''", "'") if quote == "'" else said[1:-1].replace('\\"', '"') if quote else said
    )
    return end, f"message: {whole}"


def join_answer(lines: Sequence[str], n: int) -> tuple[int, str]:
    """Return the end of a server's answer that its client prints over several lines, and the whole of it;
    of another line its own end.
    """
    if not _REQUEST.search(lines[n]):
        return n + 1, lines[n]
    end = next((m for m in range(n + 1, min(len(lines), n + _ANSWER)) if _STATUS.search(lines[m])), n)
    if end == n:
        return n + 1, lines[n]
    end += 1
    while end < min(len(lines), n + _ANSWER) and not _SAID.search(lines[end]) and not lines[end].strip(" |"):
        end += 1
    end += end < len(lines) and _SAID.search(lines[end]) is not None
    return end, " ".join(told for line in lines[n:end] if (told := line.strip(" |")))


def _is_amiss(lines: Sequence[str], n: int) -> bool:
    near = [line for line in lines[max(0, n - _NEAR) : n + _NEAR + 1] if _BESIDE.match(line)]
    return bool(near) and not any(_WELL.match(line) for line in near)


def find_uncaught(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines in which a traceback of Python ends."""
    found = set[int]()
    for start in (n for n, line in enumerate(lines) if _TRACEBACK.match(line)):
        below = range(start + 1, min(len(lines), start + _FRAMES))
        end = next((n for n in below if lines[n].strip() and not lines[n].startswith((" ", "\t"))), None)
        if end is not None and _EXCEPTION.match(lines[end]):
            found.add(end)
    return frozenset(found)


def find_above_ends(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines followed, within three lines, only by the announcement that the program
    ends.
    """
    return frozenset(
        above for n, line in enumerate(lines) if is_bare_end(line) for above in range(max(0, n - _END), n)
    )


def find_heads(lines: Sequence[str]) -> Mapping[int, str]:
    """Return headings by line number: the line above each item of a list of errors (`Error: …: 2 errors
    occurred:`), and the file above an error.
    """
    heads = {
        n + 1: line.strip()
        for n, line in enumerate(lines[:-1])
        if _DEEPER.match(lines[n + 1]) and _OF_A_FILE.search(line.rstrip()) and not _DEEPER.match(line)
    }
    for start in (n for n, line in enumerate(lines) if _LISTED.search(line)):
        for n in range(start + 1, min(len(lines), start + _ITEMS)):
            if _ITEM.match(lines[n]):
                heads[n] = lines[start].rstrip()
            elif lines[n].strip():
                break
    return heads


def find_record_lines(lines: Sequence[str], apart: Collection[int]) -> frozenset[int]:
    """Return the numbers of the continuation lines of klog's error records. apart: of lines with a blank one
    above.
    """
    found = set[int]()
    for start in (n for n, line in enumerate(lines) if _FAILED.match(line)):
        end = start + 1
        while end < min(len(lines), start + _OF_A_RECORD) and end not in apart and _goes_on(lines[end]):
            end += 1
        found |= {*range(start + 1, end)}
    return frozenset(found)


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and not (is_header(line) or _ANOTHER.match(line) or parse_command(line))
