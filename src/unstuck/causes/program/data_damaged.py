"""A program's own data are damaged or inconsistent

## How it happens

A machine lost power, a disk filled up, a volume was restored or copied while the program ran, or a member of
a cluster was started with data of another time. The program checks its files at its start, finds them damaged
or of different moments, and ends.

## How to tell

The program's own words: etcd `does not match with snapshot` or `walpb: crc mismatch`, PostgreSQL `could not
locate a valid checkpoint record`, SQLite `database disk image is malformed`, and the like.

## Known limits

Its evidence is the message alone: it is never more than likely. A later fix is not seen, nor whether a
replica or a backup exists.

## References

- etcd documentation: Disaster recovery; PostgreSQL documentation: Reliability; the programs' sources
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import class_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OF_ETCD = ("etcd", "walpb: ", "v3 backend", "does not match with snapshot", "lastIndex", "snap: ")
_KEEP = DoNot(say("delete its data to have it start"), say("data that no replica and no backup has is lost"))


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("data-damaged",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    copy = Step(say("copy its data directory as it is before anything else changes it"))
    if any(word in c.line for word in _OF_ETCD):
        means = say("the data of this etcd member are inconsistent: {reason}", reason=c.reason.rstrip(" ."))
        look = Step(
            say("on a healthy member: check whether the others still have a majority"),
            command=class_commands.etcd_members(),
        )
        rejoin = Step(
            say(
                "if they have: remove this member there, empty its data directory, and add it back; if not: "
                "restore a snapshot"
            ),
        )
        return make_finding(pod, one, means, (copy, look, rejoin), do_not=(_KEEP,))
    means = say("its own data are damaged or inconsistent: {reason}", reason=c.reason.rstrip(" ."))
    restore = Step(
        say(
            "have it rebuilt from a replica, or restore the last backup; else use the program's own repair "
            "on the copy"
        )
    )
    return make_finding(pod, one, means, (copy, restore), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.data-damaged",
    title=say("a program's own data are damaged or inconsistent"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
