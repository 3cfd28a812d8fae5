"""The report as the JSON of `unstuck/v1`: the same facts always give the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from unstuck.diagnosis.answer import (
    Answer,
    CauseMatch,
    Diagnosis,
    Ignored,
    Incident,
    OpenCause,
    OwnWords,
    Question,
    Stage,
)
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.next import Next
from unstuck.diagnosis.shortlist import Look, Shortlist
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Evidence, Step
from unstuck.facts.core import Fact, Ref, Refused
from unstuck.render.evidence import find_words, place
from unstuck.render.next_question import find_first_index
from unstuck.render.placing import make_placing
from unstuck.render.visible import is_hidden

SCHEMA = "unstuck/v1"
# Kinds outside the Kubernetes API: they belong to a node or a Pod, not to a Namespace.
THINGS = frozenset(
    (
        *(
            "File",
            "Mount",
            "Process",
            "Container",
            "Unit",
            "Registry",
            "Daemon",
            "Filesystem",
            "Directory",
            "Cgroup",
            "Snapshot",
        ),
        *("Machine", "Server", "Port", "Probe", "MemoryLimit"),
    )
)
# Chinese is written verbatim: its common characters need no individual check.
_OUTSIDE = re.compile(r"[^ -~\n\u4e00-\u9fff，。：；、（）]")


def make_document(report: Answer, *, members: bool = False) -> dict[str, Any]:
    """Return the report as plain values, in the order of the contract. members: whether each incident lists
    its members.
    """
    first = find_first_index(report)
    return {
        "schema": SCHEMA,
        "at": _time(report.at),
        "tool": report.tool,
        "sources": list(report.sources),
        "diagnoses": [_diagnosis(d) for d in report.diagnoses],
        **({} if first is None else {"asked_first": first}),
        "incidents": [_incident(i, members) for i in report.incidents],
        **({"not_seen": [_refusal(r) for r in report.not_seen]} if report.not_seen else {}),
        **({"ignored": [_ignored_document(i) for i in report.ignored]} if report.ignored else {}),
        **({"held": [ref(r) for r in report.held]} if report.held else {}),
        **({"left_out": [_text(t) for t in report.left_out]} if report.left_out else {}),
    }


def _ignored_document(one: Ignored) -> dict[str, Any]:
    return {
        "subject": ref(one.subject),
        "cause": one.cause or None,
        "reason": _text(one.reason),
        "until": one.until or None,
    }


def write_json(report: Answer, *, members: bool = False) -> str:
    """Return the document with two spaces of indent and a final newline. members: as in `make_document`."""
    return dump(make_document(report, members=members))


def dump(doc: object) -> str:
    """Return JSON with Chinese verbatim, and every terminal control character escaped."""
    try:
        # A scan's members take 2 MB: the standard library, which indents in Python, is 20 times as slow.
        serialised = msgspec.json.format(msgspec.json.encode(doc), indent=2).decode()
    except UnicodeEncodeError:  # an unpaired surrogate from a file's name, which UTF-8 cannot encode
        serialised = json.dumps(doc, ensure_ascii=False, indent=2)
    return escape_hidden(serialised) + "\n"


def escape_hidden(serialised: str) -> str:
    r"""Escape hidden characters of JSON text as `\\u`: they occur only inside strings, where the escape is
    equivalent.
    """
    return _OUTSIDE.sub(lambda m: _escape(m[0]) if is_hidden(m[0]) else m[0], serialised)


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class _Index:
    """The evidence list of one diagnosis: each fact once per weight, in order of first use."""

    def __init__(self) -> None:
        self.items: list[tuple[str, Fact]] = []
        self._at: dict[tuple[str, Fact], int] = {}
        self._any: dict[Fact, int] = {}

    def of(self, evidence: Iterable[Evidence]) -> list[int]:
        return sorted({self._put(e.weight, e.fact) for e in evidence})

    def indexes(self, facts: Iterable[Fact]) -> list[int]:
        """Return the indexes of facts without a weight, such as a stage's, without listing a fact twice."""
        return sorted({self._any[f] if f in self._any else self._put("seen", f) for f in facts})

    def _put(self, weight: str, fact: Fact) -> int:
        key = (weight, fact)
        if key not in self._at:
            self._at[key] = len(self.items)
            self._any.setdefault(fact, len(self.items))
            self.items.append(key)
        return self._at[key]


def _diagnosis(d: Diagnosis) -> dict[str, Any]:
    index = _Index()
    causes = [_cause(t, index) for t in d.causes]
    undecided = [_open_cause(o, index) for o in d.undecided]
    ruled_out = [{"id": e.id, "evidence": index.of(e.verdict.evidence)} for e in d.ruled_out]
    stages = [_stage(s, index) for s in d.stages]
    # Subjects without stages have messages instead.
    index.indexes(f for f in d.state.evidence if find_words(f))
    return {
        "subject": ref(d.subject),
        "state": d.state.name,
        "since": _time(d.state.since),
        "headline": _text(d.state.headline),
        **({"word": d.state.word} if d.state.word else {}),
        **({"node": ref(d.node)} if d.node else {}),
        **({"owner": ref(d.owner)} if d.owner else {}),
        "stages": stages,
        "causes": causes,
        "undecided": undecided,
        "leads": list(d.leads),
        "next": [_next(one) for one in d.next],
        "shortlist": _shortlist(d.shortlist),
        "ruled_out": ruled_out,
        "evidence": [_evidence(weight, fact) for weight, fact in index.items],
        **({"placing": make_placing(d.whereto.placing)} if d.whereto else {}),
        **(
            {"held_by": [{"finalizer": h.finalizer, "owner": h.owner or None} for h in d.held_by]}
            if d.held_by
            else {}
        ),
        **({"reports": [_own_words(o) for o in d.state.own]} if d.state.own else {}),
        **({"changed": [_text(t) for t in d.changed]} if d.changed else {}),
    }


