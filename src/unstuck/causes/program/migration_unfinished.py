"""A program's database schema is not in the state that it expects

## How it happens

A program that keeps its data in tables changes them step by step, and a table of its own says which steps
were made. A step failed halfway, was never made, was edited after it was made, or was made by a newer release
that has since been taken back.

## How to tell

The words of the tool that makes the steps: Flyway's `Detected failed migration to version`, golang-migrate's
`Dirty database version`, Liquibase's `Migration failed for changeset`, Alembic's `Can't locate revision`,
Django's, Rails' and Airflow's pending migrations.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Flyway documentation "Repair"; golang-migrate FAQ "What does dirty mean?"; Alembic, Liquibase, Django and
  Rails documentation on migrations
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_PENDING = regex(r"(?i)pending|unapplied|not applied to|out of date|up[- ]to[- ]date|behind|outdated")
_CHANGED = regex(r"(?i)check ?sum|failed validation")
_AHEAD = regex(r"(?i)locate revision|not resolved locally")
_FORCE = DoNot(
    say("mark the step as made, or drop the tables, without comparing them with the step first"),
    say("later steps then work on tables that are not as they expect, and data may be lost"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("migration-open",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    reason = one.complaint.reason.strip(" .")
    means, step = _tell(reason)
    return make_finding(pod, one, means, (mend(step),), do_not=() if _PENDING.search(reason) else (_FORCE,))


def _tell(reason: str) -> tuple[Text, Text]:
    """Return the meaning of the message, and the fix."""
    if _AHEAD.search(reason):
        return (
            say(
                "the database was already changed by a release that knows a step which this one lacks, "
                "usually a newer one: “{reason}”",
                reason=reason,
            ),
            say("run the release that made this step, or restore the backup from before it"),
        )
    if _CHANGED.search(reason):
        return (
            say("a migration that was already made has been edited since: “{reason}”", reason=reason),
            say(
                "restore the migration as it was and add a new one for the change; if only its text "
                "differs, have the tool record the new checksum (flyway repair, liquibase "
                "clear-checksums)"
            ),
        )
    if _PENDING.search(reason):
        return (
            say("migrations of its database were not made yet: “{reason}”", reason=reason),
            say(
                "run the release's own migration (its Job, hook or command) to the end; if it has run "
                "already, its log says why it did not finish"
            ),
        )
    return (
        say("a migration of its database failed, and was left half made: “{reason}”", reason=reason),
        say(
            "see in the log of that first failure why it failed; undo by hand the half-made changes, or "
            "restore the backup; then clear the mark (flyway repair, migrate force to the version "
            "before) and run it again"
        ),
    )


CAUSE = Cause(
    id="program.migration-unfinished",
    title=say("a program's database schema is not in the state that it expects"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
