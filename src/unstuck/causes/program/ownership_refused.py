"""The program is not allowed to change the owner or the mode of its files

## How it happens

Images of databases run as root at first, give their data directory to their own user and go on as that one.
The kernel or the server of the volume refuses: an NFS export maps root to nobody (`root_squash`), SMB, an
object store or a hostPath of another file system keeps no owners, or the container does not run as root or
lacks CAP_CHOWN.

## How to tell

`chown: changing ownership of '…': Operation not permitted`, `chmod: …: Operation not permitted`, initdb's
`could not change permissions of directory`.

## Known limits

Its evidence is the message alone: it is never more than likely. The reason is not visible: it depends on the
kind of volume and on the container's user.

## References

- chown(2); exports(5), root_squash; Kubernetes documentation: Configure a Security Context
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_mounts, make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.causes.program._volume_access import give_ownership, keeps_owners, tell_owner_limits
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
    means = say("it may not change the owner or mode of {path}", path=one.complaint.path)
    return make_finding(
        pod,
        one,
        means + tell_owner_limits(pod, one, snap),
        (look_at_mounts(pod), give_ownership(pod, one, snap)),
        do_not=() if keeps_owners(pod, one, snap) else (_OPEN,),
    )


CAUSE = Cause(
    id="program.ownership-refused",
    title=say("the program is not allowed to change the owner of its files"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
