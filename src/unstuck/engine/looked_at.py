"""Tells what was looked at on a node whose look decides nothing: nobody would know of it otherwise."""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.facts.aspects.node_files import ConfigMentions
from unstuck.facts.core import Fact
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)

_NODE = "node:"
# Names of single things in a sentence, and characters of one.
_NAMED, _LONGEST = 4, 60
_TOLD = ("stuck", "unknown")


def tell_looked_at(d: Diagnosis, snap: Snapshot) -> Diagnosis:
    """Return the answer with a note on what was looked at on a node, where nothing that was seen there is
    among its evidence.
    """
    nodes = unique(s.removeprefix(_NODE) for s in snap.sources if s.startswith(_NODE))
    if not nodes or not d.causes or d.state.name not in _TOLD or d.subject.kind == "Node":
        return d
    facts = (e.fact for cause in d.causes for e in cause.evidence)
    if any(fact.cost == "node" for fact in facts):
        return d
    first, *others = d.causes
    finding = replace(first.finding, notes=(_describe_look(nodes, snap), *first.finding.notes))
    return replace(d, causes=(replace(first, finding=finding), *others))


def _describe_look(nodes: tuple[str, ...], snap: Snapshot) -> Text:
    single = unique(
        _name(f) for f in snap.facts if f.cost == "node" and f.about.kind in ("File", "ConfigWord")
    )
    told = say("Node {nodes} was looked at, and nothing there explains this", nodes=list_names(nodes))
    if not single:
        return told
    return told + say(", {names} included", names=list_names(single[:_NAMED]))


def _name(fact: Fact) -> str:
    name = (fact.about.name or "")[:_LONGEST]
    return f"“{name}”" if isinstance(fact, ConfigMentions) else name
