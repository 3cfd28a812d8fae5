"""Facts to JSON and back. A saved Snapshot names fact types by class name; the types of records inside facts
follow from their fields.

Format 1: `{"format": 1, "tool", "at", "sources", "asked", "after", "facts": [{"type": …, "about": …, …}]}`,
for a proof with its `claim`. An older format is migrated here on reading; a newer one is refused.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import MISSING
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

from unstuck.facts import aspects
from unstuck.facts.core import Fact, Ref, Refused, Same
from unstuck.facts.decode import FormatError, LaterError, parse_time, read_record
from unstuck.facts.record import Record, get_defaults, list_field_names, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, Text
from unstuck.facts.unasked import add_origin

say = Messages(__name__)
__all__ = [
    "FORMAT",
    "FormatError",
    "ProofClaim",
    "Saved",
    "find_fact_types",
    "load",
    "parse_time",
    "read_fact",
    "save",
    "to_json",
]

FORMAT = 1


@record()
class ProofClaim(Record):
    """The claim that a cause follows from a Snapshot's facts, with its confidence."""

    cause: str
    confidence: str


@record()
class Saved(Record):
    """A Snapshot and its question. after: the `--after` threshold in seconds, if one was given.

    claim: for a proof, its conclusion. unknown: the number of skipped facts of later versions.
    """

    snapshot: Snapshot
    asked: Ref | None
    after: float | None = None
    claim: ProofClaim | None = None
    unknown: int = 0

    @property
    def passed_over(self) -> Text | None:
        """Return a note on the skipped facts."""
        n = self.unknown
        return say("{n} facts of a later version were passed over", n=n) if n else None


@cache
def find_fact_types() -> Mapping[str, type[Fact]]:
    """Return every fact type by its name, found by walking the aspects package."""
    types: dict[str, type[Fact]] = {"Refused": Refused, "Same": Same}
    for info in pkgutil.iter_modules(aspects.__path__, aspects.__name__ + "."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, type) and issubclass(value, Fact) and value.__module__ == info.name:
                if "type" in list_field_names(value):
                    raise TypeError(
                        f"{value.__name__}.type would hide the fact's own type in a saved Snapshot"
                    )
                types[value.__name__] = value
    return types


def to_json(value: object) -> Any:
    """Return a fact, record or plain value as JSON values; fields at their default are left out."""
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    if isinstance(value, Record):
        kind: Any = type(value)
        out: dict[str, Any] = {"type": kind.__name__} if isinstance(value, Fact) else {}
        for name, default in _get_defaults(kind):
            item = getattr(value, name)
            if default is MISSING or item != default:
                out[name] = to_json(item)
        return out
    return value


@cache
def _get_defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(get_defaults(kind).items())


def format_time(at: datetime) -> str:
    """Write RFC 3339 in UTC, with microseconds only if there are any."""
    text = at.astimezone(UTC).isoformat()
    return text.replace("+00:00", "Z")


def read_fact(doc: Mapping[str, Any]) -> Fact | None:
    """Read a fact; return None for an unknown type, or a fact with an unknown word, from a later version.

    Errors: FormatError if a field is missing, or of a wrong type.
    """
    kind = find_fact_types().get(str(doc.get("type")))
    try:
        return cast(Fact, read_record(kind, add_origin(doc) if kind is Refused else doc)) if kind else None
    except LaterError:
        return None


def save(saved: Saved, tool: str) -> dict[str, Any]:
    """Return the document of a Snapshot; the same Snapshot always gives the same document."""
    snap = saved.snapshot
    return {
        "format": FORMAT,
        "tool": tool,
        "at": format_time(snap.now),
        "sources": list(snap.sources),
        "asked": to_json(saved.asked),
        "after": saved.after,
        **({"claim": to_json(saved.claim)} if saved.claim else {}),
        "facts": [to_json(f) for f in sorted(snap.facts, key=repr)],
    }


def load(doc: object) -> Saved:
    """Read a saved Snapshot. Errors: FormatError for an invalid document, or a newer format."""
    if not isinstance(doc, dict) or not isinstance(doc.get("format"), int):
        raise FormatError(say("this is no Snapshot saved by unstuck (no format number)"))
    if doc["format"] > FORMAT:
        raise FormatError(
            say(
                (
                    "this Snapshot has format {format}, newer than {known}, which this version reads; "
                    "upgrade unstuck"
                ),
                format=doc["format"],
                known=FORMAT,
            )
        )
    return _read_document(
        {"asked": None, "after": None, "claim": None, **doc, "sources": doc.get("sources") or []}
    )


def _read_document(doc: Mapping[str, Any]) -> Saved:
    at = parse_time(doc.get("at"))
    if at is None or not isinstance(doc.get("facts"), list):
        raise FormatError(say("this Snapshot has no time or no facts"))
    facts = [read_fact(_check_fact_document(d)) for d in doc["facts"]]
    known = [f for f in facts if f is not None]
    head = cast(Heading, read_record(Heading, {name: doc[name] for name in list_field_names(Heading)}))
    return Saved(
        Snapshot(known, at, head.sources), head.asked, head.after, head.claim, len(facts) - len(known)
    )


@record()
class Heading(Record):
    """The fields of a Snapshot other than its facts."""

    sources: tuple[str, ...]
    asked: Ref | None
    after: float | None
    claim: ProofClaim | None


def _check_fact_document(doc: Any) -> Mapping[str, Any]:
    if type(doc) is not dict or type(doc.get("type")) is not str:
        raise FormatError(say("a fact in the Snapshot has no type"))
    return cast(Mapping[str, Any], doc)
