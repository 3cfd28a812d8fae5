"""Reads what the numbers, flags and words of a status say against the object, whatever its kind.

By convention a number of replicas, members or Nodes stands beside how many of them are wanted, under the same
noun (cloudnative-pg ClusterStatus: instances, readyInstances; openshift/api MachineConfigPoolStatus:
machineCount, readyMachineCount; kuberay RayClusterStatus: desiredWorkerReplicas, readyWorkerReplicas).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.leaves import list_named
from unstuck.facts.aspects.reported import StatusWord
from unstuck.facts.regex import regex

_MOST, _FIELDS = 6, 80
# A number of the healthy ones, and its noun.
_UP = regex(r"^(ready|available|healthy|online|current)((?:[A-Z]\w{0,60})?)$")
# A number of the unhealthy ones.
_DOWN = regex(r"^(?:number)?(?:[uU]navailable|[uU]nhealthy|[nN]otReady|[uU]nready|[dD]egraded)[A-Z]\w{0,60}$")
_OF_TIME = ("Seconds", "Time", "Since", "At", "Threshold", "Generation", "Percent")
# The numbers of those that are not ready because they are in use, or done (agones FleetStatus).
_BESIDE = ("allocated", "reserved", "succeeded", "completed", "busy", "used")
# The wanted number, by the word for the healthy ones: of a pool of addresses or licences, some are used, and
# `current` may be all that were wanted before.
_WANTED = {
    "ready": ("desired", "expected", "total", ""),
    "healthy": ("desired", "expected", "total", ""),
    "online": ("desired", "expected", "total", ""),
    "available": ("desired", "expected", ""),
    "current": ("desired",),
}
# The nouns under which a number alone is counted.
_SIZES = ("replicas", "size", "instances", "members")
# Lists of the spec of which the status has an entry each, and the field of the entry that names it
# (gateway-api RouteStatus, GatewayStatus).
_LISTS = (("parentRefs", "parents", "parentRef"), ("listeners", "listeners", ""))
# Flags by which a status says whether all is well (kyverno PolicyStatus, vault-secrets-operator
# VaultAuthStatus, kubernetes-csi VolumeSnapshotStatus).
_FLAGS = ("ready", "healthy", "connected", "valid", "available", "reachable", "synced", "online")
# A field with a word for the state, and a word that names a failure (zalando PostgresStatus, volcano
# JobState, operator-framework GRPCConnectionState, calico CalicoNodeStatus).
_STATE = regex(r"(?i)(?:state|status|phase|health|compliant)$")
_FAILED = regex(
    r"^(?i:[a-z _-]*(?:failed|failure|failing|errored|error|unhealthy|not[ _-]?ready|degraded|aborted|offline"
    r"|unavailable|unreachable|disconnected|noncompliant|faulted|timeout|crashed|red))$|^[a-zA-Z]*Failed[A-Z][a-zA-Z]*$"
)
# A number of replicas out of those wanted, in one string (opentelemetry-operator ScaleSubresourceStatus).
_OUT_OF = regex(r"^(\d{1,9})/(\d{1,9})$")
_COUNTED = regex(r"(?i)replicas|ready|available|healthy|online")
_LONGEST_WORD = 60
_MESSAGES = regex(r"(?i)messages$")
# The past, and steps of a run that are tried again (argo-workflows WorkflowStatus.nodes).
_PAST = regex(r"(?i)^(?:last(?!observed)|prev|past|old)|histor|analysis|^(?:nodes|steps|tasks|stages)$")
_DEEPEST = 2


def read_doubts(spec: doc.Doc, status: doc.Doc) -> tuple[StatusWord, ...]:
    """Return the numbers that are lower than what is wanted, or count what is down, then flags that are false
    and words that name a failure.
    """
    shortages = [
        *_find_short(spec, status),
        *_find_short_parts(spec, status),
        *_find_fractions(status, "status", 0),
    ]
    short = {word.value: word for word in reversed(shortages)}
    down = () if short else _find_down(status)
    found = chain(
        reversed(short.values()),
        down,
        _find_messages(status),
        _find_flags(status),
        _find_failed(status, "status", 0),
    )
    return tuple(islice(found, _MOST))


def _find_short_parts(spec: doc.Doc, status: doc.Doc) -> Iterator[StatusWord]:
    """Yield the numbers of the sections and of the named entries of the status that are too low."""
    for place, part in list_named(status, "status", 1):
        asked = spec if not place.endswith("]") else doc.EMPTY
        yield from _find_low_numbers(asked, part, place)


def _find_fractions(fields: doc.Doc, place: str, depth: int) -> Iterator[StatusWord]:
    for name in [*fields][:_FIELDS]:
        inner = fields[name]
        if isinstance(inner, Mapping) and depth < _DEEPEST:
            yield from _find_fractions(inner, f"{place}.{name}", depth + 1)
        elif isinstance(inner, str) and isinstance(name, str) and _COUNTED.search(name):
            found = _OUT_OF.match(inner)
            if found and int(found[1]) < int(found[2]) and not _PAST.search(name):
                yield StatusWord(f"{place}.{name}", f"{found[1]} of {found[2]}")


def _find_short(spec: doc.Doc, status: doc.Doc) -> Iterator[StatusWord]:
    yield from _find_low_numbers(spec, status, "status")
    for name in _SIZES:
        have, wanted = doc.whole_number(status, name), doc.whole_number(spec, name)
        if have is not None and wanted is not None and have < wanted:
            yield StatusWord(f"status.{name}", f"{have} of {wanted}")
    for asked, told, path in _LISTS:
        named = {_read_key(row) for row in doc.rows(spec, asked)}
        found = {_read_key(doc.section(row, path) if path else row) for row in doc.rows(status, told)}
        if found and len(found) < len(named):
            yield StatusWord(f"status.{told}", f"{len(found)} of {len(named)}")


def _find_low_numbers(spec: doc.Doc, status: doc.Doc, place: str) -> Iterator[StatusWord]:
    for name in [*status][:_FIELDS]:
        match = _UP.match(name) if isinstance(name, str) else None
        have = doc.whole_number(status, name) if match else None
        if match is None or have is None or match[2].endswith(_OF_TIME):
            continue
        wanted = _find_wanted(match[1], match[2], spec, status)
        beside = sum(doc.whole_number(status, _join(word, match[2])) or 0 for word in _BESIDE)
        if wanted is not None and have + beside < wanted:
            yield StatusWord(f"{place}.{name}", f"{have} of {wanted}")


def _read_key(row: doc.Doc) -> tuple[str, ...]:
    return tuple(doc.scalar(row, name) for name in ("namespace", "name", "sectionName", "port"))


def _find_wanted(word: str, noun: str, spec: doc.Doc, status: doc.Doc) -> int | None:
    """Return how many are wanted, by the status before the spec; None if neither tells."""
    names = [_join(prefix, noun) for prefix in _WANTED[word] if prefix or noun]
    if not noun and word != "current":
        names += _SIZES
    places = [*((status, name) for name in names), *((spec, name) for name in names)]
    return next((n for place, name in places if (n := doc.whole_number(place, name)) is not None), None)


def _join(prefix: str, noun: str) -> str:
    """Return a field's name in camel case."""
    return prefix + noun if prefix else noun[:1].lower() + noun[1:]


