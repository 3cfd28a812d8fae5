"""Another process has the program's data open

## How it happens

A program that keeps data locks its directory at its start. The lock is held: a second replica with the same
volume, the old Pod of a Deployment that is still there while the new one starts (RollingUpdate with one
volume), or a Pod on a node that is lost. A lock file that a killed run left, or a lock that an NFS server did
not give back, looks the same.

## How to tell

`Unable to lock the lock file`, `InnoDB: Unable to lock ./ibdata1`, `lock DB directory: resource temporarily
unavailable`, `Failed to acquire lock on file`, `lock file "postmaster.pid" already exists`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether the other process lives is not seen.
The holder of the lock is known if the line names a Pod of the Namespace: then that Pod is reported, also as
the old Pod of a rollout.

## References

- PostgreSQL src/backend/utils/init/miscinit.c; InnoDB os0file.cc; Prometheus tsdb/tsdbutil; Kubernetes
  documentation: Deployment,
Recreate
"""

from __future__ import annotations

from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import parse_replica_set
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# A generated name has two parts at least.
_WORD = regex(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_ONE = say(
    "let only one Pod at a time use the volume: replicas: 1 and strategy Recreate in a Deployment, or a "
    "StatefulSet with a PVC for each Pod"
)

_REMOVE = DoNot(
    say("delete the lock file while its holder is unknown"),
    say("two processes that write the same data corrupt it"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("data-in-use",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    holder = _find_holder(pod, one.complaint.line, snap)
    if holder is not None:
        return _make_held_by_finding(pod, one, holder)
    means = say(
        "another process has its data open, or a dead one left its lock: {reason}",
        reason=one.complaint.reason,
    )
    volume = (
        find_volume(pod, one.run.name or None, one.complaint.path, snap)
        if one.complaint.path.startswith("/")
        else None
    )
    own = volume is not None and volume.type == "emptyDir"
    look = Step(
        say(
            "see whether another Pod uses the same claim; delete a lock file only once no process has it open"
        ),
        command=command(
            "kubectl get pods -A -o "
            "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase,CLAIM:.spec.volumes[*].persistentVolumeClaim.claimName'"
        ),
    )
    inside = Step(
        say(
            "see which other container of the Pod uses the same volume: no other Pod has an emptyDir of "
            "this one"
        )
    )
    return make_finding(
        pod,
        one,
        means,
        fitting(Remedy(own, inside), Remedy(not own, look), Remedy(not own, mend(_ONE))),
        do_not=(_REMOVE,),
    )


def _find_holder(pod: Ref, line: str, snap: Facts) -> Ref | None:
    """Return the other Pod of the Namespace that the line names as the holder of the lock."""
    names = {word for word in _WORD.findall(line) if word != pod.name}
    known = (
        (p for p in snap.subjects("Pod") if p.within == pod.within and p.name in names)
        if pod.kind == "Pod" and names
        else ()
    )
    return next(iter(sorted(known, key=lambda p: p.key)), None)


def _make_held_by_finding(pod: Ref, one: ProgramMessage, holder: Ref) -> Finding:
    """Return the finding that names the Pod with the data open: during a rollout, the previous one."""
    mine, other = parse_replica_set(pod), parse_replica_set(holder)
    rollout = bool(mine and other) and mine != other and mine.rpartition("-")[0] == other.rpartition("-")[0]
    means = say("Pod {holder} has its data open: {reason}", holder=holder.name, reason=one.complaint.reason)
    if rollout:
        means += say(
            ", the old Pod of ReplicaSet {other}, which a rolling update ends only once the new one is ready",
            other=other,
        )
    look = Step(
        say("see how that Pod is"),
        command=command("kubectl get {pod} {space} -o wide", pod=given.of(holder), space=given.space(holder)),
    )
    recreate = mend(
        say(
            "use strategy Recreate in the Deployment, so that the old Pod has ended before the new one starts"
        )
    )
    return make_finding(
        pod,
        one,
        means,
        fitting(Remedy(rollout, recreate), look, Remedy(not rollout, mend(_ONE))),
        do_not=(_REMOVE,),
    )


CAUSE = Cause(
    id="program.data-in-use",
    title=say("another process has the program's data open"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
