"""A message → the failing calls that it tells of.

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
    mounting,
    mounts,
    oci,
    oci_paths,
    places,
    probes,
    registry,
    rootfs,
    runtime,
    sandbox,
    starting,
    storage,
)
from unstuck.wording.clean import clean
from unstuck.wording.pattern import Call, Error, Nothing, Rank
from unstuck.wording.reasons import HOOKS, OPERATION_OF_REASON, SAYS_ITSELF, TELLS_ALONE

AREAS = (
    mounts,
    attaching,
    config,
    image,
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
    machine,
    daemons,
    leftovers,
    storage,
    etcd,
    creation,
    mounting,
    places,
    starting,
    agents,
    errno,
)
CALLS: tuple[Call, ...] = tuple(c for area in AREAS for c in area.CALLS)
ERRORS: tuple[Error, ...] = tuple(e for area in AREAS for e in area.ERRORS)
PATTERNS: tuple[Call | Error, ...] = (*CALLS, *ERRORS)
# Literal → the patterns of which every match contains one of several, by their place above.
_NEEDING: dict[str, list[int]] = {}
for _place, _pattern in enumerate(PATTERNS):
    for _literal in _pattern.need:
        _NEEDING.setdefault(_literal, []).append(_place)
# Of which every message that is read holds one, in lower case.
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
class _Found(Record):
    """A matched Call or Error and where."""

    by: Call | Error
    groups: dict[str, str]
    start: int
    end: int


@record()
class _ToldOnce(Record):
    """One failing call: what was tried, what its calls name, the deciding error (None: the calls' own word), and the words for it."""

    operation: Operation
    groups: dict[str, str]
    error: _Found | None
    quote: str
    bare: ErrorWord = "other"

    @property
    def word(self) -> ErrorWord | Nothing:
        return self.error.by.error if self.error and isinstance(self.error.by, Error) else self.bare

    @property
    def kind(self) -> str:
        return self.error.by.kind if self.error and isinstance(self.error.by, Error) else ""


def failures(  # noqa: PLR0913 - what is known of a message, each by its name
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
    """Return every failing call that a message tells of, in the message's order; [] where it tells of none that is known.

    text: an event's message, a condition's or a container status' message, a log line with its continuation lines;
        read up to 16 KiB. about: whom the message is about. reporter: the component whose words these are.
    reason: the event's reason or the container's waiting reason; it tells the operation where the message does not.
    held: those of NEEDED that `clean(text)` holds in lower case, for who looks for all of them at once; None: they are looked for here.
    Never raises, whatever the text.
    """
    out: dict[tuple[object, ...], Failure] = {}
    read = clean(text)
    said = OPERATION_OF_REASON.get(reason)
    found = [*(_read(read, said, held) if held is not None or len(read) > _SHORT else _read_again(read, said))]
    if not found and reason in SAYS_ITSELF and " " in read.strip() and not _WAITS.match(read):
        found = [_ToldOnce(OPERATION_OF_REASON[reason], {}, None, read)]
    if not found and reason in TELLS_ALONE:
        found = [_ToldOnce(OPERATION_OF_REASON[reason], {}, None, read, "failed")]
    for told in found:
        if not told.word:
            continue
        groups = {**told.groups, **(told.error.groups if told.error else {})}
        image_name = groups.get("image")
        failure = Failure(
            about=about,
            src=src,
            whole=False,
            operation=told.operation,
            error=told.word,
            path=_path(groups.get("path")),
            object=_object(groups, told.kind, about),
            key=groups.get("key"),
            host=groups.get("host") or (image.registry_of(image_name) if image_name else None),
            container=groups.get("container"),
            volume=groups.get("volume"),
            message=_deciding_words(told),
            reporter=reporter,
            count=count,
            first=first,
        )
        # `Operation for … failed` and its `err=` part say the same thing twice in one line.
        out.setdefault((failure.operation, failure.error, failure.path, failure.object, failure.key, failure.container), failure)
    return list(out.values())


def _deciding_words(told: _ToldOnce) -> str:
    """Return the words that decide; of a message in which none does the end, where the innermost error stands."""
    quote = " ".join(told.quote.split())
    if told.error is None and len(quote) > _MAX_QUOTE:
        return f"…{quote[1 - _MAX_QUOTE :]}"
    return quote[:_MAX_QUOTE]


def _read(text: str, said: Operation | None, held: Collection[str] | None = None) -> Iterator[_ToldOnce]:
    """Yield what each chain of calls tells. said: the operation that the reason tells. held: the literals that it holds, where that is
    known.
    """
    if held is None:
        low = text.lower()
        held = [literal for literal in NEEDED if literal in low]
    tried = sorted({place for literal in held for place in _NEEDING[literal]})
    if not tried:
        return
    found = [f for i in tried for f in _find(PATTERNS[i], text)]
    calls = _outermost_first([f for f in found if isinstance(f.by, Call)])[:_MAX_SEGMENTS]
    errors = [f for f in found if isinstance(f.by, Error)]
    if not calls:
        for error in _deciding(errors, said):
            # `_deciding` gives only errors of which one of both tells the operation.
            if meant_by := said or error.by.operation:
                yield _ToldOnce(_operation(error, meant_by), {}, error, text[error.start : error.end])
        return
    chain: list[_Found] = []
    for i, call in enumerate(calls):
        until = calls[i + 1].start if i + 1 < len(calls) else len(text) + 1
        chain.append(call)
        meant, groups = _meaning(chain)
        deciding = list(_deciding([e for e in errors if call.start <= e.start < until], meant.operation))
        for error in deciding:
            operation = _of_reason(_operation(error, meant.operation), said)
            yield _ToldOnce(operation, groups, error, _answer(text, chain[-1], until) or text[error.start : error.end])
        if deciding:
            chain = []
    if chain:
        meant, groups = _meaning(chain)
        if meant.bare is not None:
            operation = _of_reason(meant.operation, said)
            yield _ToldOnce(operation, groups, None, _answer(text, chain[-1], len(text)) or text[chain[0].start :], meant.bare)


@lru_cache(maxsize=256)
def _read_again(text: str, said: Operation | None) -> tuple[_ToldOnce, ...]:
    """Read as `_read` does. A message that holds up many Pods is told of each in the same words."""
    return tuple(_read(text, said))


def _answer(text: str, call: _Found, until: int) -> str:
    """Return all that a probe or a hook was answered with: a program's own words are not cut where one of them is known. "" for other
    calls.
    """
    if not isinstance(call.by, Call):
        return ""
    if call.by.operation in HOOKS and (ended := _HOOKS_END.search(text, call.end, until)):
        return text[ended.start() : until].strip()
    probe = call.by.operation.startswith("probe-") and call.by.bare == "failed"
    return text[call.end : until].strip() if probe else ""


def _meaning(chain: list[_Found]) -> tuple[Call, dict[str, str]]:
    """Return the call that a chain of calls, outermost first, comes down to, and what the chain names."""
    meant, groups = chain[0].by, chain[0].groups
    for inner in chain[1:]:
        weak = isinstance(inner.by, Call) and inner.by.weak
        groups = {**inner.groups, **groups} if weak else {**groups, **inner.groups}
        meant = meant if weak else inner.by
    assert isinstance(meant, Call)  # noqa: S101 - narrows the type only
    return meant, groups


def _of_reason(operation: Operation, said: Operation | None) -> Operation:
    """Return what a Call tries: of a hook, whose words are the same for both, the one that the reason tells."""
    return said if said in HOOKS and operation in HOOKS else operation


def _operation(error: _Found, told: Operation) -> Operation:
    """Return what was tried: an error that takes over says it itself."""
    return error.by.operation if isinstance(error.by, Error) and error.by.takes_over and error.by.operation else told


def _find(pattern: Call | Error, text: str) -> list[_Found]:
    return [_Found(pattern, _groups(m), m.start(), m.end()) for m in islice(pattern.regex.finditer(text), _MAX_SEGMENTS)]


def _groups(found: re.Match[str]) -> dict[str, str]:
    """Group → text; of `container` and `container_2` the first that took part."""
    out: dict[str, str] = {}
    for group, value in found.groupdict().items():
        if value:
            out.setdefault(group.partition("_")[0], _without_closing(value))
    return out


def _without_closing(name: str) -> str:
    """Return a name without the sign that closes what its message stands in: a quote or a mark whose other half is before the message."""
    while name and ((name[-1] in "\"'`" and name.count(name[-1]) % 2) or name.endswith(("`.", "**"))):
        name = name.removesuffix("**").removesuffix("`.") if name.endswith(("`.", "**")) else name[:-1]
    return name


def _outermost_first(calls: list[_Found]) -> list[_Found]:
    """Sort by place; of two that begin within one another's words, the longer (more particular) one comes first."""
    out: list[_Found] = []
    for call in sorted(calls, key=lambda c: (c.start, -c.end)):
        if not out or call.start >= out[-1].end:
            out.append(call)
        elif call.end > out[-1].end:
            out[-1] = call
    return out


def _deciding(errors: list[_Found], operation: Operation | None) -> Iterator[_Found]:
    """Yield the errors of the highest rank: each one that names an object (an aggregate lists several), else the last.

    What is said after an object that is named (why a webhook could not be called) is about it, and not another failure.
    """
    fit = [e for e in errors if isinstance(e.by, Error) and (not e.by.within or (operation or e.by.operation) in e.by.within)]
    fit = [e for e in fit if isinstance(e.by, Error) and (operation or e.by.operation)]
    if not fit:
        return
    top = max(_rank(e) for e in fit)
    best = sorted((e for e in fit if _rank(e) == top), key=lambda e: (e.start, e.end))
    named = [e for e in best if "name" in e.groups]
    if top == Rank.NAMED and named:
        yield from named
    else:
        yield best[-1]


def _rank(found: _Found) -> Rank:
    return found.by.rank if isinstance(found.by, Error) else Rank.WAITER


def _path(path: str | None) -> str | None:
    return path.rstrip(":,\"'") if path else None


def _object(groups: dict[str, str], kind: str, about: Ref) -> Ref | None:
    """Return what the message names: an object of the subject's Namespace unless it names another one, or an image.

    kind: of cluster-scoped things that the pattern itself knows.
    """
    name, said = groups.get("name"), groups.get("kind", "")
    if name and said:
        return Ref(_KINDS.get(said.lower().removesuffix("s"), said), groups.get("ns") or _namespace(about), name)
    if name and kind:
        return Ref(kind, None, name)
    return Ref("Image", None, groups["image"]) if "image" in groups else None


def _namespace(about: Ref) -> str | None:
    if about.kind == "Container":
        return about.within.partition("/")[0] if about.within else None
    return about.within if about.kind != "Node" else None
