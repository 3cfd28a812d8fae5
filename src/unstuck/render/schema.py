"""The JSON Schema of `unstuck/v1`, open to extension: a later version may add fields and values but removes
none.
"""

from __future__ import annotations

from typing import Any, get_args

from unstuck.diagnosis.answer import Trouble
from unstuck.render.json import SCHEMA

_STRING = {"type": "string"}
_TIME = {"type": ["string", "null"], "format": "date-time"}
_INDEXES = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_REACH = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
_ARGV = {"type": "array", "items": _STRING}


def _record(description: str, absent: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object. absent: optional properties."""
    return {
        "type": "object",
        "description": description,
        "required": [name for name in properties if name not in absent],
        "properties": properties,
    }


def _one_of(*values: str) -> dict[str, Any]:
    """Return the schema of a string with these known values; a reader treats any other value as unknown."""
    return {"type": "string", "examples": [*values]}


def _list(of: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(of)}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _defs() -> dict[str, Any]:
    return {
        "text": _record("One statement in both languages.", en=_STRING, zh=_STRING),
        "ref": {
            "type": "object",
            "description": (
                "The subject of a statement. A Kubernetes object has a namespace; `within` is the place of "
                "a node's thing."
            ),
            "required": ["kind"],
            "properties": dict.fromkeys(("kind", "namespace", "within", "name", "uid", "block"), _STRING),
        },
        "stage": _record(
            "One stage of the subject's line.",
            id=_STRING,
            state=_one_of("done", "not-done", "unknown", "later"),
            since=_TIME,
            evidence=_INDEXES,
        ),
        "step": _record(
            (
                "One thing to do. where: cluster, node:NAME or source. no_command: why there is none, if a "
                "name is invalid."
            ),
            ("no_command",),
            says=_ref("text"),
            where=_STRING,
            command=_ARGV,
            risk=_one_of("none", "reversible", "loses-data", "disrupts"),
            undo=_ARGV,
            verify={"anyOf": [_ref("text"), {"type": "null"}]},
            no_command=_list("text"),
        ),
        "do_not": _record("The tempting act, and its effect.", says=_ref("text"), because=_ref("text")),
        "cause": _record(
            "A cause that matched. consequence_of: the index of its root among the causes.",
            id={"type": "string", "pattern": r"^[a-z0-9-]+\.[a-z0-9-]+$"},
            confidence=_one_of("proven", "likely"),
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
            (
                "A question that stays open, and the command that answers it, empty if a name is invalid; "
                "no_command: why."
            ),
            ("no_command",),
            fact=_STRING,
            about=_ref("ref"),
            why_open=_one_of("not-asked", "denied", "timeout", "unreachable", "too-large", "not-offered"),
            ask=_STRING,
            no_command=_list("text"),
        ),
        "ignored": _record(
            (
                "Troubles that the user's settings (unstuck.yaml) leave out of the answer. cause: null if "
                "the whole Namespace is left out."
            ),
            subject=_ref("ref"),
            cause={"type": ["string", "null"]},
            reason=_ref("text"),
            until={"type": ["string", "null"]},
        ),
        "not_seen": _record(
            "Unanswered questions of a scan. detail: the answer's own words.",
            fact=_STRING,
            about=_ref("ref"),
            why_open=_one_of("denied", "timeout", "unreachable"),
            detail=_STRING,
        ),
        "open": _record(
            "A cause that is not decided. possible: some evidence supports it. stage: the stage that it "
            "would block. notes: facts known about it meanwhile.",
            ("notes",),
            id=_STRING,
            possible={"type": "boolean"},
            stage={"type": ["string", "null"]},
            evidence=_INDEXES,
            wants=_list("want"),
            do_not=_list("do_not"),
            notes=_list("text"),
        ),
        "place": _record(
            "A stage at which the subject may stand, and the open causes there.",
            stage={"type": ["string", "null"]},
            causes={"type": "array", "items": _STRING},
        ),
        "look": _record(
            "A command that decides, and where to run it. node: its name, null if unknown. "
            "instead: how to look at that node from here. no_command: why a command is empty.",
            ("no_command",),
            on=_one_of("node", "api"),
            node={"type": ["string", "null"]},
            command=_ARGV,
            instead={"anyOf": [_ARGV, {"type": "null"}]},
            no_command=_list("text"),
        ),
        "next": _record(
            "The command to run next. from: here (with access to the cluster), paste (its output is piped "
            "into unstuck read), node:NAME. decides: open causes that its output can decide, the most "
            "common first. expected: the share of the open questions that it is expected to decide. cost: "
            "the source that answers it. no_command: why the command is empty.",
            ("no_command",),
            **{"from": _STRING},
            command=_ARGV,
            says=_ref("text"),
            decides={"type": "array", "items": _STRING},
            expected={"type": "number", "minimum": 0, "maximum": 1},
            cost=_one_of("api", "node", "person"),
            no_command=_list("text"),
        ),
        "finalizer": _record(
            (
                "A finalizer of an object that is being deleted. owner: the program that "
                "clears it, null if unknown."
            ),
            finalizer=_STRING,
            owner={"type": ["string", "null"]},
        ),
        "shortlist": _record(
            "The leads by stage, in the order of the line, and all looks that decide between them. "
            "more: how many others are open. only_nodes: all missing facts are on nodes.",
            places=_list("place"),
            more={"type": "integer", "minimum": 0},
            only_nodes={"type": "boolean"},
            looks=_list("look"),
            do_not=_list("do_not"),
        ),
        "ruled_out": _record(
            "A cause that is ruled out; the evidence says why.", id=_STRING, evidence=_INDEXES
        ),
        "evidence": _record(
            "An observation and its source. weight `seen`: a stage rests on it, no judgement weighed it. Of "
            "a failing call or of events: reporter, the component whose words these are (of several events "
            "the last), null if unknown; error, the innermost error, which a wrapper's quote may end before.",
            ("reporter", "error"),
            weight=_one_of("decisive", "supporting", "against", "seen"),
            source=_STRING,
            at=_STRING,
            seen_at=_TIME,
            quote=_STRING,
            reporter={"type": ["string", "null"]},
            error=_STRING,
        ),
        "own_words": _record(
            "The object's own report that it is not well. value: of the field, empty if its message is the "
            "value. by: the field manager that wrote it, null if unknown.",
            field=_STRING,
            value=_STRING,
            reason=_STRING,
            message=_STRING,
            since=_TIME,
            by={"type": ["string", "null"]},
        ),
        "diagnosis": _record(
            "The whole answer about one subject; stages and causes point into its evidence by index. word: "
            "the STATUS that kubectl prints for it; node, owner: of a Pod, its Node and its controller; "
            "each if known. placing: of a Pod that waits for a Node; changed: the differences since such "
            "Pods last got one. leads: ids of the open causes worth showing, in the order shown. next: one "
            "command to run next, and at most one alternative.",
            ("word", "node", "owner", "placing", "changed", "held_by", "reports"),
            subject=_ref("ref"),
            state=_one_of("fine", "progressing", "held", "stuck", "unknown"),
            since=_TIME,
            headline=_ref("text"),
            word=_STRING,
            node=_ref("ref"),
            owner=_ref("ref"),
            stages=_list("stage"),
            causes=_list("cause"),
            undecided=_list("open"),
            leads={"type": "array", "items": _STRING, "maxItems": 5},
            next={"type": "array", "items": _ref("next"), "maxItems": 2},
            shortlist=_ref("shortlist"),
            ruled_out=_list("ruled_out"),
            evidence=_list("evidence"),
            placing=_ref("placing"),
            changed=_list("text"),
            held_by=_list("finalizer"),
            reports=_list("own_words"),
        ),
        **_placing(),
        "incident": _record(
            "Diagnoses with one root. representative: an index into the diagnoses. members: how many. "
            "cause: null if none is known yet. trouble: the blocked activity. alike: how many of the "
            "members were not read and only look like one that was. member_refs, alike_refs: with --members.",
            ("alike", "member_refs", "alike_refs"),
            id={"type": "integer", "minimum": 1},
            cause={"type": ["string", "null"]},
            trouble=_one_of(*get_args(Trouble)),
            culprit=_ref("ref"),
            representative={"type": "integer", "minimum": 0},
            members={"type": "integer", "minimum": 1},
            alike={"type": "integer", "minimum": 1},
            member_refs=_list("ref"),
            alike_refs=_list("ref"),
            reach=_REACH,
            since=_TIME,
        ),
    }


def _placing() -> dict[str, Any]:
    names = {"type": "array", "items": _STRING}
    count = {"type": "integer", "minimum": 0}
    maybe = {"anyOf": [_ref("text"), {"type": "null"}]}
    return {
        "barrier": _record(
            "One reason against Nodes. quote: the scheduler's words.",
            kind=_STRING,
            says=_ref("text"),
            quote=_STRING,
        ),
        "closed": _record(
            "Nodes that are closed for the same reasons.", barriers=_list("barrier"), count=count, nodes=names
        ),
        "change": _record(
            (
                "One change that was tried out, and the Nodes that it opens; for `node` those that a new "
                "one would resemble."
            ),
            kind=_STRING,
            says=_ref("text"),
            count=count,
            opens=names,
        ),
        "holder": _record(
            (
                "The owner of Pods that hold a lacking resource. name: null without one. amount: in the "
                "resource's unit, milli-CPU for CPU."
            ),
            resource=_STRING,
            kind=_STRING,
            namespace={"type": ["string", "null"]},
            name={"type": ["string", "null"]},
            amount=count,
            pods=count,
        ),
        "flaw": _record(
            "A requirement that no Node or Pod can meet, and its field.", field=_STRING, says=_ref("text")
        ),
        "placing": _record(
            "Where the Pod might go, from the objects. closed: the nearest to fitting first. open: unknown "
            "facts that would decide. agrees: whether the scheduler says the same, null if unknown.",
            nodes=count,
            closed=_list("closed"),
            fits=names,
            changes=_list("change"),
            holders=_list("holder"),
            preemption=maybe,
            flaws=_list("flaw"),
            open=names,
            agrees={"type": ["boolean", "null"]},
        ),
    }


def make_schema() -> dict[str, Any]:
    """Return the schema as plain values (JSON Schema 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        **_record(
            "The answer of unstuck with -o json and -o yaml. not_seen: of a scan; left_out: of a scan, "
            "several objects or a text, if there is any: its omissions. asked_first: of a text, if several "
            "diagnoses have a `next`, the index of the one whose command is run first; the other formats "
            "show that one alone. held: of scan --held, the objects stopped on purpose. Later versions add "
            "fields, and values where some are given as examples: a reader skips an unknown field, and "
            "treats an unknown value as unknown.",
            ("not_seen", "left_out", "ignored", "asked_first", "held"),
            schema={"const": SCHEMA},
            at={"type": "string", "format": "date-time"},
            tool=_STRING,
            sources={"type": "array", "items": _STRING},
            diagnoses=_list("diagnosis"),
            asked_first={"type": "integer", "minimum": 0},
            incidents=_list("incident"),
            not_seen=_list("not_seen"),
            ignored=_list("ignored"),
            held=_list("ref"),
            left_out=_list("text"),
        ),
        "$defs": _defs(),
    }
