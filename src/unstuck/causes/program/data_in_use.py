"""Another process has the program's data open

## How it happens

A program that keeps data locks its directory at its start. The lock is held: a second replica with the same volume, the old Pod of a
Deployment that is still there while the new one starts (RollingUpdate with one volume), or a Pod on a node that is lost. A lock file that
a killed run left, or a lock that an NFS server did not give back, looks the same.

## How to tell

`Unable to lock the lock file`, `InnoDB: Unable to lock ./ibdata1`, `lock DB directory: resource temporarily unavailable`, `Failed to
acquire lock on file`, `lock file "postmaster.pid" already exists`.

## Known limits

Words alone tell it: it is never more than likely. Whether the other process lives is not seen.

## References

- PostgreSQL src/backend/utils/init/miscinit.c; InnoDB os0file.cc; Prometheus tsdb/tsdbutil; Kubernetes documentation: Deployment,
Recreate
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_REMOVE = DoNot(say("delete the lock file while you do not know who holds it"), say("two processes that write the same data destroy them"))


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("data-in-use",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say(
        "another process has its data open, or one that died left its lock: {reason}",
        reason=one.complaint.reason,
    )
    look = Step(
        say("see whether another Pod uses the same claim"),
        command=command(
            "kubectl get pods -A -o "
            "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase,"
            "CLAIM:.spec.volumes[*].persistentVolumeClaim.claimName'"
        ),
    )
    step = mend(
        say(
            "let one Pod at a time use the volume: replicas: 1 and strategy Recreate in a Deployment, or a StatefulSet with a claim "
            "for each Pod; "
            "where no other process lives, take the stale lock file away"
        )
    )
    return finding(pod, one, means, (look, step), do_not=(_REMOVE,))


CAUSE = Cause(
    id="program.data-in-use",
    title=say("another process has the program's data open"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
