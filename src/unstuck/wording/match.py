"""A message → the failing calls that it tells of.

A message is cut into segments, one for each call that it names (`failed to "KillContainer" …, failed to "KillPodSandbox" …`);
within a segment the innermost error decides. A call that only wraps another one says nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.wording import config, errno, etcd, image, kubelet, left, mounts, oci, probes, rootfs, runtime, sandbox, storage
from unstuck.wording.clean import clean
from unstuck.wording.pattern import Call, Error, Rank, Words
from unstuck.wording.reasons import OPERATION_OF_REASON

AREAS = (mounts, config, image, sandbox, oci, rootfs, runtime, probes, kubelet, left, storage, etcd, errno)
CALLS: tuple[Call, ...] = tuple(c for area in AREAS for c in area.CALLS)
ERRORS: tuple[Error, ...] = tuple(e for area in AREAS for e in area.ERRORS)
PATTERNS: tuple[Call | Error, ...] = (*CALLS, *ERRORS)
_LITERALS: tuple[str, ...] = tuple(sorted({n for p in PATTERNS for n in p.need}))

_KINDS = {
    "configmap": "ConfigMap",
    "secret": "Secret",
    "persistentvolumeclaim": "PersistentVolumeClaim",
    "serviceaccount": "ServiceAccount",
}
_MAX_SEGMENTS = 32
_MAX_QUOTE = 300


@dataclass(frozen=True, slots=True)
class _Found:
    """A matched Call or Error and where."""

    by: Call | Error
    groups: dict[str, str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Told:
    """One failing call: what was tried, what its calls name, the deciding error (None: the calls' own word), and the words for it."""

    operation: str
    groups: dict[str, str]
    error: _Found | None
    quote: str
    bare: str = "other"

    @property
    def word(self) -> str:
        return self.error.by.error if self.error and isinstance(self.error.by, Error) else self.bare

    @property
    def kind(self) -> str:
        return self.error.by.kind if self.error and isinstance(self.error.by, Error) else ""


def failures(
    text: str,
    *,
    about: Ref,
    src: Source,
    reporter: str = "",
    count: int = 1,
    first: datetime | None = None,
    reason: str = "",
) -> list[Failure]:
    """Every failing call that a message tells of, in the message's order; [] where it tells of none that is known.

    text: an event's message, a condition's or a container status' message, a log line with its continuation lines;
        read up to 16 KiB. about: whom the message is about. reporter: the component whose words these are.
    reason: the event's reason or the container's waiting reason; it tells the operation where the message does not.
    Never raises, whatever the text.
    """
    out: dict[tuple[object, ...], Failure] = {}
    for told in _read(clean(text), OPERATION_OF_REASON.get(reason)):
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
            message=" ".join(told.quote.split())[:_MAX_QUOTE],
            reporter=reporter,
            count=count,
            first=first,
        )
        # `Operation for … failed` and its `err=` part say the same thing twice in one line.
        out.setdefault((failure.operation, failure.error, failure.path, failure.object, failure.key, failure.container), failure)
    return list(out.values())


def _read(text: str, said: str | None) -> Iterator[_Told]:
    """What each chain of calls tells. said: the operation that the reason tells."""
    low = text.lower()
    held = {n for n in _LITERALS if n in low}
    if not held:
        return
    calls = _outermost_first(_find(CALLS, text, held))[:_MAX_SEGMENTS]
    errors = _find(ERRORS, text, held)
    if not calls:
        for error in _deciding(errors, said):
            yield _Told(_operation(error, said), {}, error, text[error.start : error.end])
        return
    chain: list[_Found] = []
    for i, call in enumerate(calls):
        until = calls[i + 1].start if i + 1 < len(calls) else len(text) + 1
        chain.append(call)
        meant, groups = _meant(chain)
        found = list(_deciding([e for e in errors if call.start <= e.start < until], meant.operation))
        for error in found:
            yield _Told(_operation(error, meant.operation), groups, error, text[error.start : error.end])
        if found:
            chain = []
    if chain:
        meant, groups = _meant(chain)
        if meant.bare is not None:
            yield _Told(meant.operation, groups, None, text[chain[0].start :], meant.bare)


def _meant(chain: list[_Found]) -> tuple[Call, dict[str, str]]:
    """The call that a chain of calls, outermost first, comes down to, and what the chain names."""
    meant, groups = chain[0].by, chain[0].groups
    for inner in chain[1:]:
        weak = isinstance(inner.by, Call) and inner.by.weak
        groups = {**inner.groups, **groups} if weak else {**groups, **inner.groups}
        meant = meant if weak else inner.by
    assert isinstance(meant, Call)  # noqa: S101 - narrows the type only
    return meant, groups


def _operation(error: _Found, told: str | None) -> str:
    own = error.by.operation or ""
    return own if isinstance(error.by, Error) and error.by.takes_over and own else told or own


def _find(patterns: Sequence[Call | Error], text: str, held: set[str]) -> list[_Found]:
    """held: the literals that the text holds."""
    return [_Found(p, _groups(m), m.start(), m.end()) for p in patterns if not held.isdisjoint(p.need) for m in _some(p.regex, text)]


def _groups(found: re.Match[str]) -> dict[str, str]:
    """Group → text; of `container` and `container_2` the first that took part."""
    out: dict[str, str] = {}
    for group, value in found.groupdict().items():
        if value:
            out.setdefault(group.partition("_")[0], value)
    return out


def _some(regex: Words, text: str) -> Iterator[re.Match[str]]:
    for i, found in enumerate(regex.finditer(text)):
        if i >= _MAX_SEGMENTS:
            return
        yield found


def _outermost_first(calls: list[_Found]) -> list[_Found]:
    """By place; of two that begin within one another's words, the longer (more particular) one."""
    out: list[_Found] = []
    for call in sorted(calls, key=lambda c: (c.start, -c.end)):
        if not out or call.start >= out[-1].end:
            out.append(call)
        elif call.end > out[-1].end:
            out[-1] = call
    return out


def _deciding(errors: list[_Found], operation: str | None) -> Iterator[_Found]:
    """The errors of the highest rank; of those that name an object each one (an aggregate lists several), else the last."""
    fit = [e for e in errors if isinstance(e.by, Error) and (not e.by.within or (operation or e.by.operation) in e.by.within)]
    fit = [e for e in fit if isinstance(e.by, Error) and (operation or e.by.operation)]
    if not fit:
        return
    top = max(_rank(e) for e in fit)
    best = sorted((e for e in fit if _rank(e) == top), key=lambda e: (e.start, e.end))
    named = [e for e in best if "name" in e.groups]
    if top == Rank.NAMED and len(named) > 1:
        yield from named
    else:
        yield best[-1]


def _rank(found: _Found) -> Rank:
    return found.by.rank if isinstance(found.by, Error) else Rank.WAITER


def _path(path: str | None) -> str | None:
    return path.rstrip(":,\"'") if path else None


def _object(groups: dict[str, str], kind: str, about: Ref) -> Ref | None:
    """What the message names: an object of the subject's Namespace unless it names another one, or an image.

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
