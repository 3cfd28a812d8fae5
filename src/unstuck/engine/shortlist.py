"""Chooses which open causes are told, in which order, and what decides between them (docs/why/undecided.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question, Stage, messages_in
from unstuck.diagnosis.asking import on_the_node, why_by_probe, why_by_ssh
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.shortlist import NOT_THERE, Look, Place, Shortlist
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import SHUT_DOWN

PLACES = 3
# Of a subject about which nothing is known: so many causes' questions, as none of them is a lead.
UNKNOWN = 6
NODES = 2
API_LOOKS = 4
# Families of causes behind a failing call, by the beginning of its operation, nearest first.
FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("image-", ("image", "runtime")),
    ("pull-secret", ("image",)),
    ("sandbox-", ("network", "runtime", "security", "resources", "cgroup")),
    ("network-", ("network",)),
    ("volume-", ("volume", "storage", "config", "mount", "file")),
    ("device-", ("volume", "storage")),
    ("subpath-", ("volume", "mount", "file")),
    ("resources-", ("resources",)),
    ("container-", ("container", "runtime", "security", "config", "resources", "cgroup", "volume")),
    ("probe-", ("probe", "container")),
    ("post-start", ("container",)),
    ("pod-create", ("admission", "apiserver", "controller")),
    ("node-", ("kubelet", "runtime", "network", "node", "cgroup")),
    ("runtime-", ("runtime", "cgroup", "node")),
)
# The same by a container's waiting reason: a table's row has no more.
OF_REASON: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("CrashLoopBackOff", "Error", "OOMKilled", "Completed"), ("container", "probe", "resources")),
        **dict.fromkeys(
            ("RunContainerError", "StartError", "ContainerCannotRun"), ("container", "resources", "runtime", "volume", "security")
        ),
        **dict.fromkeys(("ErrImagePull", "ImagePullBackOff", "ImageInspectError", "InvalidImageName"), ("image",)),
    }
)
# A placeholder: a command that still lacks a name helps nobody.
_UNNAMED = re.compile(r"\b(?:NAME|NAMESPACE|POD|UID|NODE)\b")


def shortlist(d: Diagnosis) -> Shortlist:
    """Return what of the diagnosis' open causes is worth telling; of a proven cause no look is proposed."""
    shown = _shown(d)
    possible = any(o.possible for o in d.undecided)
    others = [] if possible or not shown else [o for o in d.undecided if o not in shown]
    places = _places(shown, d.stages)
    # One look answers the questions of the others, too.
    questions = _questions(d, [*shown, *others])
    known = any(t.confidence == "proven" for t in d.causes)
    return Shortlist(
        tuple(Place(at_once[0].stage, tuple(o.id for o in at_once)) for _, at_once in places[:PLACES]),
        len(others) + sum(len(at_once) for _, at_once in places[PLACES:]),
        bool(shown and not d.causes and questions) and all(q.want.fact.cost != "api" for q in questions),
        () if known else (*_on_nodes(d.subject, questions, d.unreached), *_at_the_server(questions)),
        () if d.causes else tuple(unique(a for o in shown for a in o.do_not)),
    )


def _shown(d: Diagnosis) -> list[OpenCause]:
    possible = [o for o in d.undecided if o.possible]
    if possible or d.causes or d.state.name not in ("stuck", "unknown"):
        return possible
    # The kubelet's own reason for ending the whole Pod is no guess.
    phases = [f for f in d.state.evidence if isinstance(f, Phase) and f.reason]
    if any(f.reason in SHUT_DOWN for f in phases):
        return []
    ended = any(f.phase == "Failed" for f in phases)
    return _related(d) or ([*d.undecided] if d.state.name == "stuck" and not ended else [])


def _related(d: Diagnosis) -> list[OpenCause]:
    """Return the open causes of the families behind an unexplained message or a container's reason, nearest family first.

    Of a Pod's row that shows no more than Pending, these are the families that keep a Pod from a Node.
    """
    tried = {f.operation for f in messages_in(d) if isinstance(f, Failure)}
    families = [family for prefix, among in FAMILIES if any(o.startswith(prefix) for o in tried) for family in among]
    if not families:
        waiting = {s.reason for f in d.state.evidence if isinstance(f, ContainerStatuses) for s in f.items}
        families = [family for reason, among in OF_REASON.items() if reason in waiting for family in among]
    if not families and any(isinstance(f, Phase) and f.phase == "Pending" for f in d.state.evidence):
        families = ["scheduling", "storage"]
    related = [o for o in d.undecided if o.id.partition(".")[0] in families]
    return sorted(related, key=lambda o: families.index(o.id.partition(".")[0]))


def _questions(d: Diagnosis, shown: Sequence[OpenCause]) -> list[Question]:
    likely = [t for t in d.causes if t.confidence == "likely" and t.consequence_of is None]
    # Of a subject about which nothing is known: what would tell more, not a list of all that it could be.
    unknown = d.state.name == "unknown" and not (shown or d.causes)
    open_ = d.undecided[:UNKNOWN] if unknown else [o for _, at_once in _places(shown, d.stages)[:PLACES] for o in at_once]
    return [q for t in likely for q in t.questions] + [q for o in open_ for q in o.questions]


def _places(shown: Sequence[OpenCause], stages: Sequence[Stage]) -> list[tuple[str, list[OpenCause]]]:
    """Group by stage, in the order of the line; a cause without a stage is a place of its own, by its id."""
    line = [s.id for s in stages]
    places: dict[str, list[OpenCause]] = {}
    for one in shown:
        places.setdefault(one.stage or one.id, []).append(one)
    return sorted(places.items(), key=lambda place: _position(place[0], line))


def _position(stage: str, line: Sequence[str]) -> int:
    return line.index(stage) if stage in line else len(line)


def _on_nodes(subject: Ref, questions: Iterable[Question], unreached: Sequence[Unreached]) -> Iterator[Look]:
    """Yield one look for each node with an answer. unreached: access methods that failed need not be proposed again."""
    nodes = dict.fromkeys(q.node.name if q.node and q.node.name else "" for q in questions if q.want.fact.cost != "api")
    for node in [*nodes][:NODES]:
        tried = {u.way for u in unreached if u.about.name == node and u.reason not in NOT_THERE}
        way = next((w for w in ("ssh", "probe") if w not in tried), None)
        instead = None
        if subject.name and node and way:
            instead = why_by_ssh(subject, node) if way == "ssh" else why_by_probe(subject)
        yield Look("node", on_the_node(subject), node, instead)


def _at_the_server(questions: Iterable[Question]) -> Iterator[Look]:
    open_ = (q for q in questions if q.want.fact.cost == "api" and q.why_open in ("not-asked", "timeout"))
    asks: dict[str, Command] = {}
    for ask in (q.ask for q in open_ if not _UNNAMED.search(q.ask.line)):
        # With -o yaml or without it is one look; the one that shows most is kept.
        look = ask.line.removesuffix(" -o yaml") or str(ask.why_none)
        asks[look] = max(asks.get(look, ask), ask, key=lambda one: len(one.line))
    yield from (Look("api", ask) for ask in [*asks.values()][:API_LOOKS])
