"""Reads a status's statements about its parts, down to the leaves: entries of lists and maps with a word and
a message, errors and traces, at any depth.

History is left out: lists of earlier tries, and all but the newest entry of a time series.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.facts.aspects.reported import StatusWord
from unstuck.facts.regex import regex

_MOST = 20
_DEEPEST = 7
# Fields of an entry with its state (argo-cd ResourceResult; flux and cluster-api lists of failures; velero's
# and crossplane's lists of resources).
_WORDS = (("status",), ("phase",), ("state",), ("result",), ("health", "status"))
# Fields of an entry with its message, the most telling first.
_SAYS = (
    *("message", "error", "errorMessage", "failureMessage", "failureReason", "trace", "details", "reason"),
    *("warning", "statusMessage"),
)
# Names of fields that exist only after a failure (kafka-connect's tasks[].trace, argo-rollouts).
_ERROR = regex(r"^(?:error|errorMessage|errMsg|failureMessage|failureReason|trace|stackTrace)$")
# An error that may be overcome: the field stays when all is well again.
_LAST_ERROR = regex(r"^last(?:\w*Error|\w*Failure)(?:Message|Reason)?$")
# Names of a list of complaints (velero's validationErrors, gatekeeper's byPod[].errors, failedTasks);
# overcome ones are kept as `last…` and `previous…`.
_COMPLAINTS = regex(
    r"(?i)^(?!last|prev|past|old|resolved|ignored)(?:.*(?:errors|warnings|failures|problems)|failed[a-z]+s)$"
)
# Lists of the past, in which an old failure says nothing about now (tekton's retriesStatus, a container's
# lastState).
_PAST = regex(r"(?i)histor|revisions|previous|past|attempts|retries|events|^last|^conditions$")
_NAMES = ("name", "id", "pod", "podName", "node", "nodeName", "type", "cluster", "index", "device")
_TIMES = ("finishedAt", "completedAt", "endTime", "startedAt", "startTime", "time", "timestamp")
# States of a healthy part: errors below it are resolved (the words of argo-rollouts, kafka-connect, velero
# and argo-cd).
_WELL = frozenset(
    (
        *("successful", "succeeded", "success", "running", "healthy", "ready", "completed", "complete"),
        *("synced", "ok", "active", "available", "bound", "pass", "passed", "done", "happy"),
    )
)
_CAUSED = regex(r"^\s*Caused by: (.+)$")
_FRAME = regex(r"^\s+at |^\s+File \"|^\s*\.\.\. \d+ more")


def read_rows(status: doc.Doc) -> tuple[StatusWord, ...]:
    """Return the entries of a status with a word and a message, and errors below its lists and maps, each by
    the part that it is about; an error has no word.
    """
    return tuple(islice(_walk(status, "status", 0), _MOST))


def read_complaints(status: doc.Doc) -> Iterator[StatusWord]:
    """Yield the entries of each list of errors, warnings or failures in the status, or one map below it."""
    for place, fields in (
        ("status", status),
        *((f"status.{name}", doc.section(status, name)) for name in [*status][:_MOST]),
    ):
        for name in [*fields][:_MOST]:
            yield from _list_complaints(place, name, fields[name])


def list_named(fields: doc.Doc, place: str, depth: int) -> Iterator[tuple[str, doc.Doc]]:
    """Yield the entries of the lists and maps below, without those of the past, with their places."""
    for name in [*fields][:_MOST]:
        if not isinstance(name, str) or _PAST.search(name):
            continue
        inner, here = fields[name], f"{place}.{name}"
        entries = (
            [(f"{here}[{_name_part(row)}]", row) for row in _list_present(inner)]
            if isinstance(inner, list)
            else [(here, inner)]
            if isinstance(inner, Mapping)
            else []
        )
        for at, entry in entries:
            yield at, entry
            if depth > 1:
                yield from list_named(entry, at, depth - 1)


def find_innermost(text: str) -> str:
    """Return a message that is a trace of calls with its innermost cause first; any other as it is."""
    lines = text.splitlines()
    causes = [found[1].strip() for line in lines if (found := _CAUSED.match(line))]
    if causes:
        return f"{causes[-1]}: {lines[0].strip()}" if causes[-1] not in lines[0] else lines[0].strip()
    if any(_FRAME.match(line) for line in lines[1:]):
        # Python names the error last, the others first.
        own = [line for line in lines if line.strip() and not line.startswith((" ", "\t"))]
        return own[-1 if own[0].startswith("Traceback") else 0].strip() if own else text
    return text


def _list_complaints(place: str, name: object, entries: object) -> Iterator[StatusWord]:
    if not isinstance(name, str) or not isinstance(entries, list) or not _COMPLAINTS.match(name):
        return
    counted = name.lower().startswith("failed")
    for entry in entries[:_MOST]:
        said = entry if isinstance(entry, str) else _find_message(entry)
        # A list of failed things may hold only names.
        if said and (" " in said or not counted):
            of = _name_part(entry)
            yield StatusWord(f"{place}.{name}[{of}]" if of else f"{place}.{name}", _clean(said))


def _walk(fields: doc.Doc, place: str, depth: int) -> Iterator[StatusWord]:
    for name in [*fields][:_MOST]:
        inner = fields[name]
        if isinstance(name, str) and isinstance(inner, str) and inner and _LAST_ERROR.match(name):
            yield StatusWord(f"{place}.{name}", "", _clean(inner))
        if not isinstance(name, str) or _PAST.search(name):
            continue
        here = f"{place}.{name}"
        if isinstance(inner, Mapping) and depth < _DEEPEST:
            yield from _read_part(inner, here, depth + 1)
        elif isinstance(inner, list) and depth < _DEEPEST:
            if depth > 1 or (depth == 1 and place.endswith("]")):
                complaints = tuple(_list_complaints(place, name, inner))
                yield from (StatusWord(w.field, "", w.value) for w in complaints)
                if complaints:
                    continue
            for row in _list_present(inner):
                yield from _read_part(row, f"{here}[{_name_part(row)}]", depth + 1)
        elif depth > 1 and _ERROR.match(name) and isinstance(inner, str) and inner and not _find_word(fields):
            yield StatusWord(here, "", _clean(inner))


def _read_part(part: doc.Doc, here: str, depth: int) -> Iterator[StatusWord]:
    """Yield an entry's statement about itself, then the statements below it, unless it is well."""
    # A condition's word is True or False, and is read as one.
    if doc.text(part, "type") and doc.text(part, "status") in ("True", "False", "Unknown"):
        return
    word, said = _find_word(part), _find_message(part)
    listed = here.endswith("]")
    if word and said and (listed or depth > 1) and not (listed and doc.text(part, "type")):
        yield StatusWord(here, word, _clean(said))
    if word.lower() not in _WELL:
        yield from _walk(part, here, depth)


