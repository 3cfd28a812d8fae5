"""A node's logs: kubelet (klog text and JSON), dockerd and containerd (logfmt), from a file or through
journalctl.

Each record is about the Pod that it names; a record without one is about its Node, if the host is known,
unless the next records name its Pod. Repetitions are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.message import OF_THE_MACHINE
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.sentences import read_refusals, read_sentences
from unstuck.collect.text.logs import certificates, goroutines
from unstuck.collect.text.logs.calls import Calls
from unstuck.collect.text.logs.component_logs import ComponentWords
from unstuck.collect.text.logs.last_words import parse_last_words
from unstuck.collect.text.logs.words import CALM_WORDS, find_words
from unstuck.collect.text.node.dmesg import read_kernel_lines
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.refusals import ForbiddenRequests, Refusal, Refusals
from unstuck.facts.core import Fact, Ref, shorten_around
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.wording.klog import KlogRecord, find_least_verbosity, is_header, read_records, split_stamp
from unstuck.wording.match import find_failures
from unstuck.wording.names import find_pod
from unstuck.wording.namespace import infer_condition
from unstuck.wording.refused import parse_refusals

if TYPE_CHECKING:
    from unstuck.collect.node.kernel import KernelLine

CONTINUES = (
    "Unmounting arguments:",
    "Output:",
    "Mounting command:",
    "Mounting arguments:",
    "(exit",
    "\t",
    "  ",
    ">",
    " >",
    "goroutine ",
)
_NAMESPACE = regex(r"deletion of namespace \"?(?P<name>[a-z0-9-]{1,63})\"? failed: (?P<why>\S.*)", re.S)
_PULLS: tuple[Operation, ...] = ("image-pull", "sandbox-image-pull")
# The kubelet's failure if a container's ConfigMap or Secret is missing.
_NOT_MADE: tuple[Operation, ErrorWord] = ("container-create", "not-found")
_OF_A_SANDBOX: tuple[Operation, ...] = ("sandbox-stop", "network-tear-down")
_FailuresByMessage = dict[tuple[str, str | None, str], list[Failure]]
_FailuresByKey = dict[tuple[object, ...], Failure]

# Each try makes its own container id or payload directory: the same failure all the same.
_CHANGING = regex(r"[0-9a-f]{32,}|\.\.\d{4}_[\d_.]+")
_LET_GO = regex(
    r'removing tracking finalizer: (?:pods|Pod) \\?"([a-z0-9.-]{1,253})\\?" is (?:forbidden|invalid): ', re.I
)
# klog.KObj and klog.KRef of a Node.
_NODE_FIELD = regex(r"[\"\])\d] node=\"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)\"")
_MOST_CONTINUED = 64
_LONGEST_STACK = 64
_MOST_REMEMBERED = 4096


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from a record's header to the last record and its
    continuation.
    """
    if not is_header(lines[i]):
        return None
    end, open_ = i + 1, i
    for n in range(i + 1, len(lines)):
        line = lines[n]
        if is_header(line):
            end, open_ = n + 1, n
        elif goroutines.is_waiting(line):
            break
        elif split_stamp(line)[0].startswith(CONTINUES) and n - open_ <= _MOST_CONTINUED:
            end = n + 1
        elif line.strip():
            break
    return end


