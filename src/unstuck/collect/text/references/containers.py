"""Resolves ids by other lines of the same text: a container's Pod, a process' program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from unstuck.collect.text.cutting.piece import Gone
from unstuck.facts.aspects.host import MountHolders, Proc
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import ContainerSeen, RuntimeContainers, RuntimeWord
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

SHORT = 12
_ID = regex(r"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])")
# A node's failure that names a container; a layer or a snapshot has its own id, which no Pod's container
# shares.
_OF_A_CONTAINER: frozenset[Operation] = frozenset(
    {
        "rootfs-remove",
        "container-remove",
        "container-stop",
        "container-start",
        "container-create",
        "exec",
        "status-read",
    }
)


def attribute_failures(facts: Iterable[Fact], containers: Mapping[str, Ref]) -> list[Fact]:
    """Return the facts, with failures that name one Pod's container attributed to the Pod. containers: an
    id's first 12 signs → Pod.
    """
    facts = list(facts)
    known = {**_reported_containers(facts), **containers}
    return [_attribute(f, known) if known and isinstance(f, Failure) else f for f in facts]


def find_container_placements(facts: Iterable[Fact], containers: Mapping[str, Ref]) -> list[Placement]:
    """Return the Node of each Pod whose container that node's log names. containers: as for
    `attribute_failures`.

    A runtime and a kubelet log the containers of their own node, under its name.
    """
    facts = list(facts)
    known = {**_reported_containers(facts), **containers}
    told = [
        (f, _attribute(f, known))
        for f in facts
        if known and isinstance(f, Failure) and f.about.kind == "Node" and f.about.name
    ]
    return list(
        dict.fromkeys(
            Placement(about=o.about, src=f.src, node=f.about, whole=False)
            for f, o in told
            if o.about.kind == "Pod"
        )
    )


def combine_runtime_words(
    words: Iterable[tuple[str, RuntimeWord, Source]], containers: Mapping[str, Ref], gone: Sequence[Gone] = ()
) -> Iterator[RuntimeContainers]:
    """Yield the states of one container of a Pod from two sources: two daemons' own listings, or a daemon and
    a tool that no longer finds it. words: (container id, word, its place).
    """
    words = list(words)
    known = {*containers, *(i[:SHORT] for i, _, _ in words if len(i) >= SHORT)}
    by: dict[str, list[tuple[str, RuntimeWord, Source]]] = {}
    for one in words:
        by.setdefault(_in_full(one[0], known), []).append(one)
    for short, rows in by.items():
        pod, pids = containers.get(short), {w.pid for _, w, _ in rows}
        ended = [
            g
            for g in gone
            if (g.pid and g.pid in pids) or (g.container and _in_full(g.container, known) == short)
        ]
        if pod and (ended or len({w.daemon for _, w, _ in rows}) > 1):
            # The kernel kills all processes of a container whose first process has ended.
            none: tuple[Proc, ...] | None = () if ended else None
            seen = ContainerSeen(
                max((i for i, _, _ in rows), key=len), words=tuple(w for _, w, _ in rows), processes=none
            )
            yield RuntimeContainers(
                about=pod, src=ended[-1].src if ended else rows[-1][2], items=(seen,), whole=False
            )


def _in_full(id_: str, known: Collection[str]) -> str:
    """Return the first 12 characters of the only known container id with this prefix: docker accepts any
    unique prefix.
    """
    fit = [one for one in known if one.startswith(id_[:SHORT])]
    return fit[0] if len(fit) == 1 else id_[:SHORT]


def name_programs(facts: Iterable[Fact], processes: Mapping[int, Proc]) -> list[Fact]:
    """Return the facts, with names from `ps` for processes that `mountinfo` gave only by pid."""
    return [_with_programs(f, processes) if processes and isinstance(f, MountHolders) else f for f in facts]


def _with_programs(fact: MountHolders, processes: Mapping[int, Proc]) -> MountHolders:
    items = tuple(
        replace(h, proc=processes.get(h.proc.pid, h.proc)) if not h.proc.comm else h for h in fact.items
    )
    return replace(fact, items=items)


def _reported_containers(facts: Iterable[Fact]) -> dict[str, Ref]:
    """Map container ids to Pods by the Pods' own statuses (`docker://0a1b…`, `containerd://…`)."""
    return {
        s.container_id.rpartition("/")[2][:SHORT]: f.about
        for f in facts
        if isinstance(f, ContainerStatuses)
        for s in f.items
        if len(s.container_id) > SHORT
    }


def _attribute(failure: Failure, known: Mapping[str, Ref]) -> Failure:
    if failure.operation not in _OF_A_CONTAINER or (failure.about.kind == "Pod" and not failure.about.block):
        return failure
    named = {known[m[0][:SHORT]] for m in _ID.finditer(failure.src.quote) if m[0][:SHORT] in known}
    return replace(failure, about=named.pop()) if len(named) == 1 else failure