def _find_down(status: doc.Doc) -> Iterator[StatusWord]:
    for name in [*status][:_FIELDS]:
        if isinstance(name, str) and _DOWN.match(name) and not name.endswith(_OF_TIME):
            number = doc.whole_number(status, name)
            if number is not None and number > 0:
                yield StatusWord(f"status.{name}", str(number))


def _find_flags(status: doc.Doc) -> Iterator[StatusWord]:
    yield from (StatusWord(f"status.{f}", "false") for f in _FLAGS if doc.maybe_flag(status, f) is False)


def _find_messages(status: doc.Doc) -> Iterator[StatusWord]:
    """Yield the messages at the level of an error in a list of messages (istio AnalysisMessageBase)."""
    for name in doc.keys(status)[:_FIELDS]:
        for row in doc.rows(status, name)[:_MOST] if _MESSAGES.search(name) else ():
            if doc.text(row, "level").lower() == "error":
                what = " ".join(filter(None, (doc.text(row, "type", "code"), doc.text(row, "type", "name"))))
                said = mask_message(doc.text(row, "message") or doc.text(row, "documentationUrl"))
                yield StatusWord(f"status.{name}[{what}]", doc.text(row, "level"), said)


def _find_failed(fields: doc.Doc, place: str, depth: int) -> Iterator[StatusWord]:
    """Yield the words that name a failure, in fields with the state of the object or of a section of it."""
    for name in [*fields][:_FIELDS]:
        if not isinstance(name, str) or _PAST.search(name):
            continue
        inner = fields[name]
        if isinstance(inner, Mapping) and depth < _DEEPEST:
            yield from _find_failed(inner, f"{place}.{name}", depth + 1)
        elif isinstance(inner, list) and depth == 0:
            for at, entry in list_named({name: inner}, place, 1):
                yield from _find_failed(entry, at, _DEEPEST)
        elif (
            isinstance(inner, str)
            and _STATE.search(name)
            and len(inner) < _LONGEST_WORD
            and _FAILED.match(inner)
        ):
            yield StatusWord(f"{place}.{name}", inner)