def read(piece: Piece) -> Reading:
    """Return folded Failures, and for each component and host which stretch of its log was seen."""
    found: _FailuresByKey = {}
    known: _FailuresByMessage = {}
    seen: dict[tuple[str, Ref], LogSeen] = {}
    refused: dict[tuple[object, ...], Refusals] = {}
    namespaces: dict[tuple[object, ...], Fact] = {}
    kernel: dict[Ref, list[tuple[int, KernelLine]]] = {}
    worst: dict[tuple[str, Ref], KlogRecord] = {}
    sentences: dict[tuple[object, ...], Fact] = {}
    calls, told = Calls(), ComponentWords(piece)
    end: list[Failure] = []
    for record in _join_stacks(read_records(piece.lines, piece.context.now)):
        for one in _parse_refusals(record, piece):
            refused[one.about, one.items[0].by] = one
        for fact in (*_parse_namespaces(record, piece), *_parse_certificates(record, piece)):
            namespaces[fact.about, type(fact).__name__] = fact
        node = Ref("Node", None, record.host) if record.host else piece.node
        if record.program == "kernel":
            kernel.setdefault(node or piece.block("Node"), []).append(
                (record.index, _parse_kernel_line(record, piece))
            )
        for fact in _parse_sentences(record, node, piece):
            sentences[fact.about, type(fact).__name__, _gist_of(fact)] = fact
        hits = [] if told.take(record) else _find_failures(record, node, piece, known)
        # A program that writes more has not ended, or is another run.
        end = [] if hits else parse_last_words(record, piece)
        _fold(found, calls.add(record, hits))
        if node is not None:
            component = _component_of(record)
            matched = len(hits) * _count_times(record, piece)
            seen[component, node] = _extend_seen(
                seen.get((component, node)), record, component, node, matched, piece
            )
            if not hits and piece.context.short:
                worst[component, node] = max(worst.get((component, node), record), record, key=_gravity_of)
    _fold(found, (*calls.flush(), *end))
    said = [fact for node, lines in kernel.items() for fact in read_kernel_lines(lines, piece, node)]
    failed = _attribute_pulls(found.values(), piece)
    logs = [replace(log, worst=_quote(worst[key])) if key in worst else log for key, log in seen.items()]
    return Reading(
        [
            *failed,
            *map(_sort_times, logs),
            *refused.values(),
            *namespaces.values(),
            *sentences.values(),
            *told.facts(),
            *said,
        ]
    )


def _gist_of(sentence: Fact) -> object:
    """Return the key that distinguishes sentences about the same object; a log repeats itself."""
    if isinstance(sentence, Events):
        return sentence.items[0].reason
    if isinstance(sentence, Refusals):
        return sentence.items[0].passed
    return sentence.items if isinstance(sentence, ForbiddenRequests) else ""


def _join_stacks(log: Iterable[KlogRecord]) -> Iterator[KlogRecord]:
    """Yield the records, with a panic's goroutine joined to it: a journal makes a record of each line that
    a program writes.
    """
    fell: KlogRecord | None = None
    for record in log:
        if fell is not None:
            if _is_of_stack(record, fell):
                fell = replace(
                    fell, message=f"{fell.message}\n{record.message}", count=fell.count + record.count
                )
                continue
            yield fell
            fell = None
        if record.program and goroutines.panics(record.message):
            fell = record
        else:
            yield record
    if fell is not None:
        yield fell


def _is_of_stack(record: KlogRecord, fell: KlogRecord) -> bool:
    same = (record.program, record.host, record.severity) == (fell.program, fell.host, "")
    return same and fell.count < _LONGEST_STACK and goroutines.goes_on(record.message)


def _fold(found: _FailuresByKey, hits: Iterable[Failure]) -> None:
    """Merge failures into those found before."""
    for f in hits:
        key = (f.about, f.operation, f.error, _CHANGING.sub("*", f.path or ""), f.object, f.key, f.container)
        before = found.get(key)
        found[key] = f if before is None else _merge_failures(before, f)


def _attribute_pulls(found: Iterable[Failure], piece: Piece) -> Iterator[Fact]:
    """Attribute pulls without a Pod (by hand, in a cut log) to an unnamed Pod if the whole text is from one
    node: images are pulled for Pods.
    """
    found = [*found]
    machines = {f.about for f in found if f.about.kind == "Node"}
    if len(machines) != 1 or any(f.about.kind == "Pod" for f in found):
        yield from found
        return
    pulls = [f for f in found if f.operation in _PULLS and f.error != "runtime-gone"]
    pod, node = piece.block("Pod"), machines.pop()
    if pulls and node.name:
        yield Placement(about=pod, src=pulls[-1].src, node=node, whole=False)
    for f in found:
        yield replace(f, about=pod) if f in pulls else f


