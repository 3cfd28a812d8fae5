"""The runtime's temporary directory for images no longer exists

## How it happens

While an image comes in, each blob is a file in a temporary directory of the runtime: dockerd's lies below its
data root (`tmp/GetImageBlob…`), containerd's mounts for unpacking below its root (`tmpmounts`), CRI-O's files
in `/var/tmp`. dockerd makes its directory when it starts and never again: a clean-up that took it, a data
disk that was mounted over it after the start, or a data root that was moved leave every pull without it. The
disk has room all the while.

## How to tell

`open …/tmp/GetImageBlob123: no such file or directory` in the kubelet's words about its own pull, repeated,
with the container still waiting for the image; every image not yet on this Node fails in this way, and
containers of present images still start.

## Known limits

The message does not show whether the directory itself or a parent is missing; `ls -ld` on the Node does. A
full disk gives another message: node.disk-full.

## References

- moby daemon/daemon.go (prepareTempDir), distribution/pull_v2.go; moby issues 22074, 38275; containerd
  core/mount/temp_unix.go; containers/image internal/tmpdir/tmpdir.go
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.image._pull import READS, RETRIES, STAGES, make_signs, pull, quote_innermost_error
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_TEMPORARY = regex(
    r"(?P<directory>/\S{0,300}?)/(?:GetImageBlob\d+|containerd-mount\d+|container_images_[^/\s]{1,80})(?:/|$)"
)

# Every program of the Node writes there.
_SHARED = regex(r"(?:/var)?/tmp")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("ENOENT",), lambda f: _TEMPORARY.match(f.path or "") is not None)
    return make_signs(
        "its temporary file cannot be made", one, lambda failure: _make_finding(pod, failure, snap)
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    found = _TEMPORARY.match(failure.path or "")
    directory = found["directory"] if found else "?"
    node = find_node_of_pod(pod, snap)
    on = say(" of Node {node}", node=node.name) if node else NO_TEXT
    where = place_on_node(node.name if node else None)
    docker = "GetImageBlob" in (failure.path or "")
    daemon = "dockerd" if docker else "containerd" if "containerd-mount" in (failure.path or "") else "crio"
    restart = Step(
        say(
            "if it exists and is empty but pulls still fail, restart {daemon} in a maintenance window: "
            "without live-restore dockerd stops its containers",
            daemon=daemon,
        ),
        where=where,
        risk="disrupts",
        verify=RETRIES,
    )
    return Finding(
        say(
            "{directory}{on} is missing, the directory {daemon} downloads to",
            directory=directory,
            on=on,
            daemon=daemon,
        ),
        culprit=Ref("File", node.name if node else None, directory),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say("check whether it exists, and whether something is mounted over it"),
                where=where,
                command=command("ls -ld {directory}", directory=given.path(directory)),
            ),
            Step(
                say("recreate it, world-writable and with the sticky bit")
                if _SHARED.fullmatch(directory)
                else say("recreate it, for root only"),
                where=where,
                command=command("install -d -m 1777 {directory}", directory=given.path(directory))
                if _SHARED.fullmatch(directory)
                else command("install -d -m 0700 {directory}", directory=given.path(directory)),
                risk="reversible",
                undo=command("rmdir {directory}", directory=given.path(directory)),
                verify=RETRIES,
            ),
            restart,
        ),
        do_not=(
            DoNot(
                say("remove the runtime's data root, or prune everything"),
                say("its images, containers and volumes would be lost because of one directory"),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.tmpdir-missing",
    title=say("the runtime's download directory is missing"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement},
    rule=_rule,
)
