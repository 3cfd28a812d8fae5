"""etcd is out of space, so nothing can be written in the whole cluster

## How it happens

etcd's database has reached its quota (`--quota-backend-bytes`, 2 GiB unless given): too many Events or
objects of an operator, compaction that stopped, no defragmentation. etcd raises the alarm NOSPACE and from
then on refuses every Put until the alarm is disarmed, also after space was made. Reads answer, watches stay
open and `/readyz` is ok, so the cluster looks alive. But no Lease is renewed, no status, Event or condition
is written, no Pod is bound, and a deletion cannot even be noted. Nodes still show Ready, because their
NotReady cannot be written either.

## How to tell

The API server answers each write with `etcdserver: mvcc: database space exceeded`: to kubectl, in the
kubelet's log (`Failed to update lease`, `Failed to update status for pod`), in the logs of API server and
etcd. And no Lease has been renewed for more than a minute, where several are renewed every few seconds.

## Known limits

From the API alone, without the server's message, stale Leases leave it undecided: a wrong clock here, or a
webhook that refuses all Leases, looks the same. unstuck writes nothing to find it out: a write with
`--dry-run=server` never reaches etcd and passes all the same. A Pod's last DELETE passes, too, as it takes no
space: the disappearance of some objects is no evidence against it.

## References

- etcd documentation: Maintenance, Space quota; How to debug large db size issue
- go.etcd.io/etcd server/etcdserver/apply/apply.go (applierV3Capped), api/v3rpc/rpctypes/error.go
- kubernetes/kubernetes issue 94029, kubernetes/kops issue 4005
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, unique
from unstuck.diagnosis.text import Messages, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.cluster_writes import have_leases_lapsed, have_writes_stopped

say = Messages(__name__)

_CLUSTER = Ref("Cluster")
_ETCD = Ref("Etcd", None, "etcd")
# Refused clients try again within seconds.
_LATELY = timedelta(minutes=5)


def _rule(subject: Ref, snap: Facts) -> Signs:
    still = have_writes_stopped(snap)
    said = _find_reporters(snap, dated=False)
    lately = _find_reporters(snap, dated=True)
    proof: Sign[Any] = all_of([lately, still]) if lately.value else still
    if not lately.value and still.value:
        # Other causes also block all writes; this one shows where to look.
        proof = Sign(None, still.hits, still.seen, _ask_logs(subject, snap))
    # An unrelated object is no reason to list Leases.
    return Signs(
        applies=Sign(bool(said.value or still.value or have_leases_lapsed(snap))),
        decisive={"writes are refused for want of space, and nothing has been written since": proof},
        supporting={"the response to a write says so": said},
        finding=lambda: _make_finding(subject, unique((*lately.hits, *said.hits)), snap),
        do_not=_DO_NOT,
    )


def _find_reporters(snap: Facts, *, dated: bool) -> Sign[str]:
    """Find facts that quote etcd's refusal. dated: only facts from the last minutes; otherwise also undated
    ones.
    """

    def is_recent(at: datetime | None) -> bool:
        # A log is read a little after the Snapshot's time, and refused clients go on reporting.
        return not dated if at is None else abs(snap.now - at) <= _LATELY

    lines = [(f, f.message, f.src.at) for f in snap.every(Failure) if f.error == "storage-full"]
    answers = [
        (f, r.why, r.at or f.src.at)
        for f in snap.every(Refusals)
        for r in f.items
        if r.error == "storage-full"
    ]
    # A text's own error has no time; a fact about an object with the same words has one.
    texts = snap.every(ToldErrors) if not (lines or answers) else ()
    errors = [
        (f, i.complaint.line, f.src.at) for f in texts for i in f.items if i.complaint.error == "storage-full"
    ]
    reports: list[tuple[Fact, str, datetime | None]] = [*lines, *answers, *errors]
    told = [(f, words) for f, words, at in reports if is_recent(at)]
    return Sign(True, unique(words for _, words in told), unique(f for f, _ in told)) if told else Sign(None)


def _ask_logs(subject: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return the questions for the control plane's logs and that of the kubelet concerned, which is refused
    every 10 s.
    """
    node = (
        subject
        if subject.kind == "Node"
        else find_node_of_pod(subject, snap)
        if subject.kind == "Pod"
        else None
    )
    return (Want(Refusals, _CLUSTER), *((Want(LogSeen, node),) if node else ()))


def _make_finding(subject: Ref, words: tuple[str, ...], snap: Facts) -> Finding:
    last = snap.one(LastWrite, _CLUSTER)
    notes = [say("response to a write: {words}", words=words[0])]
    if last and last.renewed and last.lease:
        ago = format_duration(snap.now - last.renewed)
        name = f"{last.lease.within}/{last.lease.name}"
        notes.append(say("the most recently renewed Lease, {name}, is {ago} old", name=name, ago=ago))
    notes.append(say("nodes may still show Ready and Events may be missing: neither can be written now"))
    return Finding(
        say("etcd is out of space: the API server cannot write anything, cluster-wide"),
        culprit=_ETCD,
        blocks=(subject,),
        notes=tuple(notes),
        help=_HELP,
        do_not=_DO_NOT,
    )


_HELP = (
    Step(
        say(
            "on an etcd member, with its certificates: check the alarm and each member's size, and take a "
            "snapshot first"
        ),
        command=command(
            "sh -c 'etcdctl alarm list; etcdctl endpoint status --cluster -w table; "
            "etcdctl snapshot save before.db'"
        ),
    ),
    Step(
        say(
            "compact to the current revision, then defragment one member at a time; each is blocked "
            "meanwhile, and old revisions are lost"
        ),
        command=command("sh -c 'etcdctl compact REVISION && etcdctl defrag'"),
        risk="disrupts",
    ),
    Step(
        say(
            "then disarm the alarm; a larger --quota-backend-bytes (up to 8 GiB) buys time; the lasting fix "
            "is to find out what fills it"
        ),
        command=command("etcdctl alarm disarm"),
        verify=say("Leases are renewed within seconds, and deletions continue automatically"),
    ),
)
_DO_NOT = (
    DoNot(
        say("force delete Pods"),
        say(
            "that write succeeds, as it takes no space, and the kubelets keep running containers that no "
            "API object tracks"
        ),
    ),
    DoNot(
        say("restart API servers, kubelets or nodes because of it"),
        say(
            "a restarted component must first write its Lease, Node or status and cannot; running "
            "components may not come back"
        ),
    ),
)

CAUSE = Cause(
    id="apiserver.storage-full",
    title=say("etcd is out of space"),
    subjects=("*",),
    reads=frozenset({Failure, Refusals, Lease, LastWrite, LogSeen, Placement, ToldErrors}),
    rule=_rule,
)
