"""Reads the error that one line of a program, controller or command reports; None where it reports none.

A line counts that is written as an error (klog's severity, a level, `err=`, `Error: `, a language's
exception), or with words that only a server says (RBAC's, a cloud's). Lines of access logs, of source code
and of prose do not.
"""

from __future__ import annotations

from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import find_kind, ref_kind
from unstuck.collect.text.cutting.nested_texts import find_framed_texts, find_nested_texts
from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program.read import is_own, read_complaint

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
        "connection-cut",
        "connection-refused",
        "connection-timed-out",
        "server-not-ready",
        "value-absent",
        "value-refused",
        "child-failed",
        "parts-unready",
        "state-refused",
    ),
    *("backend-broken", "backend-missing", "backend-silent", "route-missing"),
)
# A probe, a hook or a person ran a program that is not in the container.
_EXECUTED = regex(r"\bexec failed: ")
_PROBE = regex(r"\b(?:Liveness|Readiness|Startup) probe (?:failed|errored)\b")
_NEEDS_ALL: tuple[ProgramError, ...] = ("object-missing", "cloud-refused")
# Words without a known author: any other fact of the text is more specific.
ANYBODYS: tuple[ProgramError, ...] = (
    "value-absent",
    "value-refused",
    "condition-unmet",
    "limit-reached",
    "pool-exhausted",
    "wait-ended",
    "check-failed",
    "child-failed",
    "name-taken",
    "parts-unready",
    "setting-missing",
    "state-refused",
)
# Messages of a condition that count without a mark of an error.
_OF_CONDITIONS: tuple[ProgramError, ...] = (*ANYBODYS, "digest-unresolved")
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
    r"^(?:\d{1,6}[:\s]\s{0,8})?(?:ERROR: logging before flag\.Parse: )?"
    r"(?:[^\[\]]{0,80}\[\d{1,10}\]: )?(?P<severity>[IWEF])\d{4} "
    r"(?:\d\d:\d\d:\d\d\.\d{1,9}\s{1,12}\d{1,10} )?[\w./-]{1,200}\.go:\d{1,6}\] ?"
)
_FATAL = regex(
    r"\blevel=\"?(?:fatal|panic)\b|\"(?:level|severity)\": ?\"(?:fatal|panic)\"|^\s*(?:FATA\[|FATAL\b"
    r"|fatal: |panic: )"
    r"|^\s*(?:\W{1,3} )?Exiting due to [A-Z_]{4,60}: |\b(?:FATAL|PANIC): |^\d{4}-\d\d-\d\d "
    r"\d\d:\d\d:\d\d\.\d{1,9} C \| "
)
_ERROR = regex(
    # coreos/pkg capnslog, of Rook and of etcd before 3.5.
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9} E \| |"
    r"\blevel=\"?(?:error|fatal|panic|err)\b|\"(?:level|severity|lvl)\": ?\"(?:error|err|fatal|panic"
    r"|critical|dpanic)\""
    r"|\b(?:err|error)=\"?[^\s\"]"
    r"|\"(?:err|error)\"(?:: ?|=)\"[^\"]"
    r"|\bERROR\b|\bFATAL\b|\bCRITICAL\b|\bSEVERE\b|\bERRO\[|\[(?:error|fatal"
    r"|crit|emerg|ERROR)\]"
    r"|^(?:\W{0,8}|.{0,60}?[:\]|│] ?)"
    r"(?:[Ee]rror|ERROR|[Ff]atal|[Ff]ailed (?:to|[a-z]{3,20}ing)|[Ff]ailure"
    r"|[Cc]ould ?n[o']t|[Uu]nable to|[Cc]annot|[Ee]xception|[Ff]ailed:|panic: )\b"
    r"|\b[A-Z]\w{0,60}(?:Error|Exception): |^curl: \(\d|\brpc error: code = "
    r"|^(?:\*\*\*? \S.{0,200}|nslookup: )can't (?:find|resolve) |^;; (?:connection|communications|no "
    r"servers) "
    r"|^Host \S{1,253} not found: \d|^(?:wget|ping|nc|telnet|ssh|traceroute): |\bdial (?:tcp|udp) |\bx509: "
    r"|\blookup \S{1,253}(?: on |: no such host\b)"
    # MySQL and MariaDB log a login that they refuse as a warning: sql/auth/sql_acl.cc.
    r"|\[Warning\] .{0,40}?Access denied for user '"
    r"|^✗|^\s*Warning\s{2,}\w|^(?:\S+\s+){1,2}Warning\s{2,}\w|\bfailed with message: "
)

