"""Evidence for a container's first process that the runtime could not start: the runtime's message and the
status.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from unstuck.diagnosis.sign import Sign, any_of, hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerSpec, ContainerStatuses, LastLines
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.derive.refusals import find_refusals
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.stages.pod_signs import has_run

say = Messages(__name__)

_STARTS: tuple[Operation, ...] = ("container-start", "container-create")
WORDS: dict[str, ErrorWord] = {
    "exec format error": "exec-format",
    "permission denied": "not-executable",
    "no such file or directory": "exec-not-found",
}
_SCRIPT = regex(r"\.(?:sh|bash|py|rb|pl|js|lua|php)$")


@record()
class Wrote(Record):
    """The runtime's message in place of a container's log. error: as in `Failure`."""

    container: str | None
    error: ErrorWord
    path: str | None


Refusal = Failure | Wrote


def is_script(refusal: Refusal) -> bool:
    """Tell whether the name of the file that could not be run is a script's."""
    return bool(refusal.path and _SCRIPT.search(refusal.path))


def pick_first(*signs: Sign[Refusal]) -> Refusal:
    """Return the first hit of the first of these signs with a hit."""
    return next(hit for sign in signs for hit in sign.hits)


def note_where_set(spec: ContainerSpec | None) -> tuple[Text, ...]:
    """Return a note on where the command is set."""
    if spec is None:
        return ()
    if spec.command is not None:
        return (say("the command is set in the Pod's spec"),)
    return (say("the command is the entrypoint of image {image}", image=spec.image),)


def start_refusals(
    pod: Ref, snap: Facts, fits: Callable[[Failure], bool]
) -> tuple[Sign[Failure], Sign[Failure]]:
    """Return the runtime's matching messages about starting a container, and whether that container has not
    run since.
    """
    said = hearsay(snap, Failure, pod, lambda f: [f] if f.operation in _STARTS and fits(f) else [])
    never_ran = some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s.name for s in f.items if s.state != "none" and not has_run(s)],
    )
    mine: Sign[Failure] = (
        any_of([_is_of_container(f, never_ran, snap) for f in said.hits])
        if said.hits
        else _judge_without_message(never_ran)
    )
    if said.hits and mine.value is None:
        mine = Sign(None, said.hits, said.seen, mine.wants)
    return said, mine


def _is_of_container(failure: Failure, never_ran: Sign[str], snap: Facts) -> Sign[Failure]:
    """Return whether this container never ran: the message is about the runtime's own call, and the status
    shows no run since.
    """
    if not never_ran.value:
        return Sign(never_ran.value, seen=never_ran.seen, wants=never_ran.wants)
    here = failure.container in never_ran.hits
    return (
        Sign(True, (failure,), (failure, *never_ran.seen), sure=snap.sure(failure))
        if here
        else Sign(None, seen=(failure,))
    )


def _judge_without_message(never_ran: Sign[str]) -> Sign[Failure]:
    """Return no if the status lacks the runtime's message: it has one as long as a start fails."""
    seen = tuple(f for f in never_ran.seen if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None, seen=never_ran.seen, wants=never_ran.wants)


def left_only_runtime_words(pod: Ref, snap: Facts, fits: Callable[[Wrote], bool]) -> Sign[Wrote]:
    """Tell whether the log of a container's last run holds only the runtime's message. Asked of runs that
    ended with an error.
    """
    ends = [
        s.name
        for f in snap.of(ContainerStatuses, pod)
        for s in f.items
        if (e := s.ended or s.last) and e.code in (1, 255)
    ]
    signs: list[Sign[Any]] = [_log(make_container_ref(pod, name), snap, fits) for name in unique(ends)]
    return any_of(signs) if signs else Sign(None)


def _log(container: Ref, snap: Facts, fits: Callable[[Wrote], bool]) -> Sign[Wrote]:
    def pick(log: LastLines) -> Iterator[Wrote]:
        words = [Wrote(container.name, WORDS[m["why"]], m["path"]) for m in find_refusals(log.lines)]
        yield from (w for w in words if fits(w))

    sign = hearsay(snap, LastLines, container, pick)
    if sign.value or snap.of(LastLines, container):
        return sign
    return Sign(None, wants=(Want(LastLines, container),))