def _own_words(o: OwnWords) -> dict[str, Any]:
    told = {"field": o.field, "value": o.value, "reason": o.reason, "message": o.message}
    return {**told, "since": _time(o.since), "by": o.by or None}


def _stage(s: Stage, index: _Index) -> dict[str, Any]:
    return {"id": s.id, "state": s.state, "since": _time(s.since), "evidence": index.indexes(s.evidence)}


def _cause(t: CauseMatch, index: _Index) -> dict[str, Any]:
    finding = t.finding
    return {
        "id": t.id,
        "confidence": t.confidence,
        "says": _text(finding.says),
        "culprit": ref(finding.culprit),
        "blocks": [ref(b) for b in finding.blocks],
        "consequence_of": t.consequence_of,
        "reach": dict(t.reach),
        "evidence": index.of(t.evidence),
        "help": [_step(s) for s in finding.help],
        "do_not": [_do_not(a) for a in finding.do_not],
    }


def _step(s: Step) -> dict[str, Any]:
    return {
        "says": _text(s.says),
        "where": s.where,
        "command": list(s.command.argv),
        "risk": s.risk,
        "undo": list(s.undo.argv),
        "verify": _text(s.verify) if s.verify else None,
        **_missing_command(s.command),
    }


def _do_not(a: DoNot) -> dict[str, Any]:
    return {"says": _text(a.says), "because": _text(a.because)}


def _open_cause(o: OpenCause, index: _Index) -> dict[str, Any]:
    return {
        "id": o.id,
        "possible": o.possible,
        "stage": o.stage or None,
        "evidence": index.of(o.evidence),
        "wants": [_want(q) for q in o.questions],
        "do_not": [_do_not(a) for a in o.do_not],
        **({"notes": [_text(n) for n in o.notes]} if o.notes else {}),
    }


def _shortlist(s: Shortlist) -> dict[str, Any]:
    return {
        "places": [{"stage": p.stage or None, "causes": list(p.causes)} for p in s.places],
        "more": s.more,
        "only_nodes": s.only_nodes,
        "looks": [_look(one) for one in s.looks],
        "do_not": [_do_not(a) for a in s.do_not],
    }


def _look(one: Look) -> dict[str, Any]:
    return {
        "on": one.on,
        "node": one.node or None,
        "command": list(one.command.argv),
        "instead": list(one.instead.argv) if one.instead else None,
        **_missing_command(one.command),
    }


def _next(one: Next) -> dict[str, Any]:
    return {
        "command": list(one.command.argv),
        "from": one.at,
        "says": _text(one.says),
        "decides": list(one.decides),
        "expected": one.expected,
        "cost": one.cost,
        **_missing_command(one.command),
    }


def _want(q: Question) -> dict[str, Any]:
    return {
        "fact": q.want.fact.__name__,
        "about": ref(q.want.about),
        "why_open": q.why_open,
        "ask": q.ask.line,
        **_missing_command(q.ask),
    }


def _missing_command(command: Command) -> dict[str, Any]:
    return {"no_command": [_text(t) for t in command.why_none]} if command.unfit else {}


def _evidence(weight: str, fact: Fact) -> dict[str, Any]:
    source, at = place(fact)
    said = find_words(fact)
    return {
        "weight": weight,
        "source": source,
        "at": at,
        "seen_at": _time(fact.src.at),
        "quote": fact.src.quote,
        **({"reporter": said[0] or None, "error": said[1]} if said else {}),
    }


def _incident(i: Incident, members: bool) -> dict[str, Any]:
    return {
        "id": i.id,
        "cause": i.cause or None,
        "trouble": i.trouble,
        "culprit": ref(i.culprit),
        "representative": i.representative,
        "members": len(i.members),
        **({"alike": len(i.alike)} if i.alike else {}),
        **({"member_refs": [ref(m) for m in i.members]} if members else {}),
        **({"alike_refs": [ref(m) for m in i.alike]} if members and i.alike else {}),
        "reach": dict(i.reach),
        "since": _time(i.since),
    }


def _refusal(r: Refused) -> dict[str, Any]:
    return {"fact": r.want, "about": ref(r.about), "why_open": r.why, "detail": r.detail}


def ref(r: Ref) -> dict[str, str]:
    """Return a reference without its unknown parts. A Kubernetes object has a `namespace`, any other subject
    is `within` another one.
    """
    where = "within" if r.kind in THINGS else "namespace"
    pairs = (("kind", r.kind), (where, r.within), ("name", r.name), ("uid", r.uid), ("block", r.block))
    return {k: v for k, v in pairs if v is not None}


def _text(t: Text) -> dict[str, str]:
    return {"en": t.en, "zh": t.zh}


def _time(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


def make_documents(reports: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return several reports in the form of `unstuck demo -o json`."""
    return [make_document(r) for r in reports]
