"""A container's subPath points to a deleted file

## How it happens

A ConfigMap or Secret is mounted with `subPath`, its content changed, and the container restarted in place.
Kubelets before 1.17 keep the bind mount of the old file, whose directory was replaced by the update; the
runtime cannot mount it into the new container.

## How to tell

The container's last state, or its events, say that mounting `…/volume-subpaths/VOLUME/CONTAINER/N` to its
rootfs failed with `no such file or directory`, while the Pod itself had been running.

## Known limits

A kubelet of 1.17 or later recreates the mount before each start, so there the version decides against this.
`not a directory` in its place is another cause: volume.mount-type-mismatch.

## References

- kubernetes/kubernetes issue 68211, pull 82784; pkg/volume/util/subpath/subpath_linux.go
- Field notes: containers that are not created
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, read_kubelet_version
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)

_FIXED = (1, 17)


def _rule(subject: Ref, snap: Facts) -> Signs:
    base = _starting.make_signs(
        subject, snap, lambda f: f.error == "subpath-gone", lambda f: _make_finding(subject, f)
    )
    return replace(
        base,
        necessary={
            **base.necessary,
            "the kubelet keeps the mount of the old file": _find_old_kubelet(subject, snap),
        },
    )


def _find_old_kubelet(pod: Ref, snap: Facts) -> Sign[NodeInfo]:
    node = find_node_of_pod(pod, snap)
    version = read_kubelet_version(node, snap) if node else None
    if node is None or version is None:
        return Sign(None, wants=(Want(NodeInfo, node),) if node else (Want(Placement, pod),))
    return Sign(version < _FIXED, seen=snap.of(NodeInfo, node))


def _make_finding(pod: Ref, f: Failure) -> Finding:
    who = say("container {container}", container=f.container) if f.container else say("a container")
    return Finding(
        say("the subPath of {who} points to a deleted file: {path}", who=who, path=f.path or "?"),
        culprit=_starting.make_volume_ref(pod, f),
        blocks=(pod,),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "delete the Pod so that its owner recreates it: the new one mounts the current content; "
                    "it is down meanwhile"
                ),
                command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
                risk="disrupts",
                verify=say("the new Pod starts"),
            ),
            Step(
                say("upgrade the kubelet to 1.17 or later, or mount the whole volume instead of a subPath"),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("change the ConfigMap again until the container starts"),
                say(
                    "the container keeps pointing to the deleted file, and other Pods get content meant for "
                    "a test"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.subpath-stale",
    title=say("a container's subPath points to a deleted file"),
    subjects=("Pod",),
    stages=_starting.CONTAINERS,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | {NodeInfo},
    rule=_rule,
)
