"""etcd does not answer the API server in time

## How it happens

etcd writes each change to disk on most of its members before it answers. A slow or busy disk, a lost quorum,
a change of leader, or more writes than it takes: requests then fail for everybody, now and then or always.

## How to tell

`etcdserver: request timed out`, `etcdserver: leader changed`, `etcdserver: no leader`, `etcdserver: too many
requests`; of a member itself `failed to send out heartbeat on time`, `slow fdatasync`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- etcd api/v3rpc/rpctypes/error.go; etcd documentation: Tuning, Hardware recommendations
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_MEMBERS = DoNot(
    say("remove a member to “make it quicker”, or restore an old snapshot"),
    say("a lost quorum then becomes lost data"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "storage-slow", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    means = say("etcd does not answer the API server in time: writes fail cluster-wide while that lasts")
    if one.complaint.resource:
        means = say(
            "etcd does not answer the API server in time (it suspects: {why})", why=one.complaint.resource
        )
    if one.complaint.verb:
        means = say(
            "an etcd member is too slow: its disk is slow or busy, or it lacks processor time ({says}); its "
            "leader changes, and writes fail cluster-wide meanwhile",
            says=one.complaint.verb,
        )
    look = Step(
        say(
            "on an etcd member, with its certificates: see whether all members answer, who leads and how "
            "large the database is"
        ),
        command=command("etcdctl endpoint status --cluster -w table"),
    )
    slow = Step(
        say(
            "read its log for slow disks: `apply request took too long`, `slow fdatasync`, `leader failed "
            "to send out heartbeat on time`"
        ),
        command=command("crictl logs --tail=200 NAME"),
    )
    return make_finding(text, one, means, (look, slow), do_not=(_MEMBERS,))


CAUSE = Cause(
    id="apiserver.storage-slow",
    title=say("etcd does not answer the API server in time"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
