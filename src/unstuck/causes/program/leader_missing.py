"""A cluster of servers has no leader

## How it happens

Servers that keep one copy of their data among them (Consul, Elasticsearch, ZooKeeper, Galera, MongoDB,
Redis Cluster, RabbitMQ) choose a leader only while more than half of the members see each other. Members are
down or were restarted all at once, cannot resolve or reach the others (a headless Service without their
addresses before they are ready, a network policy), were scaled down, or were started with another number of
members than there are.

## How to tell

`No cluster leader`, `master not discovered yet`, `CLUSTERDOWN`,
`ReplicaSetNoPrimary`, `This ZooKeeper instance is not currently serving requests`, `WSREP has not
yet prepared node for application use`.

## Known limits

Its evidence is the message alone: it is never more than likely. The members' own Pods show which one is
missing, and why.

## References

- Raft (raft.github.io): leader election; documentation of the programs: quorum
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


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("leader-missing",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say(
        "the servers have no leader because too few members reach each other: {reason}",
        reason=one.complaint.reason,
    )
    look = Step(
        say("check which members are running, and where; then the log of a member that is not"),
        command=class_commands.members(pod.within),
    )
    step = mend(
        say(
            "bring members back until more than half of them run and reach each other by "
            "the names in their settings"
        )
    )
    do_not = DoNot(
        say("delete the members' claims, or start one member as a new cluster"),
        say("what only the others hold is lost"),
    )
    return make_finding(pod, one, means, (look, step), do_not=(do_not,))


CAUSE = Cause(
    id="program.leader-missing",
    title=say("a cluster of servers has no leader"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