# The beginnings of errors, also of those logged at the level of information.
# kubectl reports an object that the server finds invalid without the word "error".
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
# nginx quotes the request in its errors.
_OF_NGINX = regex(r"\[(?:warn|error|crit|alert|emerg)\] \d{1,9}#\d{1,9}: ")
_REQUEST = regex(r", (?:request|subrequest|referrer): \"[^\"]{0,2000}\"")
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
# A failed cleanup of a type that the cluster no longer serves is no trouble.
_CLEANING = regex(
    r"(?i)\b(?:clean(?:ing|ed)?[ -]?up|delet(?:e|ing)|remov(?:e|ing)|prun(?:e|ing)|uninstall(?:ing)?)\b"
)
# GNU's tools close such a mark with an apostrophe.
# An empty output between two of them is none either.
_OF_GNU = regex(r"`[\w./ -]{1,80}'(?!\w)|``(?=[\s,;:.]|$)")
_CODE = regex(r"^\s*`[^`]+`\s*$")
# A record of an error, and the first line of an exception by its whole name: no person writes like this.
_LEVELED = regex(
    r"\blevel=\"?(?:error|fatal|panic)\b|\"(?:level|severity)\": ?\"(?:error|fatal|panic)\"|^[EF]\d{4} \d\d:"
)
_PANIC_OF_RUST = regex(r"^thread '[^']{0,80}'(?: \(\d{1,20}\))? panicked at ")
_EXCEPTION = regex(r"^(?:Caused by: )?(?:[a-z]\w{0,40}\.){1,10}[A-Z]\w{1,80}(?:Exception|Error): \S")
_CONTROL = regex(r"[\x00-\x1f\x7f]+")
# A time before the message, as loggers without a level write it.
_STAMP = regex(
    r"^\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)[\])]? (?:UTC )?"
)
# journald's and syslog's beginning of a line: the machine and the program that writes.
_JOURNAL = regex(
    r"^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d (?P<host>[a-z0-9][a-z0-9.-]{0,252}) "
    r"[\w.@/-]{1,80}(?:\[\d{1,10}\])?: "
)
# What the machine lacks on which the program of such a line runs.
_OF_MACHINES: tuple[ProgramError, ...] = (
    "tool-missing",
    "kernel-part-missing",
    "library-missing",
    "instruction-unknown",
)
_GONE = regex(r"\(NotFound\)|\bin work queue no longer exists\b|\bno longer exists\\*\"? err")
_QUOTE = regex(r"^(?:\s{0,3}> ?){1,4}")
_BY = (
    regex(r"\"(?:logger|controller|component)\": ?\"(?P<by>[\w./-]{2,80})\""),
    regex(r"\b(?:logger|controller|component|controllerKind|source)=\"?(?P<by>[\w./-]{2,80})"),
    regex(r"(?:^|\s)(?P<by>[a-z][\w.@-]{1,60})\[\d{1,10}\]: "),
    regex(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9} [A-Z] \| (?P<by>[a-z][\w/]{1,40}): "),
)
# controller-runtime's and Karpenter's records hold the object by its kind.
_OF_RECORD = regex(
    r"\"(?P<kind>Pod|Service|Ingress|Deployment|StatefulSet|DaemonSet|Job|PersistentVolumeClaim)\": ?"
    r"\{(?=[^{}]{0,300}?\"name\": ?\"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\")"
    r"[^{}]{0,300}?\"namespace\": ?\"(?P<space>[a-z0-9-]{1,63})\""
)
# The same of any kind, and of the versions before 0.13, which name it apart from the object.
_OF_RECONCILER = regex(
    r"^(?=.*?\"(?:controllerKind|reconciler kind)\"(?:: ?|=)\"(?P<kind>[A-Z][A-Za-z]{1,60})\")"
    r"(?=.*?\"(?:controllerGroup|reconciler group)\"(?:: ?|=)\"(?P<group>[a-z0-9.-]{1,200})\")"
    r"(?=.*?\"name\"(?:: ?|=)\"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\")"
    r"(?:(?=.*?\"namespace\"(?:: ?|=)\"(?P<space>[a-z0-9-]{1,63})\"))?"
)
# A record about an object of the kind that its controller is named after.
_OF_CONTROLLER = regex(
    r"\"controller\": ?\"(?P<kind>[a-z]{3,60})\".{0,80}?"
    r"\"object\": ?\{\"name\": ?\"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\","
    r"\"namespace\": ?\"(?P<space>[a-z0-9-]{1,63})\"\}"
)
_ABOUT = regex(
    r"\b(?P<kind>service|ingress|persistentvolumeclaim|pvc|deployment|statefulset) "
    r"\"?(?P<space>[a-z0-9-]{1,63})/(?P<name>[a-z0-9][a-z0-9.-]{0,252})\b",
)


