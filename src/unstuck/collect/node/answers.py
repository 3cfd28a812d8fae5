"""Answers Wants: calls the reader that is declared for a fact type, about a Pod, the Node, a mount or a
unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain

from unstuck.collect.node import node_facts, pods, statuses
from unstuck.collect.node.declaration import NodeObservable, Surveyed
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.collect.node.refusal import refuse
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects import host, runtime
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Refused, Source, Want

_Answer = Fact | Iterable[Fact] | None
_Reader = Callable[..., _Answer]  # of the NodeView, and of the Ref if that is not the Node


def _reader(name: str) -> _Reader:
    module, _, function = name.partition(".")
    found: _Reader = getattr(import_module(f"unstuck.collect.node.{module}"), function)
    return found


# All are loaded now: the agent's process is locked, and its disk may not answer, when it begins to look.
_READERS: Mapping[tuple[type[Fact], str], _Reader] = {
    (o.fact, kind): _reader(r) for o in NODE_OBSERVABLES for kind, r in o.readers.items()
}
_BY_FACT: Mapping[type[Fact], NodeObservable] = {o.fact: o for o in NODE_OBSERVABLES}
_ORDER: Mapping[type[Fact], int] = {fact: place for place, fact in enumerate(_BY_FACT)}


def answer(view: NodeView, wants: Sequence[Want]) -> Iterator[Fact]:
    """Yield the facts of each Want, or the reasons for their absence, as soon as they are known; and the
    logs' failures for each named Pod.
    """
    ordered = sorted(dict.fromkeys(wants), key=lambda w: (_ORDER.get(w.fact, -1), w.key))
    declared = [_BY_FACT[w.fact] for w in ordered if w.fact in _BY_FACT]
    for begun in dict.fromkeys(o.begins for o in declared if o.begins):
        getattr(view, begun)
    told: set[Ref] = set()
    for want in ordered:
        if (
            want.about.kind == "Pod"
            and (pod := view.pod(want.about))
            and pod not in told
            and (want.fact, "Pod") in _READERS
        ):
            told.add(pod)
            yield from pods.log_failures(view, pod)
        yield from _answer_want(view, want)


def _answer_want(view: NodeView, want: Want) -> Iterator[Fact]:
    about = want.about
    reader = _READERS.get((want.fact, about.kind))
    got: _Answer
    if reader is None:
        yield refuse(
            want, "not-offered", f"a node does not tell {want.fact.__name__} of a {about.kind}", view.name
        )
        return
    if about.kind == "Pod":
        pod = view.pod(about)
        if pod is None:
            yield refuse(want, "not-offered", "this node does not know the Pod's uid", view.name)
            return
        got = reader(view, pod)
    elif about.kind == "Node":
        if about.name not in (None, view.name):
            yield refuse(want, "not-offered", f"this is node {view.name}", view.name)
            return
        got = reader(view)
    else:
        got = reader(view, about)
    facts = [got] if isinstance(got, Fact) else list(got or ())
    yield from facts
    if not facts:
        yield refuse(want, "not-offered", _BY_FACT[want.fact].missing or "not found here", view.name)


def survey(view: NodeView, uid: str | None) -> Iterator[Fact]:
    """Yield all facts about the node itself and about one Pod."""
    pod = view.pod(Ref("Pod", uid=uid)) if uid else None
    left_out: tuple[Surveyed, ...] = ("on-request",) if pod is None else ("on-request", "either")
    wants = [
        Want(o.fact, view.ref) for o in NODE_OBSERVABLES if "Node" in o.readers and o.surveyed not in left_out
    ]
    wants += (
        [Want(o.fact, pod) for o in NODE_OBSERVABLES if "Pod" in o.readers and o.surveyed != "on-request"]
        if pod
        else []
    )
    told: list[Failure] = []
    units: set[str] = set()
    if pod and (here := pods.placement(view, pod)):
        yield here
    for fact in chain(answer(view, wants), node_facts.log_failures(view)):
        if fact in told:
            continue
        yield fact
        if isinstance(fact, Failure):
            told.append(fact)
        elif isinstance(fact, host.DaemonState) and fact.proc and fact.proc.unit:
            units.add(fact.proc.unit)
    if any(statuses.is_reason_to_ask(f) for f in told):
        yield from answer(view, [Want(runtime.ContainerAnswers, about) for about in (view.ref, pod) if about])
    if uid and pod is None:
        yield Refused(
            about=Ref("Pod", uid=uid),
            src=Source(f"node:{view.name}"),
            want="survey",
            why="not-offered",
            detail="this is no Pod's uid",
        )
    for fact in answer(
        view,
        [Want(host.MountHolders, Ref("Mount", view.name, path)) for path in pods.busy_paths(told, pod, view)],
    ):
        yield fact
        if isinstance(fact, host.MountHolders):
            units |= {h.proc.unit for h in fact.items if h.proc.unit}
    yield from answer(view, [Want(host.UnitFile, Ref("Unit", view.name, unit)) for unit in sorted(units)])
