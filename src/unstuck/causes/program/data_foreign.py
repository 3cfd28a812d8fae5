"""A member's data belong to another cluster or member

## How it happens

A member of a cluster keeps in its data directory which cluster it is of. It meets others with another
identity: its directory is of an earlier founding or of another cluster, it was started as a new cluster
although it should join one (etcd's `initial-cluster-state`), the addresses lead to another cluster, or the
others have removed it.

## How to tell

`request cluster ID mismatch`, `the member has been permanently removed from the cluster`, Kafka's `The
Cluster ID … doesn't match stored clusterId`, HDFS's `Incompatible clusterIDs`, Cassandra's `Saved cluster
name … != configured name`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which of the two sides has the data that
count is not seen.

## References

- etcd documentation: Runtime reconfiguration; Kafka documentation: meta.properties; the programs' sources
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import class_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OF_ETCD = (
    "rafthttp",
    "etcd",
    "request cluster ID mismatch",
    "cluster ID mismatch",
    "data-dir used",
    "permanently removed",
)
# etcd: the directory is empty, as that of a lost or replaced volume. Source: server/etcdserver/bootstrap.go.
_KNOWN = "already been bootstrapped"
# A request between two members: either may be the foreign one. Source:
# server/etcdserver/api/rafthttp/http.go, peer.go.
_OF_TWO_SIDES = "cluster ID mismatch"
_DELETE = DoNot(
    say("empty a data directory before you know that the others hold the data"),
    say("data that only this member has is lost"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("data-foreign",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    known = _KNOWN in c.reason
    if _OF_TWO_SIDES in c.line:
        return _make_two_sided_finding(pod, one)
    means = (
        say(
            "the cluster already knows this member, but it starts without its earlier data: {reason}",
            reason=c.reason,
        )
        if known
        else say(
            "the data directory belongs to another cluster, or to a member that was removed: {reason}",
            reason=c.reason,
        )
    )
    if known or any(word in c.line for word in _OF_ETCD):
        look = Step(
            say("on a healthy member: see which members there are, and their addresses"),
            command=class_commands.etcd_members(),
        )
        step = Step(
            say(
                "remove this member there, move its data directory away, add it again (etcdctl member add), "
                "and start it with --initial-cluster-state=existing and the addresses of the others"
            )
        )
        return make_finding(pod, one, means, (look, step), do_not=(_DELETE,))
    step = mend(
        say(
            "correct the addresses if they lead to another cluster; if the directory is left over from an "
            "earlier one, move it away and let this member join with an empty one; if the others were "
            "recreated, give them their old volumes back"
        )
    )
    return make_finding(pod, one, means, (step,), do_not=(_DELETE,))


def _make_two_sided_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding of a member that another cluster's member speaks to."""
    means = say(
        "two members that talk to each other belong to different clusters, by their cluster ID: one of "
        "them was bootstrapped again or has the data of another cluster, or the others still list a "
        "machine that has left them"
    )
    look = Step(
        say("on each of them: see which members its cluster has, their addresses, and its cluster ID"),
        command=class_commands.etcd_members(),
    )
    step = Step(
        say(
            "if this one was bootstrapped again beside the cluster that holds the data: remove it there, "
            "move its data directory away, and add it again with --initial-cluster-state=existing; if an "
            "old cluster still lists it: remove it from that list alone (etcdctl member remove)"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_DELETE,))


CAUSE = Cause(
    id="program.data-foreign",
    title=say("a member's data belong to another cluster"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
