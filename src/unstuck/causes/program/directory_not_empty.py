"""A directory that must be empty is not

## How it happens

A program initializes its data directory and finds entries in it: `lost+found` at the root of a fresh ext4
volume, the remains of a first start that was cut off, or another program's data.

## How to tell

`--initialize specified but the data directory has files in it`, initdb's `directory "…" exists but is not
empty`, git's `already exists and is not an empty directory`.

## Known limits

Its evidence is the message alone: it is never more than likely. The content of the directory is not seen.

## References

- MySQL documentation: Initializing the Data Directory; PostgreSQL src/bin/initdb/initdb.c; git
  builtin/clone.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_EMPTY = DoNot(
    say("empty the directory before you have looked into it"), say("data of an earlier run would be lost")
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("directory-not-empty",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = (
        say("{path} is not empty, but the program has to create its data there", path=c.path)
        if c.path
        else say("the data directory is not empty, but the program has to create its data there")
    )
    step = mend(
        say(
            "use a directory below the volume's root (subPath in volumeMounts; PostgreSQL: PGDATA), which "
            "has no lost+found; if a first start was interrupted, look at its files, move them away and let "
            "it start again"
        )
    )
    return make_finding(pod, one, means, (look_at_mounts(pod), step), do_not=(_EMPTY,))


CAUSE = Cause(
    id="program.directory-not-empty",
    title=say("a directory that must be empty is not"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
