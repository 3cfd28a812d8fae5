"""Asks the runtimes for the status of each container, one by one, in threads beside all other reading."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unstuck.collect.node.cgroup import normalize_uid
from unstuck.collect.runtime.containers import RuntimeSources
from unstuck.collect.runtime.probe import SECONDS, RuntimeEndpoint
from unstuck.collect.runtime.statuses import Statuses, StatusQuery, ask_each
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.runtime import ContainerAnswers, SilentContainer
from unstuck.facts.core import Ref, Source
from unstuck.facts.derive.runtime import list_live_processes

if TYPE_CHECKING:
    from unstuck.collect.node.view import NodeView

# The runtime whose files hold an endpoint's container ids: cri-dockerd keeps none of its own.
_BEHIND = {"cri-dockerd": "dockerd"}


@dataclass(slots=True)
class _EndpointQuestion:
    """The question to one endpoint."""

    thread: threading.Thread
    statuses: list[Statuses]


class ContainerCalls:
    """Each runtime's status of each of its containers; the questions start with the first use."""

    def __init__(self, view: NodeView) -> None:
        self._view = view
        runtimes = view.runtimes
        self.sources = RuntimeSources(view.kubelet.files, view.table, view.sees_node, runtimes.places)
        self._asking = [self._begin(e) for e in runtimes.endpoints]

    def _begin(self, endpoint: RuntimeEndpoint) -> _EndpointQuestion:
        found: list[Statuses] = []
        todo = self._containers(endpoint)
        thread = threading.Thread(target=lambda: found.append(ask_each(endpoint, todo)), daemon=True)
        if todo:
            with suppress(RuntimeError):  # no more threads are allowed: that endpoint is then not told
                thread.start()
        return _EndpointQuestion(thread, found)

    def _containers(self, endpoint: RuntimeEndpoint) -> list[StatusQuery]:
        """Return the runtime's containers, containers with a task first: an ended container is rarely waited
        for.
        """
        tasks = {i: s for i, s in self.sources.kept.items() if s.task_pid is not None}
        rest = {i: s for i, s in self.sources.kept.items() if i not in tasks and s.word is not None}
        # dockerd's tasks are containerd's too, under another name space: only the CRI's own have a Pod's uid
        # in their bundle.
        mine = {i: s for i, s in tasks.items() if s.pod} if endpoint.daemon == "containerd" else {}
        daemon = _BEHIND.get(endpoint.daemon, endpoint.daemon)
        mine |= {i: s for i, s in rest.items() if s.word and s.word.daemon == daemon}
        ended = {i for i, s in mine.items() if s.word is not None and s.word.state in ("exited", "dead")}
        return [
            StatusQuery(i, normalize_uid(s.pod) or "", bool(s.sandbox))
            for i, s in sorted(mine.items(), key=lambda m: m[0] in ended)
        ]

    def answers(self) -> tuple[Statuses, ...]:
        """Return the statuses of each endpoint, waiting for unfinished queries."""
        for one in self._asking:
            if one.thread.ident:
                one.thread.join(4 * SECONDS)
        return tuple(s for one in self._asking for s in one.statuses if s.told)


def is_reason_to_ask(failure: Failure) -> bool:
    """Tell whether a failure is reason to ask: a call for one container that took too long, or PLEG after it
    had worked once.

    At its start every kubelet reports that PLEG has yet to be successful.
    """
    if failure.operation == "container-inspect":
        return failure.error in ("deadline-exceeded", "timeout")
    return failure.operation == "runtime-ready" and "pleg was last seen active" in failure.message


def of_node(view: NodeView) -> ContainerAnswers | None:
    """Return None if no runtime returns even its version, or none of its containers is known."""
    return _fact(view, view.ref, None)


def of_pod(view: NodeView, pod: Ref) -> ContainerAnswers | None:
    """Return the result of `of_node`, with the silent containers of this Pod."""
    return _fact(view, pod, pod.uid or "")


def _fact(view: NodeView, about: Ref, uid: str | None) -> ContainerAnswers | None:
    answers = view.statuses.answers()
    if not answers:
        return None
    silent = tuple(
        s for one in answers for s in _list_silent_containers(view, one) if uid is None or s.pod == uid
    )
    first = silent[0] if silent else None
    answered = sum(a.answered for a in answers)
    left_out = sum(a.left_out for a in answers)
    quote = (
        f"{first.tries[-1].call} {first.id[:12]}: no reply in {first.tries[-1].seconds:g} s, twice; "
        if first
        else ""
    )
    return ContainerAnswers(
        about=about,
        src=Source(f"{view.name} {_place(first)}", f"{quote}{answered} others answered"),
        whole=not left_out and answered > 0,
        silent=silent,
        answered=answered,
        left_out=left_out,
    )


def _list_silent_containers(view: NodeView, one: Statuses) -> Iterator[SilentContainer]:
    for asked, tries in one.silent:
        yield SilentContainer(one.daemon, asked.id, tries, asked.pod, view.statuses.sources.one(asked.id))


def _place(silent: SilentContainer | None) -> str:
    """Return the place where a person can look further: the container's process or its shim."""
    if silent is None or silent.seen is None:
        return "runtime's socket"
    procs = [*([silent.seen.shim] if silent.seen.shim else []), *list_live_processes(silent.seen)]
    worst = next((p for p in procs if p.state in ("T", "t", "D")), procs[0] if procs else None)
    return f"/proc/{worst.pid}/stat" if worst else "runtime's socket"
