"""The commands that a reader could run next, from the reader's place, and the open questions that the
output of each answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unstuck.diagnosis import asking
from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.next import NextCost
from unstuck.diagnosis.shortlist import NOT_THERE
from unstuck.diagnosis.text import Messages, Text
from unstuck.engine import outputs
from unstuck.engine.quoted_looks import looks_at_names
from unstuck.engine.unread_parts import find_unread_pods
from unstuck.facts.aspects.objects import Below, Events, Failure
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)
NODES = 2
_API: NextCost = "api"
_PERSON: NextCost = "person"
_UNNAMED = regex(r"\b(?:NAME|NAMESPACE|POD|UID|NODE|REGISTRY)\b")
_DESCRIBED = say("its events say in the components' own words what fails")
_REST = say("its state, and all of its events")
_WRITTEN = say("its whole spec and status")
_WHY = say("reads everything about it from the API server, read-only")
_ASKED = say("asks the cluster for all that concerns it, read-only")
_SHOWN = say("shows what is not known yet")
_EVENTS = say("what was said of it, as long as its events are kept")
_DENIED = say("you may not see this: somebody who may has to run it")
_OWN = say("all that it says of itself, and its events")
_OF_ITS_PODS = say("what its Pods wait for, and their events")
_LOG = say("what the kubelet says about it")
_COLLECTED = say("nothing here decides it: a file of all that is known, for somebody else")


@record()
class CommandOffer(Record):
    """A command, the place to run it, and the questions that its output answers.

    says: a description of its output. hears: whether it shows components' messages about the subject. needs:
    its cost factor: 1 for nothing special. names: whether it looks at an object named in an error.
    """

    command: Command
    at: str
    says: Text
    cost: NextCost
    answers: frozenset[Question] = frozenset()
    hears: bool = False
    needs: float = 1.0
    names: bool = False


def make_offers(
    d: Diagnosis, told: Sequence[OpenCause], questions: Sequence[Question], snap: Snapshot
) -> list[CommandOffer]:
    """Return all offers without the outputs given already: at least one, each with a command. told: the
    leads.
    """
    pasted = not any(s.startswith("live:") for s in snap.sources)
    made = (
        [*_offer_named(d, told, snap), *_offer_for_paste(d, questions, snap)]
        if pasted
        else [*_offer_for_cluster(d, questions, snap)]
    )
    if fit := [o for o in made if o.command]:
        ran = {_strip_pipe(c.text) for text in snap.every(Pasted) for c in text.commands}
        return [
            o
            for o in fit
            if _strip_pipe(o.command.line) not in ran and not outputs.was_given(o.command.argv, snap)
        ] or fit
    # An invalid name appears in no command: the reader fills in the right one.
    unnamed = replace(d, subject=Ref(d.subject.kind))
    return [
        o for o in (*_offer_for_paste(unnamed, (), snap), *_offer_without_questions(unnamed)) if o.command
    ]


def _strip_pipe(line: str) -> str:
    """Return a command without its pipe into `unstuck read`, whose file arguments may differ."""
    return line.partition(" | unstuck read ")[0].strip()


def _offer_named(d: Diagnosis, told: Sequence[OpenCause], snap: Snapshot) -> Iterator[CommandOffer]:
    """Yield the commands for the objects named in the input, each with its machine."""
    files, node = _list_files(snap), _find_node_name(d, snap) or _find_speaking_node(d, snap)
    asked = {o.id: o.questions for o in told}
    for one in looks_at_names(d, told, snap):
        answers = frozenset(
            q for q in asked.get(one.lead, ()) if (q.want.fact.cost != "api") == one.look.on_node
        )
        if one.look.on_node:
            there = one.look.node or node or "NODE"
            yield CommandOffer(one.look.command, f"node:{there}", one.look.says, "node", answers, names=True)
        elif one.look.for_reader:
            yield CommandOffer(one.look.command, "here", one.look.says, "api", answers, names=True)
        else:
            yield CommandOffer(
                asking.pipe(one.look.command, files), "paste", one.look.says, "api", answers, names=True
            )


def _list_files(snap: Snapshot) -> list[str]:
    """Return the given files; piped input cannot be named again."""
    return [s.removeprefix("file:") for s in snap.sources if s.startswith("file:") and s != "file:-"]


def _find_speaking_node(d: Diagnosis, snap: Snapshot) -> str:
    """Return the Node whose component reported of the subject: `kubelet, NODE`."""
    said = (f.reporter.partition(", ")[2] for f in snap.of(Failure, d.subject))
    return next((node for node in said if node), "")


def _offer_for_paste(d: Diagnosis, questions: Sequence[Question], snap: Snapshot) -> Iterator[CommandOffer]:
    """Yield the commands whose output can be read together with the given input: first kubectl's, then
    commands that need access of their own.
    """
    # A text is no object: nothing can be asked about it.
    if d.subject.kind == "Text":
        return
    files = _list_files(snap)
    subject, known = d.subject, outputs.find_shown_outputs(d.subject, snap)
    unread = find_unread_pods(subject, snap)
    # With its events at hand, the object itself adds less.
    needs = 1.3 if "events" in known else 1.0
    if "describe" not in known:
        answered = frozenset(q for q in questions if outputs.describe_answers(q, subject))
        # A workload does not repeat its Pods' messages.
        says = _REST if outputs.has_messages(subject, snap) else _DESCRIBED
        yield CommandOffer(
            asking.pipe(asking.describe(subject), files), "paste", says, "api", answered, not unread, needs
        )
    if "yaml" not in known:
        answered = frozenset(q for q in questions if outputs.is_answered_by_yaml(q, subject))
        yield CommandOffer(
            asking.pipe(asking.get_as_yaml(subject), files), "paste", _WRITTEN, "api", answered, needs=needs
        )
    if unread and subject.name:
        pods = frozenset(q for q in questions if q.want.fact is Below and q.want.about == subject)
        yield CommandOffer(
            asking.pipe(asking.describe_pods(subject), files), "paste", _OF_ITS_PODS, "api", pods, hears=True
        )
    for same in _group_by_command(questions):
        ask, read = same[0].ask, frozenset(q for q in same if outputs.read_from_text(q))
        if _repeats(same[0], subject, known):
            continue
        if read:
            hears = same[0].want.fact is Events
            yield CommandOffer(
                asking.pipe(ask, files), "paste", _SHOWN, "api", read, hears, _weigh_placeholders(ask)
            )
        elif not subject.name or ask.argv[0] != "kubectl":
            yield CommandOffer(ask, "here", _SHOWN, "api", frozenset(same), needs=_weigh_placeholders(ask))
    of_server = frozenset(q for q in questions if q.want.fact.cost == "api")
    if subject.name:
        yield CommandOffer(asking.ask_why(subject), "here", _ASKED, "api", of_server, hears=True, needs=1.6)
    yield from _offer_on_nodes(d, questions, of_server, snap)
    if not subject.name and "events" not in known:
        yield CommandOffer(
            asking.pipe(asking.get_events_about(subject), files),
            "paste",
            _EVENTS,
            "api",
            hears=True,
            needs=1.3,
        )
    yield from _offer_without_questions(d)


def _offer_for_cluster(d: Diagnosis, questions: Sequence[Question], snap: Snapshot) -> Iterator[CommandOffer]:
    """Yield the offers that go beyond the questions asked so far: this program with more access, a single
    question, or a person with other rights.
    """
    unasked = frozenset(
        q for q in questions if q.want.fact.cost == "api" and q.why_open in ("not-asked", "timeout")
    )
    if unasked:
        yield CommandOffer(asking.ask_why(d.subject), "here", _WHY, "api", unasked, hears=True)
    yield from _offer_on_nodes(d, questions, unasked, snap)
    for same in _group_by_command(q for q in questions if q.why_open != "not-offered"):
        denied = same[0].why_open == "denied"
        says, cost = (_DENIED, _PERSON) if denied else (_SHOWN, _API)
        yield CommandOffer(
            same[0].ask, "here", says, cost, frozenset(same), needs=_weigh_placeholders(same[0].ask)
        )
    if d.state.own and not any(o.questions for o in d.undecided):
        yield CommandOffer(asking.describe(d.subject), "here", _OWN, "api", hears=True)
    yield from _offer_without_questions(d)


def _repeats(question: Question, subject: Ref, known: frozenset[outputs.Output]) -> bool:
    """Tell whether the command's output was given already, or is yielded by another offer."""
    if question.want.fact is Events:
        return "events" in known
    return outputs.is_answered_by_yaml(question, subject)


