"""Finds the failing calls in a message.

A message is cut into segments, one for each call that it names (`failed to "KillContainer" …, failed to "KillPodSandbox" …`);
within a segment the innermost error decides. A call that only wraps another one says nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import islice

from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.wording import (
    agents,
    attaching,
    config,
    confinement,
    creation,
    daemons,
    errno,
    etcd,
    image,
    image_policy,
    kubelet,
    layers,
    leftovers,
    machine,
    machine_limits,
    mounting,
    mounts,
    oci,
    oci_paths,
    places,
    probes,
    registry,
    registry_access,
    resource_claims,
    rootfs,
    runtime,
    sandbox,
    starting,
    storage,
    volumes,
)
from unstuck.wording.clean import clean
from unstuck.wording.pattern import Call, Error, Nothing, Rank
from unstuck.wording.reasons import HOOKS, OPERATION_OF_REASON, SAYS_ITSELF, TELLS_ALONE

AREAS = (
    mounts,
    attaching,
    config,
    image,
    registry_access,
    image_policy,
    registry,
    layers,
    sandbox,
    oci,
    oci_paths,
    rootfs,
    runtime,
    probes,
    kubelet,
    resource_claims,
    machine,
    machine_limits,
    daemons,
    leftovers,
    storage,
    etcd,
    creation,
    mounting,
    volumes,
    places,
    starting,
    confinement,
    agents,
    errno,
)
CALLS: tuple[Call, ...] = tuple(c for area in AREAS for c in area.CALLS)
ERRORS: tuple[Error, ...] = tuple(e for area in AREAS for e in area.ERRORS)
PATTERNS: tuple[Call | Error, ...] = (*CALLS, *ERRORS)
# Literal → the patterns that need it, or another one, in every match; by their place above.
_NEEDING: dict[str, list[int]] = {}
for _place, _pattern in enumerate(PATTERNS):
    for _literal in _pattern.need:
        _NEEDING.setdefault(_literal, []).append(_place)
# Every readable message contains one of these, in lower case.
NEEDED: tuple[str, ...] = tuple(_NEEDING)

_KINDS = {
    "configmap": "ConfigMap",
    "secret": "Secret",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "pvc": "PersistentVolumeClaim",
    "serviceaccount": "ServiceAccount",
    "service account": "ServiceAccount",
    "quota": "ResourceQuota",
}
_MAX_SEGMENTS = 32
_MAX_QUOTE = 300
# Longer messages are not remembered.
_SHORT = 2000
# The kubelet waiting between two tries: it says nothing of how the last one ended.
_WAITS = re.compile(r"\s*(?:Error: )?back-?off ", re.IGNORECASE)
# How a hook's command ended, after the command itself. Source: pkg/kubelet/lifecycle/handlers.go.
_HOOKS_END = re.compile(r"\bexited with \d{1,3}\b")


@record()
class _PatternMatch(Record):
    """A matched Call or Error and where."""

    by: Call | Error
    groups: dict[str, str]
    start: int
    end: int


@record()
class _CallReading(Record):
    """One failed call: the operation, the objects named by its calls, the deciding error (None: the calls' own), and its quote."""

    operation: Operation
    groups: dict[str, str]
    error: _PatternMatch | None
    quote: str
    bare: ErrorWord = "other"

    @property
    def word(self) -> ErrorWord | Nothing:
        return self.error.by.error if self.error and isinstance(self.error.by, Error) else self.bare

    @property
    def kind(self) -> str:
        return self.error.by.kind if self.error and isinstance(self.error.by, Error) else ""


def find_failures(  # noqa: PLR0913 - what is known of a message, each by its name
    text: str,
    *,
    about: Ref,
    src: Source,
    reporter: str = "",
    count: int = 1,
    first: datetime | None = None,
    reason: str = "",
    held: Collection[str] | None = None,
) -> list[Failure]:
    """Return every failed call in a message, in the message's order; [] if it holds no known words.

    text: an event's message, a condition's or a container status' message, a log line with its continuation lines;
        read up to 16 KiB. about: the message's subject. reporter: the component that wrote it.
    reason: the event's reason or the container's waiting reason; it implies the operation if the message does not.
    held: the words of NEEDED in `clean(text).lower()`, from a caller that searches for many at once; None: searched here.
    Never raises.
    """
    out: dict[tuple[object, ...], Failure] = {}
    cleaned = clean(text)
    reason_operation = OPERATION_OF_REASON.get(reason)
    readings = [
        *(
            _read_chains(cleaned, reason_operation, held)
            if held is not None or len(cleaned) > _SHORT
            else _read_cached(cleaned, reason_operation)
        )
    ]
    if not readings and reason in SAYS_ITSELF and " " in cleaned.strip() and not _WAITS.match(cleaned):
        readings = [_CallReading(OPERATION_OF_REASON[reason], {}, None, cleaned)]
    if not readings and reason in TELLS_ALONE:
        readings = [_CallReading(OPERATION_OF_REASON[reason], {}, None, cleaned, "failed")]
    for reading in readings:
        if not reading.word:
            continue
        groups = {**reading.groups, **(reading.error.groups if reading.error else {})}
        image_name = groups.get("image")
        failure = Failure(
            about=about,
            src=src,
            whole=False,
            operation=reading.operation,
            error=reading.word,
            path=_clean_path(groups.get("path")),
            object=_make_object_ref(groups, reading.kind, about),
            key=groups.get("key"),
            host=groups.get("host") or (image.parse_registry(image_name) if image_name else None),
            container=groups.get("container"),
            volume=groups.get("volume"),
            message=_quote_deciding_words(reading),
            reporter=reporter,
            count=count,
            first=first,
        )
        # `Operation for … failed` and its `err=` part say the same thing twice in one line.
        out.setdefault(
            (failure.operation, failure.error, failure.path, failure.object, failure.key, failure.container),
            failure,
        )
    return list(out.values())


def _quote_deciding_words(reading: _CallReading) -> str:
    """Return the deciding words; without any, the end of the message, which is the innermost error."""
    quote = " ".join(reading.quote.split())
    if reading.error is None and len(quote) > _MAX_QUOTE:
        return f"…{quote[1 - _MAX_QUOTE :]}"
    return quote[:_MAX_QUOTE]


def _read_chains(
    text: str, reason_operation: Operation | None, held: Collection[str] | None = None
) -> Iterator[_CallReading]:
    """Yield a reading of each chain of calls. reason_operation: by the Event's reason. held: literals in the text, where known."""
    if held is None:
        low = text.lower()
        held = [literal for literal in NEEDED if literal in low]
    places = sorted({place for literal in held for place in _NEEDING[literal]})
    if not places:
        return
    matches = [f for i in places for f in _find(PATTERNS[i], text)]
    calls = _sort_outermost_first([f for f in matches if isinstance(f.by, Call)])[:_MAX_SEGMENTS]
    errors = [f for f in matches if isinstance(f.by, Error)]
    if not calls:
        for error in _find_deciding(errors, reason_operation):
            # `_find_deciding` yields only errors whose operation is known from the reason or the error.
            if operation := reason_operation or error.by.operation:
                yield _CallReading(
                    _find_operation(error, operation), {}, error, text[error.start : error.end]
                )
        return
    chain: list[_PatternMatch] = []
    for i, call in enumerate(calls):
        until = calls[i + 1].start if i + 1 < len(calls) else len(text) + 1
        chain.append(call)
        call_meant, groups = _merge_calls(chain)
        deciding = list(
            _find_deciding([e for e in errors if call.start <= e.start < until], call_meant.operation)
        )
        for error in deciding:
            operation = _choose_operation(_find_operation(error, call_meant.operation), reason_operation)
            yield _CallReading(
                operation,
                groups,
                error,
                _quote_answer(text, chain[-1], until) or text[error.start : error.end],
            )
        if deciding:
            chain = []
    if chain:
        call_meant, groups = _merge_calls(chain)
        if call_meant.bare is not None:
            operation = _choose_operation(call_meant.operation, reason_operation)
            yield _CallReading(
                operation,
                groups,
                None,
                _quote_answer(text, chain[-1], len(text)) or text[chain[0].start :],
                call_meant.bare,
            )


@lru_cache(maxsize=256)
def _read_cached(text: str, reason_operation: Operation | None) -> tuple[_CallReading, ...]:
    """Read as `_read_chains` does, once. A message about many Pods has the same words for each."""
    return tuple(_read_chains(text, reason_operation))


def _quote_answer(text: str, call: _PatternMatch, until: int) -> str:
    """Return the whole answer to a probe or a hook: a program's own words are not cut at a known one. "" for other calls."""
    if not isinstance(call.by, Call):
        return ""
    if call.by.operation in HOOKS and (end := _HOOKS_END.search(text, call.end, until)):
        return text[end.start() : until].strip()
    probe = call.by.operation.startswith("probe-") and call.by.bare == "failed"
    return text[call.end : until].strip() if probe else ""


def _merge_calls(chain: list[_PatternMatch]) -> tuple[Call, dict[str, str]]:
    """Return the call that a chain, outermost first, comes down to, and the groups of the chain."""
    merged, groups = chain[0].by, chain[0].groups
    for inner in chain[1:]:
        weak = isinstance(inner.by, Call) and inner.by.weak
        groups = {**inner.groups, **groups} if weak else {**groups, **inner.groups}
        merged = merged if weak else inner.by
    assert isinstance(merged, Call)  # noqa: S101 - narrows the type only
    return merged, groups


def _choose_operation(operation: Operation, reason_operation: Operation | None) -> Operation:
    """Return a Call's operation; for hooks, which share their words, the reason's operation."""
    return reason_operation if reason_operation in HOOKS and operation in HOOKS else operation


def _find_operation(error: _PatternMatch, default: Operation) -> Operation:
    """Return the operation: an error that takes over brings its own."""
    return (
        error.by.operation
        if isinstance(error.by, Error) and error.by.takes_over and error.by.operation
        else default
    )


def _find(pattern: Call | Error, text: str) -> list[_PatternMatch]:
    return [
        _PatternMatch(pattern, _collect_groups(m), m.start(), m.end())
        for m in islice(pattern.regex.finditer(text), _MAX_SEGMENTS)
    ]


def _collect_groups(match: re.Match[str]) -> dict[str, str]:
    """Map each group to its text; of `container` and `container_2` the first that took part."""
    out: dict[str, str] = {}
    for group, value in match.groupdict().items():
        if value:
            out.setdefault(group.partition("_")[0], _strip_closing(value))
    return out


def _strip_closing(name: str) -> str:
    """Return a name without a closing quote or mark whose opening half is before the message."""
    while name and ((name[-1] in "\"'`" and name.count(name[-1]) % 2) or name.endswith(("`.", "**"))):
        name = name.removesuffix("**").removesuffix("`.") if name.endswith(("`.", "**")) else name[:-1]
    return name


def _sort_outermost_first(calls: list[_PatternMatch]) -> list[_PatternMatch]:
    """Sort by place; of two that begin within one another's words, the longer (more particular) one comes first."""
    out: list[_PatternMatch] = []
    for call in sorted(calls, key=lambda c: (c.start, -c.end)):
        if not out or call.start >= out[-1].end:
            out.append(call)
        elif call.end > out[-1].end:
            out[-1] = call
    return out


def _find_deciding(errors: list[_PatternMatch], operation: Operation | None) -> Iterator[_PatternMatch]:
    """Yield the errors of the highest rank: all that name an object (an aggregate lists several), else the last.

    An error after a named object (the reason why a webhook could not be called) belongs to it, and is no separate failure.
    """
    candidates = [
        e
        for e in errors
        if isinstance(e.by, Error) and (not e.by.within or (operation or e.by.operation) in e.by.within)
    ]
    candidates = [e for e in candidates if isinstance(e.by, Error) and (operation or e.by.operation)]
    if not candidates:
        return
    top = max(_rank(e) for e in candidates)
    best = sorted((e for e in candidates if _rank(e) == top), key=lambda e: (e.start, e.end))
    named = [e for e in best if "name" in e.groups]
    if top == Rank.NAMED and named:
        yield from named
    else:
        yield best[-1]


def _rank(match: _PatternMatch) -> Rank:
    return match.by.rank if isinstance(match.by, Error) else Rank.WAITER


def _clean_path(path: str | None) -> str | None:
    return path.rstrip(":,\"'") if path else None


def _make_object_ref(groups: dict[str, str], kind: str, about: Ref) -> Ref | None:
    """Return the thing that the message names: an object of the subject's Namespace unless it names another one, or an image.

    kind: of cluster-scoped things that the pattern itself knows.
    """
    name, kind_word = groups.get("name"), groups.get("kind", "")
    if name and kind_word:
        return Ref(
            _KINDS.get(kind_word.lower().removesuffix("s"), kind_word),
            groups.get("ns") or _find_namespace(about),
            name,
        )
    if name and kind:
        return Ref(kind, None, name)
    return Ref("Image", None, groups["image"]) if "image" in groups else None


def _find_namespace(about: Ref) -> str | None:
    if about.kind == "Container":
        return about.within.partition("/")[0] if about.within else None
    return about.within if about.kind != "Node" else None