def _parse_kernel_line(record: KlogRecord, piece: Piece) -> KernelLine:
    from unstuck.collect.node.kernel import KernelLine, parse_lines  # the node's readers bring much with them
    from unstuck.collect.node.logs import LogClock  # as above

    line = next(parse_lines(record.message, None, LogClock(piece.context.now, UTC)), None)
    return KernelLine(line.text if line else record.message, record.at)


def _parse_refusals(record: KlogRecord, piece: Piece) -> Iterator[Refusals]:
    """Yield the refusals of removing a Job's finalizer from its Pod; the line names the Pod without its
    Namespace.

    Source: removeTrackingFinalizerFromPods in pkg/controller/job/job_controller.go (1.27 on).
    """
    named = (
        _LET_GO.search(record.message)
        if record.file == "job_controller.go" and record.severity != "I"
        else None
    )
    if named is None:
        return
    src = piece.src(record.index, record.message.strip(), record.at)
    for error, kind, by, why in parse_refusals(record.message):
        item = Refusal(error, Ref(kind, None, by) if kind else None, None, why[:300], record.at)
        yield Refusals(about=Ref("Pod", None, named[1]), src=src, items=(item,), whole=False)


def _parse_namespaces(record: KlogRecord, piece: Piece) -> Iterator[Fact]:
    """Yield a failed deletion of a Namespace's content: its controller writes the same into the Namespace's
    conditions.

    Source: syncNamespaceFromKey in pkg/controller/namespace/namespace_controller.go (1.9 on).
    """
    found = _NAMESPACE.search(record.message) if record.file == "namespace_controller.go" else None
    if found:
        about = Ref("Namespace", None, found["name"])
        src = piece.src(record.index, record.message.strip(), record.at)
        type_, reason = infer_condition(found["why"])
        failed = Condition(type_, "True", reason, found["why"][:1000], record.at)
        yield Deletion(about=about, src=src, requested=True, whole=False)
        yield Conditions(about=about, src=src, items=(failed,), whole=False)


def _parse_sentences(record: KlogRecord, node: Ref | None, piece: Piece) -> Iterator[Fact]:
    """Yield the facts in sentences that need no frame; not for a long log, where each pass over all records
    is expensive.
    """
    if piece.context.short and record.program != "kernel" and record.file != "namespace_controller.go":
        src = piece.src(record.index, record.message.strip(), record.at)
        told = [*read_sentences(record.message, piece, src, node)]
        yield from told
        if not told and not _find_failures(record, node, piece, {}):
            yield from read_refusals(record.message, src)


def _parse_certificates(record: KlogRecord, piece: Piece) -> Iterator[Fact]:
    node = Ref("Node", None, record.host) if record.host else piece.node or piece.block("Node")
    if told := certificates.parse_expired_certificate(
        record.message, node, piece.src(record.index, record.message.strip(), record.at)
    ):
        yield told


def _find_failures(
    record: KlogRecord, node: Ref | None, piece: Piece, known: _FailuresByMessage
) -> list[Failure]:
    """Return the failures of a record. known: the failures of messages already read; logs repeat messages
    verbatim.
    """
    if not _is_worth_reading(record):
        return []
    words = (record.message, record.host, record.program)
    before = known.get(words)
    if before is None:
        before = list(_parse_failures(record, node, piece))
        if len(known) < _MOST_REMEMBERED:
            known[words] = before
    if not before:
        return []
    said, count = record.message.strip(), _count_times(record, piece)
    sources = [piece.src(record.index, shorten_around(said, f.message), record.at) for f in before]
    return [
        replace(f, src=src, first=record.at, count=count, pid=record.pid)
        for f, src in zip(before, sources, strict=True)
    ]