def _offer_on_nodes(
    d: Diagnosis, questions: Sequence[Question], also: frozenset[Question], snap: Snapshot
) -> Iterator[CommandOffer]:
    """Yield a look at each node that can answer; for a Pod, at its own. also: further questions that such
    a look from here answers.
    """
    by_node: dict[str, set[Question]] = {}
    for q in questions:
        if q.want.fact.cost != "api":
            by_node.setdefault(q.node.name or "" if q.node else "", set()).add(q)
    if not by_node and (own := _find_node_name(d, snap)):
        by_node[own] = set()
    looked = {s.removeprefix("node:") for s in snap.sources if s.startswith("node:")}
    for node, here in [*by_node.items()][:NODES]:
        if node in looked:
            continue
        tried = {u.way for u in d.unreached if u.about.name == node and u.reason not in NOT_THERE}
        if d.subject.name and node and "ssh" not in tried:
            yield CommandOffer(
                asking.ask_by_ssh(d.subject, node),
                "here",
                _describe_looks(node),
                "node",
                also | here,
                hears=True,
            )
        elif d.subject.name and node and "probe" not in tried:
            yield CommandOffer(
                asking.ask_by_probe(d.subject),
                "here",
                _describe_probes(node),
                "node",
                also | here,
                hears=True,
            )
        if here or not d.subject.name:
            yield CommandOffer(
                asking.ask_on_node(d.subject),
                f"node:{node or 'NODE'}",
                _describe_looks(node),
                "node",
                frozenset(here),
            )


