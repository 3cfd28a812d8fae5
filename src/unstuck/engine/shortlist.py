"""The leads by stage, and the looks that decide between them: derived from the leads, without a rule of
its own (docs/why/undecided.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question, Stage
from unstuck.diagnosis.asking import ask_by_probe, ask_by_ssh, ask_on_node
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.shortlist import NOT_THERE, Look, Place, Shortlist
from unstuck.diagnosis.sign import unique
from unstuck.engine.leads import leads_to_ask, locate_stage
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

# The number of causes whose questions are shown if nothing is known about a subject, since there are no
# leads.
UNKNOWN = 6
NODES = 2
API_LOOKS = 4
# A placeholder: a command that still lacks a name is no help.
_UNNAMED = regex(r"\b(?:NAME|NAMESPACE|POD|UID|NODE)\b")


def make_shortlist(d: Diagnosis, told: Sequence[OpenCause]) -> Shortlist:
    """Return the leads by the stage that they would hold; no look is proposed for a proven cause. told:
    the leads, in their order.
    """
    # If the leads have evidence, or a cause is known, the other open causes are no alternatives.
    others = 0 if d.causes or any(o.possible for o in told) or not told else len(d.undecided) - len(told)
    places = _list_places(told, d.stages)
    questions = _list_questions(d, told)
    known = any(t.confidence == "proven" for t in d.causes)
    return Shortlist(
        tuple(Place(at_once[0].stage, tuple(o.id for o in at_once)) for _, at_once in places),
        max(0, others) + max(0, sum(o.possible for o in d.undecided) - len(told)),
        bool(told and not d.causes and questions) and all(q.want.fact.cost != "api" for q in questions),
        () if known else (*_look_on_nodes(d.subject, questions, d.unreached), *_look_at_server(questions)),
        () if d.causes else tuple(unique(a for o in told for a in o.do_not)),
    )


def _list_questions(d: Diagnosis, told: Sequence[OpenCause]) -> list[Question]:
    likely = [t for t in d.causes if t.confidence == "likely" and t.consequence_of is None]
    # If nothing is known: the commands that would show more, not a list of all possibilities.
    open_ = leads_to_ask(d, told)[:UNKNOWN]
    return [q for t in likely for q in t.questions] + [q for o in open_ for q in o.questions]


def _list_places(told: Sequence[OpenCause], stages: Sequence[Stage]) -> list[tuple[str, list[OpenCause]]]:
    """Group by stage, in the order of the line; a cause without a stage forms a group of its own, by
    its id.
    """
    line = [s.id for s in stages]
    places: dict[str, list[OpenCause]] = {}
    for one in told:
        places.setdefault(one.stage or one.id, []).append(one)
    return sorted(places.items(), key=lambda place: locate_stage(place[0], line))


def _look_on_nodes(
    subject: Ref, questions: Iterable[Question], unreached: Sequence[Unreached]
) -> Iterator[Look]:
    """Yield one look for each node with an answer. unreached: access methods that failed need not be
    proposed again.
    """
    nodes = dict.fromkeys(
        q.node.name if q.node and q.node.name else "" for q in questions if q.want.fact.cost != "api"
    )
    for node in [*nodes][:NODES]:
        tried = {u.way for u in unreached if u.about.name == node and u.reason not in NOT_THERE}
        way = next((w for w in ("ssh", "probe") if w not in tried), None)
        instead = None
        if subject.name and node and way:
            instead = ask_by_ssh(subject, node) if way == "ssh" else ask_by_probe(subject)
        yield Look("node", ask_on_node(subject), node, instead)


def _look_at_server(questions: Iterable[Question]) -> Iterator[Look]:
    open_ = (q for q in questions if q.want.fact.cost == "api" and q.why_open in ("not-asked", "timeout"))
    asks: dict[str, Command] = {}
    for ask in (q.ask for q in open_ if not _UNNAMED.search(q.ask.line)):
        # The same command with and without -o yaml is one look; the more detailed form is kept.
        look = ask.line.removesuffix(" -o yaml") or str(ask.why_none)
        asks[look] = max(asks.get(look, ask), ask, key=lambda one: len(one.line))
    yield from (Look("api", ask) for ask in [*asks.values()][:API_LOOKS])
