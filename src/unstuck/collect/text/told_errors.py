"""Errors that programs, controllers and commands report in a short text: read by the class of the failure, in
any context.

A line counts that is written as an error (klog's severity, a level, `err=`, `Error: `, a language's
exception), or with words that only a server says (RBAC's, a cloud's). A line from which a fact was read
already, one of an access log, of source code and of prose do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.checklists import find_failed_checks
from unstuck.collect.text.cutting.message import VAGUE
from unstuck.collect.text.cutting.nested_texts import find_framed_texts, find_nested_texts
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.cutting.told_marks import (
    find_above_ends,
    find_condition_messages,
    find_heads,
    find_record_lines,
    find_uncaught,
    join_folded,
)
from unstuck.collect.text.lookups import blame_tool
from unstuck.collect.text.panics import find_panics
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Events, Failure, Presence
from unstuck.facts.aspects.pasted import ToldError, ToldErrors
from unstuck.facts.aspects.pod import Complaint, LastLines
from unstuck.facts.aspects.refusals import ForbiddenRequests
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program.frames import find_place
from unstuck.wording.program.own_start import find_recovery
from unstuck.wording.program.read import SERVERS_OWN, find_complaint, is_own, read_complaint
from unstuck.wording.program.speakers import find_speaker

_LONGEST, _MOST = 4000, 12
# That it fell, or waits, says not over what.
_NO_REASONS: tuple[ProgramError, ...] = ("crashed", "waits")
# The speaker may be named this many lines above or below.
_AROUND = 3
# This much of a quoted line is searched for at its place.
_COMPARED = 80
# An object's own fields, and lists of many things, are enough alone. A Pod's log is read by its own format.
_SILENT = frozenset(
    {
        "json-yaml",
        "fragment",
        "fragment-json",
        "condition",
        "pod-logs",
        "inspect",
        "versions",
        "lsattr",
        "mount",
        "mountinfo",
    }
)
# What the server says of an object that a controller applies stands in the row of the controller's object,
# and is its reason.
_IN_ROWS: tuple[ProgramError, ...] = (
    "object-invalid",
    "object-forbidden",
    "forbidden",
    "api-not-served",
    "metric-missing",
)
# Others' trouble: where the text tells anything else, that is nearer to the root.
_SYMPTOMS: tuple[ProgramError, ...] = (
    "connection-refused",
    "connection-timed-out",
    # It passes.
    "server-not-ready",
    # One caller among many.
    "caller-certificate-refused",
    "serving-certificate-refused",
)
# A missing file or variable of the user who runs a command says nothing about a cluster, nor do a stack's
# outer words.
_OF_A_MACHINE: tuple[ProgramError, ...] = (
    "command-not-found",
    "library-missing",
    "variable-missing",
    "path-is-directory",
    "crashed",
    "waits",
)
# … except for missing things that end a program at its start.
_AT_A_START: tuple[ProgramError, ...] = ("variable-missing", "library-missing")
# … and for things missing in the container of a probe's command, or of a component.
_OF_A_CONTAINER: tuple[ProgramError, ...] = (
    "command-not-found",
    "library-missing",
    "variable-missing",
    "option-unknown",
)
# A probe is there to find this out: it says that the program is not ready, and not why.
_ASKED_BY_PROBES: tuple[ProgramError, ...] = (
    *(
        "file-missing",
        "connection-refused",
        "connection-timed-out",
        "server-not-ready",
        "value-absent",
        "value-refused",
    ),
    *("backend-broken", "backend-missing", "backend-silent", "route-missing"),
)
# What a probe, a hook or a person runs in a container that is well, and which is not in it.
_EXECUTED = regex(r"\bexec failed: ")
_NOT_EXECUTED: tuple[Operation, ErrorWord] = ("exec", "exec-not-found")
_PROBE = regex(r"\b(?:Liveness|Readiness|Startup) probe (?:failed|errored)\b")
_NEEDS_ALL: tuple[ProgramError, ...] = ("object-missing", "cloud-refused")
# Words without a known speaker: where the text tells anything else, that says more.
_ANYBODYS: tuple[ProgramError, ...] = (
    "value-absent",
    "value-refused",
    "pool-exhausted",
    "wait-ended",
    "check-failed",
    "setting-missing",
)
# Messages of a condition that count without a mark of an error.
_OF_CONDITIONS: tuple[ProgramError, ...] = (*_ANYBODYS, "digest-unresolved")
# The last line of Python's traceback, also where the frames above it were left out.
_IMPORT = regex(r"^(?:ModuleNotFoundError|ImportError): ")
# A file that a node's own component misses is the node's: no manifest brings it.
_OF_A_NODE: tuple[ProgramError, ...] = ("file-missing", "permission-denied")
_NODES_OWN = (
    "/var/lib/kubelet/pods/",
    "/var/lib/containerd/",
    "/var/lib/docker/",
    "/run/containerd/",
    "/sys/fs/cgroup/",
)
_ON_NODES = ("kubelet", "containerd", "dockerd", "crio")
_KLOG = regex(
    r"^(?:\d{1,6}[:\s]\s{0,8})?(?:[^\[\]]{0,80}\[\d{1,10}\]: )?(?P<severity>[IWEF])\d{4} "
    r"(?:\d\d:\d\d:\d\d\.\d{1,9}\s{1,12}\d{1,10} )?[\w./-]{1,200}\.go:\d{1,6}\] ?"
)
_FATAL = regex(
    r"\blevel=\"?(?:fatal|panic)\b|\"(?:level|severity)\": ?\"(?:fatal|panic)\"|^\s*(?:FATA\[|FATAL\b"
    r"|fatal: |panic: )"
    r"|^\s*(?:\W{1,3} )?Exiting due to [A-Z_]{4,60}: |\b(?:FATAL|PANIC): |^\d{4}-\d\d-\d\d "
    r"\d\d:\d\d:\d\d\.\d{1,9} C \| "
)
_ERROR = regex(
    r"\blevel=\"?(?:error|fatal|panic|err)\b|\"(?:level|severity|lvl)\": ?\"(?:error|err|fatal|panic"
    r"|critical|dpanic)\""
    r"|\b(?:err|error)=\"?[^\s\"]"
    r"|\"(?:err|error)\": ?\"[^\"]|\bERROR\b|\bFATAL\b|\bCRITICAL\b|\bSEVERE\b|\bERRO\[|\[(?:error|fatal"
    r"|crit|emerg|ERROR)\]"
    r"|^(?:\W{0,8}|.{0,60}?[:\]|│] ?)"
    r"(?:[Ee]rror|ERROR|[Ff]atal|[Ff]ailed (?:to|[a-z]{3,20}ing)|[Ff]ailure"
    r"|[Cc]ould ?n[o']t|[Uu]nable to|[Cc]annot|[Ee]xception|[Ff]ailed:|panic: )\b"
    r"|\b[A-Z]\w{0,60}(?:Error|Exception): |^curl: \(\d|\brpc error: code = "
    r"|^(?:\*\*\*? \S.{0,200}|nslookup: )can't (?:find|resolve) |^;; (?:connection|communications|no "
    r"servers) "
    r"|^Host \S{1,253} not found: \d|^(?:wget|ping|nc|telnet|ssh|traceroute): |\bdial (?:tcp|udp) |\bx509: "
    r"|\blookup \S{1,253}(?: on |: no such host\b)"
    r"|^✗|^\s*Warning\s{2,}\w|^(?:\S+\s+){1,2}Warning\s{2,}\w|\bfailed with message: "
)
# The server's words about one named object.
_OF_AN_OBJECT: tuple[ProgramError, ...] = ("already-there", "object-invalid", "object-missing")
# A tool's sentence about several objects precedes that of each: Helm pkg/action/install.go.
_ANNOUNCED: tuple[ProgramError, ...] = ("already-there",)
# Reasons why a file or directory cannot be created.
_NOT_MADE: tuple[ProgramError, ...] = ("permission-denied", "read-only", "no-space", "ownership-refused")
_DETAIL = regex(r"^.{0,80}?\bDETAIL: {1,2}(?P<said>\S.{1,300})$")
# A full etcd, or the end of a program, is no trouble of the object in whose message it stands.
# Which Node's credentials a kubelet shows stands in the words, whatever it was that it wrote.
_OF_EVERYBODY: tuple[ErrorWord, ...] = ("storage-full", "fatal", "identity-mismatch")
# Where an object's own call failed, its causes weigh these words.
_OF_A_CALL: tuple[ProgramError, ...] = ("cloud-refused",)
# Some write errors at the level of information, and as errors all the same.
# kubectl writes what the server takes for invalid without a word of an error.
_BEGINS = regex(
    r"^\W{0,8}(?:[Ee]rror|ERROR|[Ff]atal|[Ff]ailed (?:to|[a-z]{3,20}ing)|[Cc]ould ?n[o']t"
    r"|[Uu]nable to)[ :]|^The [A-Z]\w{1,80} \"[^\"]{1,253}\" is invalid: "
    r"|^The connection to the server \S{1,260} was refused\b"
)
_CALM = regex(
    r"\blevel=\"?(?:info|debug|trace)\b|\"(?:level|severity|lvl)\": ?\"(?:info|debug|trace|INFO|DEBUG)\"|\b"
    r"(?:INFO|DEBUG|TRACE)\b"
)
_ACCESS = regex(r"\"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S{1,2000} HTTP/\d")
# nginx quotes the request in its errors; of these only one is decisive alone.
_TOO_LARGE = regex(r"\[error\] \d{1,9}#\d{1,9}: .{0,40}?(?:too large body|too big header)")
# Source code and templates: a call with a literal, an assignment, a verb or a place for a value, a comment.
_SOURCE = regex(
    r"%[+#]?[svdqwT]\b|\{\{|\$\{\w|<[A-Z_]{3,30}>|:= |\b(?:fmt|errors|log|klog|logger|console"
    r"|System\.err)\.\w{1,20}\("
    r"|\b(?:return|raise|throw(?: new)?|assert|import|func|def) \S"
    r"|^\s*(?://|#include|/\*|\*/|--- |\+\+\+ |@@ )|\)[;,]\s*$|=> |\bf\"|strings\.Contains|\.(?:test"
    r"|match)\(|echo \"|grep (?:-\w+ )?[\"']"
)
# A sentence of a person that quotes: marks of Markdown within the line, or a list's item, a heading, a row of
# a table of words.
_PROSE = regex(
    r"\b(?:[Ii]f|[Ww]hen) you (?:see|get|receive|run into)\b|^\s*#{1,6} [A-Z]|^\s*(?:[-*]|\d{1,2}\.) [`*\[]"
    r"|\]\(\S{1,300}\)|…"
)
# To clean up what the cluster does not even serve any more is no trouble.
_CLEANING = regex(
    r"(?i)\b(?:clean(?:ing|ed)?[ -]?up|delet(?:e|ing)|remov(?:e|ing)|prun(?:e|ing)|uninstall(?:ing)?)\b"
)
# GNU's tools close such a mark with an apostrophe.
_OF_GNU = regex(r"`[\w./ -]{1,80}'(?!\w)")
_CODE = regex(r"^\s*`[^`]+`\s*$")
_CONTROL = regex(r"[\x00-\x1f\x7f]+")
_QUOTE = regex(r"^(?:\s{0,3}> ?){1,4}")
_BY = (
    regex(r"\"(?:logger|controller|component)\": ?\"(?P<by>[\w./-]{2,80})\""),
    regex(r"\b(?:logger|controller|component|controllerKind|source)=\"?(?P<by>[\w./-]{2,80})"),
    regex(r"(?:^|\s)(?P<by>[a-z][\w.@-]{1,60})\[\d{1,10}\]: "),
    regex(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9} [A-Z] \| (?P<by>[a-z][\w/]{1,40}): "),
)
_ABOUT = regex(
    r"\b(?P<kind>service|ingress|persistentvolumeclaim|pvc|deployment|statefulset) "
    r"\"?(?P<space>[a-z0-9-]{1,63})/(?P<name>[a-z0-9][a-z0-9.-]{0,252})\b",
)


def find_told_errors(
    name: str, pieces: Sequence[tuple[str, Piece]], facts: Collection[Fact]
) -> ToldErrors | None:
    """Return the errors that a text reports and no fact tells, None if there are none. pieces: (format,
    piece), in order.
    """
    ends = {f.src.where for f in facts if isinstance(f, Failure) and f.operation == "program-run"}
    # A request that was refused leaves something unseen; if nothing else was read, it is itself the fault.
    refused_only = all(isinstance(f, Refused) for f in facts)
    # Of a right that lacks it is known whose it is, of the end of a program over it not yet what.
    explained = {
        f.src.where
        for f in facts
        if _explains(f)
        and not (isinstance(f, ForbiddenRequests) and f.src.where in ends)
        and not (refused_only and isinstance(f, Refused))
    }
    failing = {f.src.where for f in facts if isinstance(f, Failure)}
    about = {
        f.src.where: f.about
        for f in facts
        if f.about.name and f.about.kind != "Text" and not isinstance(f, LogSeen)
    }
    left: tuple[ProgramError, ...] = (*_OF_A_CALL, *_ANYBODYS)
    found = [
        *_dedupe(
            one
            for one in _errors(pieces, explained, about)
            if one[0].complaint.error not in left or one[1].where not in failing
        )
    ]
    found += [
        one for one in (*find_failed_checks(pieces), *find_panics(pieces)) if one[1].where not in explained
    ]
    if any(isinstance(f, Failure) and _explains(f) for f in facts):
        found = [one for one in found if one[0].complaint.error not in _ANYBODYS]
    told = _nearest(_named([error for error, _ in found]))
    if not told:
        return None
    src = next(src for error, src in found if error == told[0])
    return ToldErrors(about=Ref("Text", None, name), src=src, whole=False, items=told)


def _named(found: Sequence[ToldError]) -> list[ToldError]:
    """Return errors without those that only announce another one, which names the object."""
    naming = {e.complaint.error for e in found if e.complaint.name and e.complaint.error in _ANNOUNCED}
    unmade = {e.complaint.path for e in found if e.complaint.error in _NOT_MADE and e.complaint.path}
    # An object that could not be created is absent for that reason.
    found = [
        e for e in found if not (e.complaint.error == "file-missing" and _is_in(e.complaint.path, unmade))
    ]
    return [e for e in found if e.complaint.error not in naming or e.complaint.name or e.complaint.path]


def _is_in(path: str, above: Collection[str]) -> bool:
    """Tell whether a path is one of these, or is below one."""
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in above)


def find_log_complaints(name: str, facts: Collection[Fact]) -> ToldErrors | None:
    """Return what the last lines of logs say over what their programs could not go on, where a text holds
    nothing else; else None.

    Of a program whose end its last line tells, the run is known, and needs no second telling.
    """
    logs = [f for f in facts if isinstance(f, LastLines)]
    telling = [
        f for f in logs if f.complaint and not f.complaint.final and f.complaint.error not in _NO_REASONS
    ]
    if not telling or len(logs) != len(facts):
        return None
    told = tuple(
        ToldError(f.complaint, by=f.about.name or "", of=_pod_of(f.about)) for f in telling if f.complaint
    )
    return ToldErrors(about=Ref("Text", None, name), src=telling[0].src, whole=False, items=told[:_MOST])


def find_output_complaints(
    name: str, pieces: Sequence[tuple[str, Piece]], facts: Collection[Fact]
) -> ToldErrors | None:
    """Return the same of the output of programs whose Pod or Namespace no command names, where nothing
    else tells; else None.
    """
    if any(_explains(f) for f in facts):
        return None
    told, first = list[ToldError](), None
    for _, piece in (one for one in pieces if one[0] == "container-log"):
        said = find_complaint([mask(line) for line in piece.lines])
        if said and said.error not in _NO_REASONS:
            at = next((n for n, line in enumerate(piece.lines) if said.line[:_COMPARED] in mask(line)), 0)
            first = first or piece.src(at, said.line)
            told.append(
                ToldError(said, find_speaker(said.line, piece.lines[max(0, at - _AROUND) : at + _AROUND + 1]))
            )
    return (
        ToldErrors(about=Ref("Text", None, name), src=first, whole=False, items=tuple(told[:_MOST]))
        if first
        else None
    )


def _pod_of(container: Ref) -> Ref | None:
    namespace, slash, pod = (container.within or "").rpartition("/")
    return Ref("Pod", namespace or None, pod) if slash and pod else None


def _errors(
    pieces: Sequence[tuple[str, Piece]], explained: Collection[str], about: dict[str, Ref]
) -> Iterator[tuple[ToldError, Source]]:
    lines = [line for _, piece in pieces for line in piece.lines]
    said, ended, above_end, heads = (
        find_condition_messages(lines),
        find_uncaught(lines),
        find_above_ends(lines),
        find_heads(lines),
    )
    numbers = [number for _, piece in pieces for number in range(piece.start, piece.end + 1)]
    within = find_record_lines(lines, {n for n in range(1, len(numbers)) if numbers[n] - numbers[n - 1] > 1})
    folded = {n: join_folded(lines, n) for n in said}
    # The continuation of a message is read with its first line.
    inner = {n for start, (end, _) in folded.items() for n in range(start + 1, end)}
    above = 0
    for form, piece in pieces:
        for n, written in enumerate(piece.lines if form not in _SILENT else ()):
            at = above + n
            if at in inner:
                continue
            line = folded[at][1] if at in folded and folded[at][0] > at + 1 else written
            # Helm joins the errors of several objects: pkg/kube/client.go.
            for one in line.split(" && ") if 12 <= len(line) <= _LONGEST else ():
                text = f"{heads[at]} {one.strip()}" if at in heads else one
                if (
                    told := _read(
                        text,
                        said=at in said,
                        ended=at in ended,
                        above_end=at in above_end,
                        within=at in within,
                    )
                ) is None:
                    continue
                src = piece.src(n, told.complaint.line)
                if src.where not in explained and (form != "table" or told.complaint.error in _IN_ROWS):
                    if at in ended:
                        told = replace(told, complaint=replace(told.complaint, place=find_place(lines[:at])))
                    told = replace(
                        told,
                        complaint=_place_in_namespace(
                            _add_detail(told.complaint, lines, at), piece.namespace
                        ),
                    )
                    by = told.by or find_speaker(line, lines[max(0, at - _AROUND) : at + _AROUND + 1])
                    yield blame_tool(replace(told, by=by, of=told.of or about.get(src.where)), lines), src
        above += len(piece.lines)


def _add_detail(said: Complaint, lines: Sequence[str], at: int) -> Complaint:
    """Return what is said with PostgreSQL's DETAIL below it, which names what the first line leaves out;
    or of a server with its recovery.
    """
    if said.error == "server-not-ready" and (recovery := find_recovery(lines)):
        return replace(said, detail=mask(recovery))
    below = next((line for line in lines[at + 1 : at + 1 + _AROUND] if line.strip()), "")
    found = _DETAIL.match(below) if said.reason else None
    return (
        replace(said, reason=f"{said.reason.rstrip(' .')}: {mask(found['said']).strip(' .')}")
        if found
        else said
    )


def _place_in_namespace(said: Complaint, typed: str | None) -> Complaint:
    """Return the words about an object in its Namespace: if the words name none, the one in the command above
    them.
    """
    kind = (
        find_kind(said.resource.partition(".")[0].lower())
        if said.error in _OF_AN_OBJECT and said.resource
        else None
    )
    return (
        replace(said, namespace=typed)
        if typed and kind and kind.namespaced and said.name and not said.namespace
        else said
    )


def _read(
    line: str, *, said: bool = False, ended: bool = False, above_end: bool = False, within: bool = False
) -> ToldError | None:
    """Return the error that a line reports.

    said: it is the message of a condition that is not True. ended: nobody caught it. above_end: below it a
    program only says that it ends. within: it is a line of a record about an error.
    """
    if (
        (_ACCESS.search(line) and not _TOO_LARGE.search(line))
        or _SOURCE.search(line)
        or _PROSE.search(line)
        or _quotes(line)
    ):
        return None
    line = line[found.end() :] if (found := _QUOTE.match(line)) else line
    header = _KLOG.match(line)
    bare = line[header.end() :] if header else line
    nested = (*find_nested_texts(bare),)
    # The fields of a record are sentences, and the record is none.
    of_line = () if nested and bare.lstrip().startswith("{") else (bare,)
    whole = [_CONTROL.sub(" ", mask(text)) for text in (*nested, *of_line)]
    framed = [text for one in whole for text in find_framed_texts(one)]
    texts = (*whole, *framed)
    said_in, told = next(((text, read) for text in texts if (read := read_complaint(text))), ("", None))
    # The words before these may negate them.
    if told and said_in in framed and told.error in _NEEDS_ALL:
        return None
    # The absence of an object was the question, and is no error.
    if told is None or (told.error == "object-missing" and "(NotFound)" in line):
        return None
    if told.error == "api-not-served" and _CLEANING.search(bare):
        return None
    severity = header["severity"] if header else ""
    fatal = ended or severity == "F" or _FATAL.search(line) is not None
    begins = _BEGINS.match(bare) is not None
    starts = fatal or (told.error == "library-missing" and (begins or _IMPORT.match(bare) is not None))
    own = is_own(said_in)
    probed = _PROBE.search(bare) is not None
    if probed and told.error in _ASKED_BY_PROBES:
        return None
    executed = _EXECUTED.search(bare) is not None
    of_container = (probed or within or executed) and told.error in _OF_A_CONTAINER
    if (
        told.error in _OF_A_MACHINE
        and not ((starts or own) and told.error in _AT_A_START)
        and not of_container
    ):
        return None
    calm = severity == "I" or _CALM.search(line) is not None
    marked = (
        (said and told.error in _OF_CONDITIONS) or fatal or severity == "E" or begins or within or executed
    )
    marked = marked or (not calm and (above_end or _ERROR.search(bare) is not None))
    if not (marked or own):
        return None
    by = next((found["by"] for form in _BY if (found := form.search(line))), "")
    if told.error in _OF_A_NODE and (by in _ON_NODES or told.path.startswith(_NODES_OWN)):
        return None
    return ToldError(told, by, _object_in(line), fatal)


def _quotes(line: str) -> bool:
    """Tell whether words are quoted within a sentence, as in documentation; tools name commands so, behind
    their own error.
    """
    return (
        "`" in _OF_GNU.sub("", line)
        and not _CODE.match(line)
        and (line.lstrip().startswith("`") or not _BEGINS.match(line))
    )


def _object_in(line: str) -> Ref | None:
    """Return the object that the line says it is about."""
    found = _ABOUT.search(line)
    kind = find_kind(found["kind"]) if found else None
    return Ref(kind.name, found["space"], found["name"]) if found and kind else None


def _explains(fact: Fact) -> bool:
    """Tell whether a fact says of its line what it means; what only names something or that something
    failed does not.
    """
    if isinstance(fact, Failure):
        return (
            fact.error not in VAGUE
            and fact.error not in _OF_EVERYBODY
            and (fact.operation, fact.error) != _NOT_EXECUTED
        )
    return not isinstance(fact, Events | LogSeen | Conditions | Presence | Reported)


def _dedupe(found: Iterator[tuple[ToldError, Source]]) -> Iterator[tuple[ToldError, Source]]:
    seen = set[tuple[object, ...]]()
    for error, src in found:
        key = _key(error.complaint)
        if key not in seen:
            seen.add(key)
            yield error, src


def _key(said: Complaint) -> tuple[object, ...]:
    return (said.error, said.name, said.port, said.path, said.verb, said.resource, said.group, said.namespace)


def _nearest(found: Sequence[ToldError]) -> tuple[ToldError, ...]:
    """Return the ones nearest to the root: what a program ended with, then what a server alone says, and
    others' trouble last.
    """
    ends = [e for e in found if e.fatal]
    servers = [e for e in found if e.complaint.error in SERVERS_OWN and e.complaint.error not in _SYMPTOMS]
    own = [e for e in found if e.complaint.error not in _SYMPTOMS]
    named = [e for e in own if e.complaint.error not in _ANYBODYS]
    return tuple(next((some for some in (ends, servers, named, own) if some), list(found))[:_MOST])
