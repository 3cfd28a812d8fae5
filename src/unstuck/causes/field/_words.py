"""The last log lines of a Pod's broken containers, for comparison with the Pod's fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from unstuck.causes.container._ends import find_last_runs, name_container
from unstuck.causes.field._pair import Misfit
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses, LastLines
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import list_statuses, make_container_ref, make_program_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, ContainerStatuses, LastLines, PodSettings})
# The distance of a reason above a program's last line, such as above a trace.
_LAST = 6
_QUOTED = 160


@record()
class ContainerLine(Record):
    """One of the last lines of a container that is down or not ready. deciding: the line gives the reason, as
    far as is known.

    running: the container runs, and is not ready.
    """

    container: str
    line: str
    fact: LastLines
    deciding: bool
    running: bool

    @property
    def quote(self) -> str:
        """The line as a sentence holds it."""
        return self.line.strip()[:_QUOTED]

    @property
    def title(self) -> Text:
        """The container in a sentence."""
        return name_container(self.container)


Match = Callable[[Ref, ContainerLine, PodSettings, ContainerSettings, Facts], Sign[Misfit] | None]


def find_last_words(pod: Ref, snap: Facts) -> Sign[ContainerLine]:
    """Return the last lines of each container that is down or not ready, the deciding one first. No: each is
    healthy, or there is no line.
    """
    ended = {r.name: r for r in find_last_runs(pod, snap).hits}
    ill = [s for s in list_statuses(pod, snap) if s.name in ended or _is_unready(s)]
    found = [w for s in ill for w in _list_container(pod, s, snap)]
    seen: tuple[Fact, ...] = unique(w.fact for w in found)
    if found:
        return Sign(True, unique(found), seen, sure=any(snap.sure(f) for f in seen))
    unread = tuple(
        Want(LastLines, make_container_ref(pod, name))
        for name in ended
        if not snap.of(LastLines, make_container_ref(pod, name))
    )
    if unread:
        return Sign(None, wants=unread)
    statuses = snap.of(ContainerStatuses, pod)
    return Sign(False, seen=statuses) if any(f.whole for f in statuses) else Sign(None)


def make_words_check(match: Match) -> Callable[[Ref, Facts], Sign[Misfit]]:
    """Return the check that compares the settings of a container with its last lines.

    match: the result for one line, None if the line does not concern the pair. A no of another line does not
    cancel a yes, and the absence of such a line is not a no: there may be more lines.
    """

    def check(pod: Ref, snap: Facts) -> Sign[Misfit]:
        words = find_last_words(pod, snap)
        if not words.value:
            return Sign(words.value, seen=words.seen, wants=words.wants)
        wants: list[Want] = []
        for word in words.hits:
            held = find_settings(pod, word.container, snap)
            found = match(pod, word, *held, snap) if held else None
            if held and found and found.value:
                seen = unique((word.fact, *found.seen, held[0]))
                hits = tuple(
                    replace(h, blocks=unique((*h.blocks, *_list_explained(pod, word.container))))
                    for h in found.hits
                )
                return Sign(True, hits, seen, sure=words.sure and found.sure and snap.sure(held[0]))
            wants += found.wants if found else ()
        return Sign(None, wants=unique(wants))

    return check


def find_settings(pod: Ref, container: str, snap: Facts) -> tuple[PodSettings, ContainerSettings] | None:
    """Return the settings of the Pod and of one of its containers; None if they were not read."""
    return next(((f, c) for f in snap.of(PodSettings, pod) for c in f.items if c.name == container), None)


def _list_explained(pod: Ref, container: str) -> tuple[Ref, ...]:
    """Return the objects that the lines are about: the program, as named by causes that know only its
    messages, and its container.
    """
    return make_program_ref(pod, container), make_container_ref(pod, container)


def _is_unready(s: ContainerStatus) -> bool:
    return s.state == "running" and not s.ready


def _list_container(pod: Ref, s: ContainerStatus, snap: Facts) -> Iterable[ContainerLine]:
    running = s.state == "running"
    for f in snap.of(LastLines, make_container_ref(pod, s.name)):
        if f.previous and running and s.ready:
            continue
        if f.complaint:
            yield ContainerLine(s.name, f.complaint.line, f, True, running)
        for line in [line for line in reversed(f.lines) if line.strip()][:_LAST]:
            yield ContainerLine(s.name, line, f, False, running)
