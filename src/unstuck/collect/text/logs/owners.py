"""Finds the Pod of a log: a Pod that another part of the text shows in its Namespace, or a workload's Pod.

A name without a Namespace means the only Pod of the text with that name. Among a workload's Pods it is the
Pod that kubectl reports as chosen, else the only one shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from unstuck.collect.text.cutting.piece import Piece, TypedCommand
from unstuck.collect.text.logs.container_log import find_last_lines, is_of_previous_run
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import place_of_containers
from unstuck.facts.regex import regex

# Source: k8s.io/kubectl pkg/polymorphichelpers/logsforobject.go (1.9–1.34).
_CHOSE = regex(r"^Found \d{1,6} pods, using pod/(?P<name>[a-z0-9][a-z0-9.-]{0,252})\s*$")


def attribute_to_shown_pods(facts: Collection[Fact]) -> list[Fact]:
    """Return the facts, with each log in the Namespace in which the text shows its Pod; in none if the text
    shows the Pod without one.
    """
    pods = _list_pods(facts)
    known = {place_of_containers(pod) for pod in pods}
    return [
        replace(f, about=Ref("Container", place_of_containers(pod), f.about.name))
        if isinstance(f, LastLines)
        and f.about.within not in known
        and (pod := _find_only(pods, f.about.within or ""))
        else f
        for f in facts
    ]


def find_workload_logs(read_as: Sequence[tuple[str, Piece]], facts: Collection[Fact]) -> Iterator[LastLines]:
    """Yield the last lines of logs that a command requests by a workload or a selector, for the Pod that they
    belong to.

    read_as: (format, piece), in order.
    """
    pods = _list_pods(facts)
    for form, piece in read_as:
        if form != "container-log" or piece.command is None or not (names := _name_workloads(piece.command)):
            continue
        chosen = next((m["name"] for line in piece.lines if (m := _CHOSE.match(line))), None)
        mine = {
            pod
            for pod in pods
            if _is_within(pod, piece.namespace)
            and (pod.name == chosen if chosen else any((pod.name or "").startswith(f"{n}-") for n in names))
        }
        if len(mine) != 1:
            continue
        rows = [(n, line) for n, line in enumerate(piece.lines) if not _CHOSE.match(line)]
        container = piece.command.option("-c", "--container")
        about = Ref("Container", place_of_containers(next(iter(mine))), container)
        previous = is_of_previous_run(piece.command)
        if told := find_last_lines(piece, about, rows, previous=previous):
            yield told


def _list_pods(facts: Collection[Fact]) -> list[Ref]:
    return sorted({f.about for f in facts if f.about.kind == "Pod" and f.about.name}, key=lambda r: r.key)


def _find_only(pods: Sequence[Ref], place: str) -> Ref | None:
    """Return the only Pod that the place of a log's container can mean."""
    namespace, _, name = place.rpartition("/")
    mine = {place_of_containers(p): p for p in pods if p.name == name and _is_within(p, namespace or None)}
    return next(iter(mine.values())) if len(mine) == 1 else None


def _is_within(pod: Ref, namespace: str | None) -> bool:
    """Tell whether a Pod may be in this Namespace; either may be unknown."""
    return namespace is None or pod.within in (None, namespace)


def _name_workloads(command: TypedCommand) -> list[str]:
    """Return the names of the workload that `kubectl logs` asks about, or the values of its selector."""
    if command.program != "kubectl" or "logs" not in command.arguments:
        return []
    asked = [w for w in command.arguments if w != "logs"]
    selected = command.option("-l", "--selector") or ""
    values = [part.partition("=")[2].lstrip("=") for part in selected.split(",")]
    kind, slash, name = asked[0].partition("/") if asked else ("", "", "")
    workloads = [name] if slash and kind not in ("pod", "pods", "po") else []
    return [n for n in (*workloads, *values) if n]
