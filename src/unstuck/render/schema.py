"""The JSON Schema of `unstuck/v1`, open for readers: a later version may add fields and values, and takes none away."""

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
    """Return the schema of an object. absent: properties that may be left out."""
    return {
        "type": "object",
        "description": description,
        "required": [name for name in properties if name not in absent],
        "properties": properties,
    }


def _one_of(*values: str) -> dict[str, Any]:
    """Return a string with these values known today; a reader treats any other one as unknown."""
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
            "description": "Whom something is about. A Kubernetes object has a namespace, a thing of a node says what it is within.",
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
            "One thing to do. where: cluster, node:NAME or source. no_command: why there is none, where a name in it cannot be right.",
            ("no_command",),
            says=_ref("text"),
            where=_STRING,
            command=_ARGV,
            risk=_one_of("none", "reversible", "loses-data", "disrupts"),
            undo=_ARGV,
            verify={"anyOf": [_ref("text"), {"type": "null"}]},
            no_command=_list("text"),
        ),
        "do_not": _record("The tempting act, and what it would do.", says=_ref("text"), because=_ref("text")),
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
            "A question that stays open, and the command that answers it, empty where a name in it cannot be right; no_command: why.",
            ("no_command",),
            fact=_STRING,
            about=_ref("ref"),
            why_open=_one_of("not-asked", "denied", "timeout", "unreachable", "too-large", "not-offered"),
            ask=_STRING,
            no_command=_list("text"),
        ),
        "ignored": _record(
            "What the user's settings (unstuck.yaml) leave out of the answer. cause: null where its whole Namespace is left out.",
            subject=_ref("ref"),
            cause={"type": ["string", "null"]},
            reason=_ref("text"),
            until={"type": ["string", "null"]},
        ),
        "not_seen": _record(
            "Of a scan: what was asked and not answered. detail: the answer's own words.",
            fact=_STRING,
            about=_ref("ref"),
            why_open=_one_of("denied", "timeout", "unreachable"),
            detail=_STRING,
        ),
        "open": _record(
            "A cause that is not decided. possible: something speaks for it. stage: where on the line it would stand. "
            "notes: what is known of it meanwhile.",
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
            "A command that decides, and where it is run. node: its name, null where it is not known. "
            "instead: how to look at that node from here. no_command: why a command is empty.",
            ("no_command",),
            on=_one_of("node", "api"),
            node={"type": ["string", "null"]},
            command=_ARGV,
            instead={"anyOf": [_ARGV, {"type": "null"}]},
            no_command=_list("text"),
        ),
        "next": _record(
            "What to run next. from: where: here (with access to the cluster), paste (its output is piped into unstuck read), node:NAME. "
            "decides: open causes that its output speaks to, the most common first. expected: the share of what is open that it is "
            "expected to decide. cost: whose time it takes. no_command: why the command is empty.",
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
            "A finalizer of an object that is being deleted. owner: the program that clears it, null where nobody knows it.",
            finalizer=_STRING,
            owner={"type": ["string", "null"]},
        ),
        "shortlist": _record(
            "The leads by stage, in the order of the line, and all that decides between them. "
            "more: how many others are open. only_nodes: all that is missing lies on nodes.",
            places=_list("place"),
            more={"type": "integer", "minimum": 0},
            only_nodes={"type": "boolean"},
            looks=_list("look"),
            do_not=_list("do_not"),
        ),
        "ruled_out": _record("A cause that it is not; the evidence says why.", id=_STRING, evidence=_INDEXES),
        "evidence": _record(
            "What was seen, and where. weight `seen`: a stage rests on it, no judgement weighed it. Of a failing call or of events: "
            "reporter, the component whose words these are (of several events the last), null where nobody told; error, the innermost "
            "error, which a wrapper's quote may end before.",
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
            "What the object says of itself that is not well. value: of the field, empty where its message is the value. "
            "by: the field manager that wrote it, null where nobody told.",
            field=_STRING,
            value=_STRING,
            reason=_STRING,
            message=_STRING,
            since=_TIME,
            by={"type": ["string", "null"]},
        ),
        "diagnosis": _record(
            "The whole answer about one subject; stages and causes point into its evidence by index. "
            "word: the STATUS that kubectl prints of it; node, owner: of a Pod, what it is bound to and made by; each where it is known. "
            "placing: of a Pod that waits for a Node; changed: what is different since such Pods last got one. "
            "leads: ids of the open causes worth telling, in the order told. next: one command to run next, and at most one instead of it.",
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
            "Diagnoses with one root. representative: an index into the diagnoses. members: how many. cause: null where none is known yet. "
            "trouble: what does not go on. "
            "alike: how many of the members were not read and only look like one that was. member_refs, alike_refs: with --members.",
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
        "barrier": _record("One reason against Nodes. quote: the scheduler's words.", kind=_STRING, says=_ref("text"), quote=_STRING),
        "closed": _record("Nodes that are closed for the same reasons.", barriers=_list("barrier"), count=count, nodes=names),
        "change": _record(
            "One change that was tried out, and the Nodes that it opens; of `node` those that a new one would be like.",
            kind=_STRING,
            says=_ref("text"),
            count=count,
            opens=names,
        ),
        "holder": _record(
            "Whose Pods hold what lacks. name: null for Pods of no controller. amount: in the resource's unit, of CPU a thousandth.",
            resource=_STRING,
            kind=_STRING,
            namespace={"type": ["string", "null"]},
            name={"type": ["string", "null"]},
            amount=count,
            pods=count,
        ),
        "flaw": _record("What no Node or Pod can meet, and where it stands.", field=_STRING, says=_ref("text")),
        "placing": _record(
            "Where the Pod might go, from the objects. closed: the nearest to fitting first. open: what is not known that decides. "
            "agrees: whether the scheduler says the same, null where that is not known.",
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
            "What unstuck answers with -o json and -o yaml. not_seen: of a scan; left_out: of a scan, several objects or a "
            "text, where there is any: what it did not ask for or tell. asked_first: of a text, where several diagnoses have a `next`, "
            "the place of the one whose command is run first; the other formats tell that one alone. "
            "held: of scan --held, what somebody has stopped on purpose. "
            "Later versions add fields, and values where some are given as examples: "
            "a reader passes over a field that it does not know, and treats a value that it does not know as unknown.",
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