def _find_word(part: doc.Doc) -> str:
    return next((w for path in _WORDS if (w := doc.text(part, *path))), "")


def _list_present(entries: Sequence[object]) -> list[doc.Doc]:
    """Return the entries of a list; of a series in time, whose entries have no names, the newest."""
    rows = [e for e in entries[-_MOST:] if isinstance(e, Mapping)]
    timed = [(at, n) for n, row in enumerate(rows) if (at := _find_time(row))]
    if len(timed) == len(rows) > 1 and not any(_name_part(row) for row in rows):
        return [rows[max(timed)[1]]]
    return rows


def _find_time(row: doc.Doc) -> str:
    return next((at for name in _TIMES if (at := doc.text(row, name))), "")


def _find_message(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return ""
    told = (doc.text(entry, name) or doc.text(entry, "health", name) for name in _SAYS)
    return next(filter(None, told), "")


def _name_part(entry: object) -> str:
    if not isinstance(entry, Mapping):
        return ""
    name = next((t for key in _NAMES if (t := doc.scalar(entry, key))), "")
    named = "/".join(filter(None, (doc.text(entry, "namespace"), name)))
    return " ".join(filter(None, (doc.text(entry, "kind"), named)))


def _clean(text: str) -> str:
    return mask_message(find_innermost(text))
