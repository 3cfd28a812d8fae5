"""Mount propagation is broken between the kubelet's directory and the containers

## How it happens

The kubelet's root directory is not in the assumed place: a symbolic link, another `--root-dir` than the CSI
driver and the runtime expect, or the kubelet (or the runtime) runs in a container whose mounts are private. A
mount of one of them is invisible to the others.

## How to tell

The runtime refuses a container with `path … is mounted on … but it is not a shared mount`, or the kubelet
says `couldn't find loopback device which takes file descriptor lock`.

## Known limits

Another root directory works where the kubelet, the runtime and the CSI drivers are all set to it. The message
names the path, not who made the mount private. A missing loop device may also lack the device below it: this
message alone leaves it open.

## References

- moby daemon (path … is not a shared mount), containerd pkg/oci; mount_namespaces(7); Kubernetes
  documentation "Mount propagation"
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    told = _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), decides=_names_mount
    )
    said = told.necessary["the last attempt failed this way"]
    if any(_names_mount(f) for f in said.hits):
        return told
    return replace(told, supporting={})


def _is_match(f: Failure) -> bool:
    return f.error == "mount-not-shared"


def _names_mount(f: Failure) -> bool:
    """Tell whether the runtime names the mount. A loop device is also not found where the device below it
    is gone.
    """
    return f.path is not None


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    what = (
        say("{path} is not a shared mount", path=f.path)
        if f.path
        else say("a volume's loop device cannot be found")
    )
    return Finding(
        say("mount propagation is broken between the node and the containers: {what}", what=what)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("Mount", _starting.find_node_name(subject, snap), f.path or "kubelet root"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see that path's propagation, and whether it is a symlink"),
                where=_starting.place_step(subject, snap),
                command=command(
                    "findmnt -o TARGET,PROPAGATION -T {path}", path=given.path(f.path or "/var/lib/kubelet")
                ),
            ),
            Step(
                say(
                    "make the mount below it shared (mount --make-rshared), or give the kubelet its real "
                    "directory as --root-dir; restart the kubelet: running containers are not affected"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("move the kubelet's directory while Pods are running there"),
                say("their volumes stay mounted at the old place and are never unmounted"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.kubelet-root-moved",
    title=say("mount propagation is broken between the kubelet's root and containers"),
    subjects=("Pod",),
    stages=("devices-and-volumes-prepared", *_starting.CONTAINERS, "volumes-unmounted"),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
