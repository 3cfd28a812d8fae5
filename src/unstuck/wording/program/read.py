"""Finds in a container's last lines why its program could not go on.

The deciding line is near the end: at most a few unrelated lines follow it. Of several candidates the last one decides; a line with a reason
wins over a line that only reports the failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.derive.refusals import find_refusals
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program import (
    autoscalers,
    certificates,
    charts,
    clashes,
    clients,
    cloud,
    cluster,
    code,
    conditions,
    damage,
    dependencies,
    devices,
    files,
    frameworks,
    gateways,
    hosts,
    identities,
    kubectl,
    lookups,
    members,
    meshes,
    netfilter,
    network,
    objects,
    operators,
    references,
    refusals,
    rights,
    settings,
    states,
    statuses,
    stores,
    traffic,
    validity,
    values,
    verdicts,
    versions,
    waiting,
)
from unstuck.wording.program.frames import find_place
from unstuck.wording.program.own_start import find_recovery
from unstuck.wording.program.pattern import LastWord, Naming
from unstuck.wording.program.usages import find_usage

# The order is that of trying within one line: the narrower words first.
WORDS: tuple[LastWord, ...] = (
    *charts.WORDS,
    *traffic.WORDS,
    *clashes.WORDS,
    *validity.CLOCKS,
    *devices.WORDS,
    *operators.WORDS,
    *meshes.WORDS,
    *states.FIRST,
    *frameworks.WORDS,
    *values.WORDS,
    *references.OF_IMAGES,
    *clients.WORDS,
    *netfilter.WORDS,
    *hosts.WORDS,
    *members.WORDS,
    *stores.WORDS,
    *objects.OF_NODES,
    *versions.WORDS,
    *cluster.WORDS,
    *kubectl.WORDS,
    *lookups.WORDS,
    *gateways.WORDS,
    *identities.WORDS,
    *cloud.WORDS,
    *autoscalers.WORDS,
    *dependencies.WORDS,
    *objects.WORDS,
    *damage.WORDS,
    *refusals.WORDS,
    *certificates.WORDS,
    *network.WORDS,
    *rights.WORDS,
    *references.NARROW,
    *files.WORDS,
    *settings.WORDS,
    *references.WORDS,
    *validity.WORDS,
    *verdicts.WORDS,
    *statuses.WORDS,
    *states.LAST,
    *code.WORDS,
    *conditions.WORDS,
)
NAMINGS: tuple[Naming, ...] = (
    *network.NAMINGS,
    *files.NAMINGS,
    *settings.NAMINGS,
    *values.NAMINGS,
    *statuses.NAMINGS,
    *states.NAMINGS,
)
# Words that only a server or its client uses: they need no frame.
SERVERS_OWN: tuple[ProgramError, ...] = (
    "forbidden",
    "api-not-served",
    "caller-certificate-refused",
    "client-certificate-refused",
    "server-not-ready",
    "serving-certificate-refused",
    "cloud-credentials-missing",
    "cloud-forbidden",
    "cloud-limit",
    "cloud-object-missing",
    "cloud-refused",
    "device-failed",
    "device-held",
    "extension-unreached",
    "forwarding-loop",
    "node-password-refused",
    "starts-missed",
    "traffic-denied",
    "kernel-setting-denied",
    "kernel-setting-low",
    "leader-missing",
    "lock-held",
    "mode-refused",
    "already-there",
    "backend-broken",
    "backend-missing",
    "backend-silent",
    "route-missing",
    "storage-full",
    "storage-slow",
    "kubeconfig-missing",
    "container-not-running",
    "object-changed",
    "object-forbidden",
    "object-invalid",
    "kubelet-unreached",
    "addresses-used-up",
    "challenge-unanswered",
    "connections-exhausted",
    "data-foreign",
    "data-in-use",
    "host-key-unknown",
    "join-refused",
    "kubelet-certificate-missing",
    "ownership-refused",
    "preflight-refused",
    "release-undeployed",
    "reply-misdirected",
    "request-unset",
    "requests-limited",
    "server-read-only",
    "too-large",
    "clock-off",
    "driver-unfit",
    "kernel-part-missing",
    "licence-refused",
    "packet-filter-incomplete",
    "tool-missing",
)
# In the same frame, a resolver's own code shows that no answer came.
BY_CODE: Mapping[ProgramError, ProgramError] = MappingProxyType[ProgramError, ProgramError](
    {"name-unresolved": "name-unanswered"}
)
# Errors that follow from a line above them: with a refused key there is no way to log in; replies that are
# dropped for their source look like missing replies.
_LED_BY: Mapping[ProgramError, tuple[ProgramError, ...]] = MappingProxyType[
    ProgramError, tuple[ProgramError, ...]
]({"credentials-refused": ("mode-refused",), "name-unanswered": ("reply-misdirected",)})
_NAMED = frozenset({"name", "path", "port"})
# The most lines with unrelated content below the deciding line.
_BELOW = 6
_LONGEST = 2000
_QUOTED = 500
# The number of characters quoted from a long line on either side of the error.
_AFTER = 60
_COLORS = regex(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
# Lines that belong to the one above: frames of a stack, a list of options, a starter's words about the
# program's end.
_GOES_WITH = regex(
    r"^(?:\s{2,}|\t|\}|\]|\)|\.\.\. \d+ more|goroutine \d|created by |exit(?:ed)? "
    r"(?:status|code|with)|Node\.js v|npm (?:ERR!|error)|note: |[Uu]sage\b|[Oo]ptions:|Flags:|For more information|Try '|See '|[\w./*()\[\]{}-]{1,200}\(.{0,200}\)$|\[signal |stack backtrace"
    r"|Traceback |rax |rip |Aborted|Process exited|make: |Killed$)"
)
# The detail of the error above it: PostgreSQL src/backend/utils/error/elog.c and src/common/logging.c (after a time and a process id);
# java.lang.Throwable (printStackTrace).
_DETAIL = regex(
    r"(?:[^\s:]{1,60}: |\d{4}-\S{1,12} \S{1,20} (?:\S{1,8} )?\[\d{1,9}\] )?(?:DETAIL|detail|Detail|Caused by|caused by|Reason|Because):\s{1,4}(?P<said>\S.{3,400})"
)
# A program's words about a value, without a path, a number or a field.
_SENTENCE = regex(r"^[a-z][\w'-]{0,40}(?: [^\s{}]{1,60}){1,24}$")
# A server's words about one caller, before it serves the next: no program ends with them.
OF_CALLERS: tuple[ProgramError, ...] = ("caller-certificate-refused", "serving-certificate-refused")
# Frames hold names of classes and files, and no words of their own.
_FRAME = regex(r"^\s+(?:at |\.\.\. |File \"|from )")
_LOW = regex(
    r"\b(?:WARN(?:ING)?|INFO|DEBUG|NOTICE|TRACE)\b|\blevel=\"?(?:warn|info|debug)|\"(?:level|severity)\": ?\"(?:warn|info|debug)"
    r"|\[(?:warn|info|debug|notice)\]|^[IW]\d{4} ",
)
_PASSED_OVER: tuple[ProgramError, ...] = (
    "file-missing",
    "permission-denied",
    "path-is-directory",
    "command-not-found",
)
_FAILS = regex(
    r"(?i)\berr(?:or)?\b|fatal|panic|critical|emerg|exception|fail|could not|can(?:no|')t|unable|abort|[a-z](?:Error|Exception)\b"
)
# The program went on after this line: earlier errors were overcome.
_WENT_ON = regex(
    r"(?<!that's )(?<!already )\b(?:[Ll]istening (?:on|at|for)|[Ss]erver (?:is )?(?:started|ready|running)|[Ss]tarted \S{1,80} in \d|[Rr]eady (?:to accept|for)"
    r"|[Cc]onnected to|[Cc]onnection (?:established|restored)|[Aa]ccepting connections)\b"
)


# A program that logs such a record exits at once. Sources: klog klog.go, logrus entry.go, zap logger.go
# (Fatal and Panic), runtime/panic.go, java.lang.ThreadGroup (uncaughtException of the main thread).
_FINAL = regex(
    r"^(?:\S{20,40} )?F\d{4} \d\d:\d\d:\d\d|\blevel=\"?(?:fatal|panic)\b|\"(?:level|severity)\": ?\"(?:fatal|panic|FATAL|PANIC)\""
    r"|^(?:FATA|PANI)\[|^panic: |^Exception in thread \"main\" "
)


@record()
class _Match(Record):
    by: LastWord
    complaint: Complaint
    # Below the level of an error, or of a sort that scripts ignore, and not the last line written.
    passing: bool = False


def find_complaint(lines: Sequence[str]) -> Complaint | None:
    """Return the reason why the program with these last lines could not continue; None without known words.
    Never raises.

    lines: of its log, secrets masked, the last one last.
    """
    # The runtime's own words there are no program's.
    if find_refusals([line.strip() for line in lines if line.strip()]):
        return None
    matches = [*_find_matches(lines)]
    serious = [f for f in matches if not f.passing or _is_repeated(f, matches)]
    first = next((f for f in serious if not f.by.vague), serious[0] if serious else None)
    if first is None:
        return _find_wait(lines)
    leads: tuple[ProgramError, ...] = _LED_BY.get(first.by.error, ())
    first = next((f for f in matches if f.by.error in leads), first)
    same = [f.complaint for f in serious if f.complaint.error == first.complaint.error]
    best = _add_detail(next((c for c in same if c.name or c.path), first.complaint), lines)
    return best if not first.by.vague else _add_place(best, lines)


def read_complaint(text: str) -> Complaint | None:
    """Read the failure in one line by known words; None if there are none. Never raises.

    Of a long line the part around these words is quoted. text: secrets masked.
    """
    found = _find_in_line(text)
    return replace(found.complaint, line=_cut_around(_clean_line(text).strip(), found.by)) if found else None


def is_own(text: str) -> bool:
    """Tell whether the words by which `read_complaint` reads a line are used only by a failing program
    itself, in any line.
    """
    found = _find_in_line(text)
    return found is not None and (found.by.own or found.by.error in SERVERS_OWN)


def _find_in_line(text: str) -> _Match | None:
    line = _clean_line(text)
    found = None if _FRAME.match(line) else _match_line(line)
    return None if found is None or found.by.vague else found


def _cut_around(line: str, word: LastWord) -> str:
    """Return the part of a line around the words that say how it failed."""
    said = word.regex.search(line)
    if len(line) <= _QUOTED or said is None:
        return line[:_QUOTED]
    end = min(len(line), said.end() + _AFTER)
    start = max(0, min(said.start() - _AFTER, end - _QUOTED))
    return (
        ("…" if start else "") + line[start : start + _QUOTED] + ("…" if start + _QUOTED < len(line) else "")
    )


def _find_wait(lines: Sequence[str]) -> Complaint | None:
    """Return a complaint of waiting from the last lines."""
    for line in reversed([_clean_line(raw) for raw in lines[-_BELOW:] if raw.strip()]):
        for word in waiting.WORDS:
            if any(n in line for n in word.need) and (m := word.regex.search(line)):
                return _make_complaint(word, line, _collect_groups(m))
    return None


def _find_matches(lines: Sequence[str]) -> Iterator[_Match]:
    """Yield the matches of lines, from the end; a line that reports success ends the search."""
    below, fails = 0, False
    for line in reversed([_clean_line(raw) for raw in lines if raw.strip()]):
        with_above = _GOES_WITH.match(line) is not None
        match = None if _FRAME.match(line) else _match_line(line)
        if (
            match is not None
            and match.by.error not in OF_CALLERS
            and (_FAILS.search(line) or not match.by.marked)
        ):
            low = _LOW.search(line) is not None or (fails and _is_harmless(match) and not _FAILS.search(line))
            ends = replace(match.complaint, final=below == 0 and _FINAL.search(line) is not None)
            yield replace(match, complaint=ends, passing=below > 0 and low)
        elif not with_above and _WENT_ON.search(line):
            return
        below += not with_above
        fails = fails or (not with_above and _FAILS.search(line) is not None)
        if below > _BELOW:
            return


def _is_harmless(match: _Match) -> bool:
    """Tell whether scripts routinely continue after such a line: `ls: /x: No such file or directory`."""
    return match.by.error in _PASSED_OVER


def _clean_line(line: str) -> str:
    return _COLORS.sub("", line[:_LONGEST].rstrip()).replace('\\"', '"')


def _match_line(line: str) -> _Match | None:
    for word in WORDS:
        if (
            any(n in line for n in word.need)
            and (m := word.regex.search(line))
            and not any(u in line for u in word.unless)
        ):
            groups = _collect_groups(m)
            if word.kind and "name" in groups:
                groups.setdefault("resource", word.kind)
            if not _NAMED & groups.keys():
                groups |= _find_names(line, word.error)
            if word.marked and "reason" in groups and (inner := _find_innermost(line, m)):
                groups["reason"] = inner
            return _Match(word, _make_complaint(word, line, groups))
    return None


def _find_innermost(line: str, match: re.Match[str]) -> str:
    """Return the text behind the last colon, below the words that wrap it; "" if the match itself holds the
    end of the line.
    """
    start = max(match.start(group) for group in match.re.groupindex if group.startswith("reason"))
    wrapped = line[start:].rstrip().rstrip(".").split(": ")
    inner = wrapped[-1].strip() if len(wrapped) > 2 else ""
    return inner if _SENTENCE.match(inner) else ""


def _find_names(line: str, error: ProgramError) -> dict[str, str]:
    """Return the names in a line beside the failure, by the first form that fits."""
    for naming in NAMINGS:
        of: tuple[ProgramError, ...] = naming.of
        if error in of and (match := naming.regex.search(line)):
            return _collect_groups(match)
    return {}


def _collect_groups(match: re.Match[str]) -> dict[str, str]:
    groups = {name.partition("_")[0]: value for name, value in match.groupdict().items() if value}
    return {name: value.rstrip(".") if name == "name" else value for name, value in groups.items()}


def _make_complaint(word: LastWord, line: str, groups: dict[str, str]) -> Complaint:
    port, at = groups.pop("port", ""), groups.pop("at", "")
    return Complaint(
        error=BY_CODE[word.error]
        if word.error in BY_CODE and network.UNANSWERED.search(line)
        else word.error,
        line=line.strip()[:_QUOTED],
        port=int(port) if port.isdecimal() and int(port) < 1 << 16 else 0,
        at=int(at) if at.isdecimal() and len(at) < 8 else 0,
        final=False,
        **groups,
    )


def _is_repeated(match: _Match, matches: Sequence[_Match]) -> bool:
    """Tell whether a complaint appears at least twice, as after retries until the program gives up."""
    return (
        sum(
            f.complaint.error == match.complaint.error and f.complaint.name == match.complaint.name
            for f in matches
        )
        > 1
    )


def _add_detail(complaint: Complaint, lines: Sequence[str]) -> Complaint:
    """Add the detail from the other lines: the program that prints its usage, a server's recovery, or the
    innermost cause below the complaint, which comes last.
    """
    if complaint.error == "option-unknown":
        return replace(complaint, path=complaint.path or find_usage(lines))
    written = [_clean_line(line).strip() for line in lines]
    if complaint.error == "server-not-ready" and (recovery := find_recovery(written)):
        return replace(complaint, detail=recovery)
    at = next((n for n, line in enumerate(written) if line.startswith(complaint.line)), len(written))
    told = [m["said"].strip() for line in written[at + 1 :] if (m := _DETAIL.match(line))]
    return (
        replace(complaint, detail=told[-1][:_QUOTED])
        if told and told[-1] not in complaint.line
        else complaint
    )


def _add_place(complaint: Complaint, lines: Sequence[str]) -> Complaint:
    return replace(complaint, place=complaint.place or find_place(lines))