def _find_node_name(d: Diagnosis, snap: Snapshot) -> str:
    found = (
        d.subject
        if d.subject.kind == "Node"
        else find_node_of_pod(d.subject, snap)
        if d.subject.kind == "Pod"
        else None
    )
    return found.name or "" if found else ""


def _group_by_command(questions: Iterable[Question]) -> Iterator[list[Question]]:
    """Yield the questions that one command answers, for each command."""
    by_line: dict[tuple[str, bool], list[Question]] = {}
    for q in questions:
        if q.want.fact.cost == "api" and q.ask:
            by_line.setdefault((q.ask.line, q.why_open == "denied"), []).append(q)
    yield from by_line.values()


def _weigh_placeholders(command: Command) -> float:
    """Weigh the extra effort of a name that the reader has to find."""
    return 1.3 if _UNNAMED.search(command.line) else 1.0


def _offer_without_questions(d: Diagnosis) -> Iterator[CommandOffer]:
    """Yield the offers that remain if no question is open."""
    if d.subject.kind == "Node":
        yield CommandOffer(
            asking.read_kubelet_log(), f"node:{d.subject.name or 'NODE'}", _LOG, "node", hears=True
        )
    if d.subject.name:
        yield CommandOffer(asking.collect(d.subject), "here", _COLLECTED, "person")
    else:
        yield CommandOffer(asking.get_all_events(), "here", _EVENTS, "api", hears=True, needs=1.6)


def _describe_looks(node: str) -> Text:
    return say("looks at {node}, read-only", node=node) if node else say("looks at its node, read-only")


def _describe_probes(node: str) -> Text:
    return say("looks at {node} with a Pod that lives for a moment", node=node)
