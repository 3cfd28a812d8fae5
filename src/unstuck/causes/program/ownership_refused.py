"""The program may not change the owner or the mode of its files

## How it happens

Images of databases run as root at first, give their data directory to their own user and go on as that one.
The kernel or the server of the volume refuses: an NFS export maps root to nobody (`root_squash`), SMB, an
object store or a hostPath of another file system keeps no owners, or the container does not run as root or
lacks CAP_CHOWN.

## How to tell

`chown: changing ownership of '…': Operation not permitted`, `chmod: …: Operation not permitted`, initdb's
`could not change permissions of directory`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which of the reasons holds is not seen: what
volume it is and as whom the container runs decides.

## References

- chown(2); exports(5), root_squash; Kubernetes documentation: Configure a Security Context
"""

from __future__ import annotations

from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OPEN = DoNot(
    say("chmod 777 on the server's directory"),
    say("every Pod and host that reaches the export could then change the data"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("ownership-refused",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    volume = find_volume(pod, one.run.name or None, c.path, snap) if c.path else None
    if volume is not None and volume.type == "emptyDir":
        return _make_local_finding(pod, one)
    means = say(
        "it may not change the owner or mode of {path}: a volume that maps root to nobody (NFS with "
        "root_squash) or keeps no owners, or a "
        "container that does not run as root",
        path=c.path,
    )
    step = mend(
        say(
            "of an NFS volume: export it with no_root_squash, or have its server give the directory to the "
            "user of the image, and run the Pod as that user (runAsUser, fsGroup), without the init "
            "container that changes the owner; else take a volume of block storage"
        )
    )
    return make_finding(pod, one, means, (look_at_mounts(pod), step), do_not=(_OPEN,))


def _make_local_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding of a path in an emptyDir, which keeps owners and is no export."""
    means = say(
        "it may not change the owner or mode of {path}: the container does not run as the path's owner, "
        "lacks a capability (CHOWN, FOWNER), or its seccomp profile forbids the call",
        path=one.complaint.path,
    )
    step = mend(
        say(
            "compare its user, its capabilities and its seccomp profile (securityContext) with those of a "
            "Pod where the same image starts"
        )
    )
    return make_finding(pod, one, means, (look_at_mounts(pod), step), do_not=(_OPEN,))


CAUSE = Cause(
    id="program.ownership-refused",
    title=say("the program may not change the owner of its files"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
