"""The runtime's records of images and snapshots are damaged

## How it happens

The runtime keeps its layers and snapshots in a small database. After a power loss, a full disk, or a manual
deletion of files below its directory, the database and the files differ, or the database itself cannot be
read. Containers of the affected images cannot be made.

## How to tell

Creating fails with `parent snapshot … does not exist`, `failed to stat parent: stat …/snapshots/N/fs: no such
file`, `layer does not exist`, `stat …/overlay2/ID: no such file`; or the runtime does not start: it panics
with `invalid page type` or `Page expected to be`, or in the code of its database (the panic's stack begins in
`bbolt`), or says `failed to get metadata for stored sandbox`. etcd panics in the same words about its own
database: the owner of the log decides, or the packages in the stack.

## Known limits

Only the images named are known to be damaged. A full disk gives other words (node.disk-full) and should be
looked for first.

## References

- containerd core/metadata/snapshot.go, plugins/snapshots/overlay; moby daemon/internal/layer/layer.go;
  etcd-io/bbolt db.go
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import remove_image
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_START: Operation = "runtime-start"
_RUNTIMES = ("containerd", "dockerd", "docker", "runtime")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.error == "metadata-corrupt" and (
        f.operation != _START or f.reporter.startswith(_RUNTIMES) or f.key is not None
    )


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    starts = f.operation == _START
    return Finding(
        (
            say("the runtime cannot start: its own records are damaged")
            if starts
            else say("the runtime's records of an image or snapshot are damaged")
        )
        + _starting.say_on_node(subject, snap),
        culprit=Ref("Runtime", _starting.find_node_name(subject, snap), "metadata"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(_make_recreation_step(subject, snap),)
        if starts
        else (_pull_anew(subject, f, snap), _make_recreation_step(subject, snap)),
        do_not=(
            DoNot(
                say("delete single files below the runtime's data directory"),
                say("the records then diverge even more, and running containers lose their layers"),
            ),
        ),
    )


def _pull_anew(subject: Ref, f: Failure, snap: Facts) -> Step:
    spec = find_container_spec(subject, f.container, snap)
    return Step(
        say(
            "while its registry is available, remove the container's image, so that it is pulled again; "
            "running containers are not affected, new ones wait meanwhile"
        ),
        where=_starting.place_step(subject, snap),
        command=remove_image(subject, snap, spec.image) if spec and spec.image else NO_COMMAND,
        risk="disrupts",
        verify=_starting.RETRIES,
    )


def _make_recreation_step(subject: Ref, snap: Facts) -> Step:
    return Step(
        say(
            "if the runtime itself does not start: drain the node, move its data directory aside and start "
            "it fresh; all images are pulled again"
        ),
        where=_starting.place_step(subject, snap),
        risk="disrupts",
    )


CAUSE = Cause(
    id="runtime.metadata-corrupt",
    title=say("the runtime's records of images and snapshots are damaged"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", "images-pulled", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | {Containers, NodeInfo},
    rule=_rule,
)
