"""Judges each unhealthy container of a Pod separately, so that one container's trouble does not hide
another's.

A rule about a Pod finds the first matching container. If several are unhealthy, every rule that looked at
containers runs once more for each of them, and sees no other container.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses
from unstuck.facts.core import F, Fact, Ref, Refused, Want
from unstuck.facts.derive.pods import ended_well, place_of_containers
from unstuck.facts.lookup import Facts, find_refusal, is_answered, pick_best

say = Messages(__name__)

# The limit of named containers; more are counted.
MOST = 4
# Facts about several containers at once.
OF_CONTAINERS: frozenset[type[Fact]] = frozenset({ContainerStatuses, Failure})
# Operations on one container: if several containers are unhealthy, such a failure without a container's name
# cannot be attributed.
_ON_A_CONTAINER = ("container-", "image-", "probe-", "post-start", "pre-stop", "program-run")
# The container waits for its Pod, not for itself.
_BEFORE = ("", "PodInitializing", "ContainerCreating")


def find_ill_containers(pod: Ref, snap: Facts) -> tuple[str, ...]:
    """Return the names of the unhealthy containers if there are several; else none."""
    ill = [s.name for s in _find_ill(pod, snap)]
    return tuple(ill[:MOST]) if len(ill) > 1 else ()


def tell_of_others(told: Sequence[CauseMatch], pod: Ref, snap: Facts) -> Text | None:
    """Return the number and names of a Pod's unhealthy containers without one of these causes; None if there
    are none.

    told: the causes found on this Pod.
    """
    named = {
        r.name
        for t in told
        for r in (t.finding.culprit, *t.finding.blocks)
        if r.within == place_of_containers(pod)
    }
    others = [s for s in _find_ill(pod, snap) if s.name not in named]
    # Without a cause about a single container, the answer holds for all of them.
    if not others or not named:
        return None
    shown = ", ".join(_describe(s) for s in others)
    return say(
        "{n} more {n:container is|containers are} not well, and why is not known: {shown}",
        n=len(others),
        shown=shown,
    )


def _describe(s: ContainerStatus) -> str:
    end = s.ended or s.last
    return f"{s.name} (exit {end.code})" if end else f"{s.name} ({s.reason or s.state})"


def _find_ill(pod: Ref, snap: Facts) -> list[ContainerStatus]:
    statuses = snap.one(ContainerStatuses, pod) if pod.kind == "Pod" else None
    return [s for s in statuses.items if s.name and _is_ill(s)] if statuses else []


def _is_ill(s: ContainerStatus) -> bool:
    if s.kind == "ephemeral":
        return False
    if s.state == "running":
        return not s.ready and s.kind != "init"
    if s.state == "waiting":
        return s.reason not in _BEFORE or s.last is not None
    return s.state == "terminated" and not ended_well(s)


def _is_of_the_pod(failure: Failure) -> bool:
    return not failure.container and not failure.operation.startswith(_ON_A_CONTAINER)


class OfContainer:
    """`Facts` with only one container's status and failures for a Pod; all else is unchanged."""

    def __init__(self, facts: Facts, pod: Ref, name: str) -> None:
        self._facts, self._pod, self._name = facts, pod, name
        self.now: datetime = facts.now
        # Each narrowed fact with its original, which an answer shows.
        self.originals: dict[Fact, Fact] = {}

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        found = self._facts.of(kind, about)
        if about != self._pod or kind not in OF_CONTAINERS:
            return found
        return cast("tuple[F, ...]", tuple(self._narrow(found)))

    def _narrow(self, found: Sequence[Fact]) -> Iterator[Fact]:
        for fact in found:
            if isinstance(fact, ContainerStatuses):
                narrowed = replace(fact, items=tuple(s for s in fact.items if s.name == self._name))
                self.originals[narrowed] = fact
                yield narrowed
            elif not isinstance(fact, Failure) or fact.container == self._name or _is_of_the_pod(fact):
                yield fact

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        return self._facts.every(kind)

    def one(self, kind: type[F], about: Ref) -> F | None:
        """Look up as `Facts` does."""
        return pick_best(self.of(kind, about))

    def canon(self, ref: Ref) -> Ref:
        """Look up as `Facts` does."""
        return self._facts.canon(ref)

    def sure(self, fact: Fact) -> bool:
        """Tell as `Facts` does."""
        return self._facts.sure(fact)

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """Look up as `Facts` does."""
        return self._facts.subjects(kind)

    def refused(self, want: Want) -> Refused | None:
        """Look up as `Facts` does."""
        return find_refusal(want, self)

    def answered(self, want: Want) -> bool:
        """Tell as `Facts` does."""
        return is_answered(want, self)
