"""The program ends because no space is left where it writes

## How it happens

The program writes to a volume or to its own layer, no space or no inode is left there, or its quota is used up, and it gives up.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `No space left on device`, `Disk quota exceeded` or `ENOSPC`, mostly
with the path.

## Known limits

Whether its bytes or its inodes are used up is not looked up: it stays likely. Of an `emptyDir` in memory, `sizeLimit` is the size of its
file system; of one on the Node's disk it is only what the kubelet evicts for. A full file system of the Node is told by node.disk-full.
Watches of inotify that are used up have the same errno, and are told by node.inotify-exhausted.

## References

- Linux errno(3), ENOSPC, EDQUOT
"""

from __future__ import annotations

from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.pod import PodVolume
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_DELETE = DoNot(
    say("delete files of a database or a queue to make room"),
    say("what they hold is lost, and the rest may no longer fit together"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("no-space",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    path = one.complaint.path
    means = say("no space is left where it writes {path}", path=path) if path else say("no space is left where it writes")
    # The errno is the same for both, and more room gives no inode.
    look = Step(say("see which is used up where it writes, bytes (`df -h`) or inodes (`df -i`)"))
    volume = find_volume(pod, one.run.name or None, path, snap) if path else None
    of_claim = volume is not None and volume.type == "persistentVolumeClaim"
    size = (Want(Claim, Ref("PersistentVolumeClaim", pod.within, volume.what)),) if volume and of_claim and volume.what else ()
    return finding(pod, one, means, (look, _step(volume)), do_not=(_DELETE,), enrich=size)


def _step(volume: PodVolume | None) -> Step:
    """Return what makes room, by what it writes to: only a claim can be enlarged."""
    if volume is None or not volume.type:
        return mend(say("delete what the program can make again; where bytes are used up, enlarging the volume helps too"))
    if volume.type == "persistentVolumeClaim":
        return mend(
            say("delete what the program can make again; where bytes are used up, enlarging PVC {claim} helps too", claim=volume.what)
        )
    if volume.type == "emptyDir" and volume.what == "Memory" and volume.size_limit:
        return mend(
            say(
                "let it write less there, or raise the sizeLimit {limit} of emptyDir {name}; what lies there counts as the Pod's memory",
                limit=volume.size_limit,
                name=volume.name,
            )
        )
    if volume.type == "hostPath":
        return mend(
            say("delete what the program can make again, or make room on the Node's file system that {path} lies on", path=volume.what)
        )
    return mend(say("delete what the program can make again, or make room where volume {name} comes from", name=volume.name))


CAUSE = Cause(
    id="program.no-space-left",
    title=say("the program ends because no space is left where it writes"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