def read_error_line(
    line: str, *, said: bool = False, ended: bool = False, above_end: bool = False, within: bool = False
) -> ToldError | None:
    """Return the error that a line reports.

    said: the line is the message of a condition that is not True. ended: an error that nothing caught.
    above_end: below it a program only says that it ends. within: the line is part of a record about an error.
    """
    line = drop_request(line)
    if is_of_another_world(line):
        return None
    line = line[found.end() :] if (found := _QUOTE.match(line)) else line
    header = _KLOG.match(line)
    bare = line[header.end() :] if header else line
    untimed = _STAMP.sub("", _JOURNAL.sub("", bare, count=1), count=1)
    nested = (*find_nested_texts(bare),)
    # The fields of a record are sentences, the record itself is not.
    of_line = () if nested and bare.lstrip().startswith("{") else (bare,)
    whole = [_CONTROL.sub(" ", mask(text)) for text in (*nested, *of_line)]
    framed = [text for one in whole for text in find_framed_texts(one)]
    texts = (*whole, *framed, *((untimed,) if untimed != bare else ()))
    said_in, told = next(((text, read) for text in texts if (read := read_complaint(text))), ("", None))
    # The words before these may negate them.
    if told and said_in in framed and told.error in _NEEDS_ALL:
        return None
    # An object's absence was the question, or a queue's normal finding, and is no error.
    if told is None or (told.error == "object-missing" and _GONE.search(line)):
        return None
    # An errno alone may belong to any system call of the program.
    if told.error == "file-missing" and not (told.path or told.name):
        return None
    if told.error == "api-not-served" and _CLEANING.search(bare):
        return None
    severity = header["severity"] if header else ""
    fatal = ended or severity == "F" or bool(_FATAL.search(line) or _PANIC_OF_RUST.match(line))
    begins = any(_BEGINS.match(text) for text in (untimed, *((said_in,) if said_in in nested else ())))
    starts = fatal or (told.error == "library-missing" and (begins or _IMPORT.match(untimed) is not None))
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
    calm = is_calm(line)
    marked = (
        (said and told.error in _OF_CONDITIONS) or fatal or severity == "E" or begins or within or executed
    )
    marked = marked or (not calm and (above_end or _ERROR.search(untimed) is not None))
    if not (marked or own):
        return None
    by = next((found["by"] for form in _BY if (found := form.search(line))), "")
    if is_of_a_node(told, by):
        return None
    machine = _JOURNAL.match(line) if told.error in _OF_MACHINES else None
    return ToldError(
        told, by, _find_object_in(line) or (Ref("Node", None, machine["host"]) if machine else None), fatal
    )


def is_of_a_node(told: Complaint, by: str) -> bool:
    """Tell whether a file of the node itself is missing or refused, which no container holds."""
    return told.error in _OF_A_NODE and (by in _ON_NODES or told.path.startswith(_NODES_OWN))


def drop_request(line: str) -> str:
    """Return an error of nginx without the request that it quotes; any other line as it is.

    Source: nginx src/http/ngx_http_core_module.c (ngx_http_log_error_handler).
    """
    return _REQUEST.sub("", line) if _OF_NGINX.search(line) else line


def is_calm(line: str) -> bool:
    """Tell whether a line has a level below warning."""
    header = _KLOG.match(line)
    return (header is not None and header["severity"] == "I") or _CALM.search(line) is not None


def is_of_another_world(line: str) -> bool:
    """Tell whether a line belongs to an access log, to source code or to prose."""
    if _ACCESS.search(line):
        return True
    # An exception's message may quote its program's input, including templates; no person writes
    # klog's header.
    written = _EXCEPTION.match(line) or _KLOG.match(line) or _PANIC_OF_RUST.match(line)
    return not written and bool(_SOURCE.search(line) or _PROSE.search(line) or _quotes(line))


def _quotes(line: str) -> bool:
    """Tell whether words are quoted within a sentence, as in documentation; tools quote commands so, after
    their own error.
    """
    return (
        "`" in _OF_GNU.sub("", line)
        and not _LEVELED.search(line)
        and not _CODE.match(line)
        and (line.lstrip().startswith("`") or not _BEGINS.match(line))
    )


def _find_object_in(line: str) -> Ref | None:
    """Return the object that the line says it is about."""
    if of := _OF_RECONCILER.search(line):
        return Ref(ref_kind(of["group"], of["kind"]), of["space"], of["name"])
    found = _ABOUT.search(line) or _OF_RECORD.search(line) or _OF_CONTROLLER.search(line)
    kind = find_kind(found["kind"]) if found else None
    return Ref(kind.name, found["space"], found["name"]) if found and kind else None