def _count_times(record: KlogRecord, piece: Piece) -> int:
    """Return how often a record was logged, where a large log holds it once."""
    return piece.context.origin.times.get(piece.start + record.index, 1)


def _gravity_of(record: KlogRecord) -> tuple[int, int]:
    """Return a sort key: more severe records come later, and among equals the later one."""
    return "IWEF".find(record.severity), record.index


def _quote(record: KlogRecord) -> str:
    return mask(record.message.strip())[:300]


def _is_worth_reading(record: KlogRecord) -> bool:
    """Tell whether a record is an error or a warning, or may report one at another level."""
    return record.severity != "I" or any(word in record.message for word in CALM_WORDS)


def _parse_failures(record: KlogRecord, node: Ref | None, piece: Piece) -> Iterator[Failure]:
    # A Pod unknown to its kubelet no longer exists: its leftovers belong to the node.
    named = None if "rphaned pod" in record.message else find_pod(record.message)
    machine = node or _find_named_node(record) or piece.block("Node")
    about = named or machine
    src = piece.src(record.index, record.message.strip(), record.at)
    nameless = piece.block("Pod") if named is None and node is None else about
    for f in find_failures(
        record.message,
        about=about,
        src=src,
        reporter=_component_of(record),
        first=record.at,
        held=find_words(record.message),
    ):
        # klog's header shows the process id 1: a program in a container, which is not a kubelet.
        if record.pid == 1 and record.file and named is None and (f.operation, f.error) == _NOT_MADE:
            continue
        if f.operation in OF_THE_MACHINE:
            yield replace(f, about=machine)
        else:
            # A runtime's or crictl's message about a sandbox's end is about its Pod, named or not; so is a
            # mount that its library reports.
            of_pod = f.operation in _OF_A_SANDBOX or (
                f.operation == "volume-set-up" and record.file == "mount_linux.go"
            )
            yield replace(f, about=nameless) if of_pod else f


def _find_named_node(record: KlogRecord) -> Ref | None:
    """Return the Node in klog's fields after the message, of a controller's record or a kubelet's own."""
    found = _NODE_FIELD.search(record.message) if ' node="' in record.message else None
    return Ref("Node", None, found["name"]) if found else None


def _component_of(record: KlogRecord) -> str:
    if record.program:
        return record.program
    return "kubelet" if record.file else "runtime"


def _merge_failures(a: Failure, b: Failure) -> Failure:
    """Return one Failure of two: the later one's words, both counts, the earlier beginning."""
    late, early = (b, a) if _time_of(b) >= _time_of(a) else (a, b)
    firsts = [t for t in (a.first, b.first) if t]
    return replace(late, count=a.count + b.count, first=min(firsts) if firsts else early.first)


def _time_of(f: Failure) -> float:
    return f.src.at.timestamp() if f.src.at else 0.0


def _extend_seen(
    before: LogSeen | None, record: KlogRecord, component: str, node: Ref, hits: int, piece: Piece
) -> LogSeen:
    told = find_least_verbosity(record)
    if before is None:
        return LogSeen(
            about=node,
            src=piece.src(record.index, ""),
            component=component,
            path=piece.context.name,
            since=record.at,
            until=record.at,
            verbosity=told,
            matched=hits,
            pid=record.pid,
            whole=False,
        )
    # From its first record to its last one, in either order; where a clock jumped back, other stamps lie
    # beyond.
    return replace(
        before,
        until=record.at,
        pid=record.pid,
        verbosity=max((v for v in (before.verbosity, told) if v is not None), default=None),
        matched=before.matched + hits,
    )


def _sort_times(seen: LogSeen) -> LogSeen:
    """Put the times of a log in order: the output of `journalctl -r` begins with its end."""
    if seen.since and seen.until and seen.until < seen.since:
        return replace(seen, since=seen.until, until=seen.since, pid=None)
    return seen
