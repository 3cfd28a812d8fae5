"""The words of another program on which a failed one depends: in the log of a Pod that is ready, or of
another container of the same Pod.

A program that runs on is asked about its log only where a message leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.pod import TroubleLine, TroubleLines
from unstuck.facts.core import Fact, Ref, Want, quote_line
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({TroubleLines})


@record()
class NeighbourWords(Record):
    """What another program's log reports. says: a clause, empty without such a line. about: whether the line
    is about what was asked for, such as a port. culprit: that program, None without a line.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    about: bool = False
    culprit: Ref | None = None
    wants: tuple[Want, ...] = ()
    seen: tuple[Fact, ...] = ()


def read_neighbour(
    pod: Ref,
    snap: Facts,
    verify: Text,
    words: Sequence[str] = (),
    of: Callable[[TroubleLine], bool] = lambda _: True,
) -> NeighbourWords:
    """Return the line of this Pod's logs that most likely explains a failure, and the fix; a question if the
    logs were not read.

    words: such as the port; a line with one of them comes first. of: tells whether a container matters.
    """
    facts = snap.of(TroubleLines, pod)
    if not facts:
        want = Want(TroubleLines, pod)
        return NeighbourWords(wants=() if snap.answered(want) else (want,))
    lines = [one for f in facts for one in f.items if of(one)]
    if not lines:
        return NeighbourWords()
    about = [one for one in lines if any(_has_word(one.line, word) for word in words)]
    chosen = about or lines
    told = [one for one in chosen if one.complaint] or [one for one in chosen if one.setting] or chosen
    best = told[-1]
    look = Step(
        say("read its log around that line"),
        command=command(
            "kubectl logs {space} {pod} --container={container}",
            space=given.space(pod),
            pod=given.of(pod),
            container=given.container(best.container),
        ),
    )
    fix = Step(
        say(
            "fix what this line of container {container} of Pod {pod} names",
            container=best.container,
            pod=pod.name,
        ),
        where="source",
        verify=verify,
    )
    says = say(
        "; container {container} of Pod {pod} reports in its log “{line}”",
        container=best.container,
        pod=pod.name,
        line=quote_line(best.line),
    )
    if best.setting:
        says += say(", and before that “{line}”", line=quote_line(best.setting))
    return NeighbourWords(
        says, (fix, look), bool(about), make_container_ref(pod, best.container), seen=tuple(facts)
    )


def _has_word(line: str, word: str) -> bool:
    return bool(word) and re.search(rf"(?<![\w.]){re.escape(word)}(?![\w])", line) is not None
