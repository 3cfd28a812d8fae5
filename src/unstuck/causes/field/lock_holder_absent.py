"""A program waits for a lock held by a Pod that no longer exists

## How it happens

A program writes its Pod's name into a lock: a row of a migration tool's table (Liquibase, Flyway), a key in
Redis or etcd, a file on a shared volume. It was killed, evicted or replaced while it held the lock, and the
lock was not released: the next Pod finds the name of a missing Pod, waits and gives up, and so does each Pod
after that.

## How to tell

One of the last lines of a container that is down or not ready mentions a lock, a holder or a leader and
contains the name of a Pod, and the server has no Pod of that name in the Namespace.

## Known limits

The place of the lock is not known here, nor whether the same program runs outside of this cluster. The Pod's
own name is no proof. A name of another workload may be of another Namespace: then it is likely at most. For
Leases see controller.lease-holder-gone.

## References

- Liquibase documentation "release-locks"; Flyway documentation "Concurrent Migrations"; field notes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unstuck.causes._commands import logs, show_previous_log
from unstuck.causes.config._missing import is_absent
from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import parse_replica_set
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_OF_A_LOCK = regex(r"(?i)\b(?:un|dead)?lock(?:ed|s)?\b|\bheld\b|\bholder\b|\bleader\b|\bowne[dr]\b|\blease\b")
_NAME = regex(r"(?<![\w./-])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?![\w/-]|\.[a-z])")
_NUMBERED = regex(r"-\d{1,4}$")
_MOST = 2


def _list_holders(pod: Ref, line: str) -> Iterator[Ref]:
    """Yield the other Pods that a line names, in the form of a Deployment's Pod or of its StatefulSet's."""
    stem = _NUMBERED.sub("", pod.name or "")
    for m in _NAME.finditer(line):
        ref = Ref("Pod", pod.within, m[0])
        numbered = stem != pod.name and _NUMBERED.sub("", m[0]) == stem and m[0] != stem
        if m[0] != pod.name and (parse_replica_set(ref) or numbered):
            yield ref


def _make_match(
    *, akin: bool
) -> Callable[[Ref, ContainerLine, PodSettings, ContainerSettings, Facts], Sign[Misfit] | None]:
    """Return the match of Pods of the same workload, or of others."""

    def match(
        pod: Ref, word: ContainerLine, _: PodSettings, __: ContainerSettings, snap: Facts
    ) -> Sign[Misfit] | None:
        if not _OF_A_LOCK.search(word.line):
            return None
        holders = [h for h in _list_holders(pod, word.line) if _is_akin(pod, h) is akin][:_MOST]
        return any_of([_hold(pod, word, h, snap) for h in holders]) if holders else None

    return match


def _is_akin(pod: Ref, holder: Ref) -> bool:
    """Tell whether the two are of one workload, by their names."""
    return _stem(pod) == _stem(holder)


def _stem(pod: Ref) -> str:
    made = parse_replica_set(pod)
    return made.rpartition("-")[0] if made else _NUMBERED.sub("", pod.name or "")


def _hold(pod: Ref, word: ContainerLine, holder: Ref, snap: Facts) -> Sign[Misfit]:
    gone = is_absent(snap, holder)
    if not gone.value:
        return Sign(gone.value, seen=gone.seen, wants=gone.wants)
    return Sign(True, (_misfit(pod, word, holder),), gone.seen, sure=gone.sure)


def _misfit(pod: Ref, word: ContainerLine, holder: Ref) -> Misfit:
    return Misfit(
        of=pod,
        field=f"lock of {holder.name}",
        says=say(
            "{who} wrote “{line}”: the lock is held by Pod {holder}, which no longer exists and so never "
            "releases it",
            who=word.title,
            line=word.quote,
            holder=holder.name,
        ),
        help=(
            Step(
                say(
                    "be sure that no such program runs elsewhere (two that write at once may damage "
                    "the data), then take the lock away where the program keeps it: with its own "
                    "command, or in its database"
                ),
                risk="disrupts",
                verify=say("the next run gets the lock"),
            ),
            Step(
                say("read where the lock is kept"),
                command=logs(pod, word.container) if word.running else show_previous_log(pod, word.container),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the Pod, or add more of them"),
                say("each finds the same lock, and waits for a Pod that is gone"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a Pod of the same workload that its words name as a lock's holder does not exist",
        "there",
        ("Pod",),
        make_words_check(_make_match(akin=True)),
        READS | {Names, Presence},
    ),
    Pair(
        "a Pod that its words name as a lock's holder does not exist",
        "there",
        ("Pod",),
        make_words_check(_make_match(akin=False)),
        READS | {Names, Presence},
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.lock-holder-absent",
    title=say("a program waits for a lock held by a Pod that no longer exists"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
