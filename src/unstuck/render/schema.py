"""The JSON Schema of `unstuck/v1`."""

from __future__ import annotations

from typing import Any

from unstuck.render.json import SCHEMA

_STRING = {"type": "string"}
_TIME = {"type": ["string", "null"], "format": "date-time"}
_INDEXES = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_REACH = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
_ARGV = {"type": "array", "items": _STRING}


def _record(description: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(of: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(of)}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _defs() -> dict[str, Any]:
    return {
        "text": _record("One statement in both languages.", en=_STRING, zh=_STRING),
        "ref": {
            "type": "object",
            "description": "Whom something is about. A Kubernetes object has a namespace, a thing of a node says what it is within.",
            "required": ["kind"],
            "properties": dict.fromkeys(("kind", "namespace", "within", "name", "uid", "block"), _STRING),
            "additionalProperties": False,
        },
        "stage": _record(
            "One stage of the subject's line.",
            id=_STRING,
            state={"enum": ["done", "not-done", "unknown", "later"]},
            since=_TIME,
            evidence=_INDEXES,
        ),
        "step": _record(
            "One thing to do. where: cluster, node:NAME or source.",
            says=_ref("text"),
            where=_STRING,
            command=_ARGV,
            risk={"enum": ["none", "reversible", "loses-data", "disrupts"]},
            undo=_ARGV,
            verify={"anyOf": [_ref("text"), {"type": "null"}]},
        ),
        "do_not": _record("The tempting act, and what it would do.", says=_ref("text"), because=_ref("text")),
        "cause": _record(
            "A cause that matched. consequence_of: the index of its root among the causes.",
            id={"type": "string", "pattern": r"^[a-z0-9-]+\.[a-z0-9-]+$"},
            confidence={"enum": ["proven", "likely"]},
            says=_ref("text"),
            culprit=_ref("ref"),
            blocks=_list("ref"),
            consequence_of={"type": ["integer", "null"], "minimum": 0},
            reach=_REACH,
            evidence=_INDEXES,
            help=_list("step"),
            do_not=_list("do_not"),
        ),
        "want": _record(
            "A question that stays open, and the command that answers it.",
            fact=_STRING,
            about=_ref("ref"),
            why_open={"enum": ["not-asked", "denied", "timeout", "unreachable", "not-offered"]},
            ask=_STRING,
        ),
        "open": _record(
            "A cause that is not decided. possible: something speaks for it. stage: where on the line it would stand.",
            id=_STRING,
            possible={"type": "boolean"},
            stage={"type": ["string", "null"]},
            evidence=_INDEXES,
            wants=_list("want"),
            do_not=_list("do_not"),
        ),
        "ruled_out": _record("A cause that it is not; the evidence says why.", id=_STRING, evidence=_INDEXES),
        "evidence": _record(
            "What was seen, and where. weight `seen`: a stage rests on it, no judgement weighed it.",
            weight={"enum": ["decisive", "supporting", "against", "seen"]},
            source=_STRING,
            at=_STRING,
            seen_at=_TIME,
            quote=_STRING,
        ),
        "diagnosis": _record(
            "The whole answer about one subject; stages and causes point into its evidence by index.",
            subject=_ref("ref"),
            state={"enum": ["fine", "progressing", "stuck", "unknown"]},
            since=_TIME,
            headline=_ref("text"),
            stages=_list("stage"),
            causes=_list("cause"),
            undecided=_list("open"),
            ruled_out=_list("ruled_out"),
            evidence=_list("evidence"),
        ),
        "incident": _record(
            "Diagnoses with one root. representative: an index into the diagnoses. members: how many.",
            id={"type": "integer", "minimum": 1},
            cause=_STRING,
            culprit=_ref("ref"),
            representative={"type": "integer", "minimum": 0},
            members={"type": "integer", "minimum": 1},
            reach=_REACH,
            since=_TIME,
        ),
    }


def schema() -> dict[str, Any]:
    """The schema as plain values (JSON Schema 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        **_record(
            "What unstuck answers with -o json and -o yaml.",
            schema={"const": SCHEMA},
            at={"type": "string", "format": "date-time"},
            tool=_STRING,
            sources={"type": "array", "items": _STRING},
            diagnoses=_list("diagnosis"),
            incidents=_list("incident"),
        ),
        "$defs": _defs(),
    }
