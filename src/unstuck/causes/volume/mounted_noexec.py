"""The program is on a file system mounted with noexec

## How it happens

A container runs a program from a volume: an agent kept on the node (hostPath), a tool that an init container
put into an emptyDir, a script of a ConfigMap. A security baseline mounts the volume's file system with
`noexec`: the agent's own file system, `/var`, `/var/lib/kubelet`, `/run`. The kernel then refuses to execute
any file there, regardless of its mode.

## How to tell

The runtime says `exec /tools/agent: permission denied`, the path lies in a volume, and the mount on the node
that the volume lies on has the option `noexec`.

## Known limits

The options of volumes with their own mount (CSI, NFS, local) are not checked: there this stays open. Without
a look at the node it fits as well as a missing execute bit.

## References

- mount(8) noexec; execve(2) EACCES; CIS benchmarks for Linux distributions (noexec on /var, /tmp, /dev/shm)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.causes.container._ends import STAGES, name_container
from unstuck.causes.container._refused import start_refusals
from unstuck.causes.volume._on_node import READS, VolumePath, find_volume_path, is_mounted_with
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    _, mine = start_refusals(
        pod,
        snap,
        lambda f: (
            f.error == "not-executable" and find_volume_path(pod, f.container, f.path or "", snap) is not None
        ),
    )
    said = mine.hits[0] if mine.hits else None
    where = find_volume_path(pod, said.container, said.path or "", snap) if said else None
    on: Sign[MountEntry] = is_mounted_with("noexec", pod, where, snap) if where else Sign(None)
    proof: Sign[Any] = all_of((mine, on))
    if proof.value is None and mine.value:
        # Its message allows this cause, and is shown.
        proof = Sign(None, mine.hits, mine.seen, on.wants)
    return Signs(
        decisive={
            (
                "the runtime may not execute a file of a volume, and what that lies on is mounted noexec on "
                "the node"
            ): proof
        },
        finding=lambda: _make_finding(pod, mine.hits[0], where or VolumePath("?", ""), on.hits[0], snap),
    )


def _make_finding(pod: Ref, said: Failure, where: VolumePath, mount: MountEntry, snap: Facts) -> Finding:
    node = find_node(pod, snap)
    name = node.name if node else None
    return Finding(
        say(
            (
                "{who} cannot start: {path} is in volume {volume}, and the file system at {at} on Node "
                "{node} is mounted noexec"
            ),
            who=name_container(said.container),
            path=said.path or "?",
            volume=where.volume,
            at=mount.mountpoint,
            node=name or "NODE",
        ),
        culprit=Ref("Mount", name, mount.mountpoint),
        blocks=(make_container_ref(pod, said.container), pod),
        help=(
            Step(
                say("see its mount options, and who set them"),
                where=place_on_node(name),
                command=command("findmnt -T {at}", at=given.path(mount.mountpoint)),
            ),
            Step(
                say(
                    "put the program into the image, or keep it on a file system "
                    "that programs may be run from"
                ),
                where="source",
                verify=say("the container starts and logs"),
            ),
            Step(
                say(
                    "or mount it with exec until the next boot, if the node's security baseline allows it; "
                    "/etc/fstab or its unit makes it last"
                ),
                where=place_on_node(name),
                command=command("mount -o remount,exec {at}", at=given.path(mount.mountpoint)),
                risk="reversible",
                undo=command("mount -o remount,noexec {at}", at=given.path(mount.mountpoint)),
            ),
        ),
        do_not=(
            DoNot(
                say("change the file's mode, or run the container as root or privileged because of it"),
                say("the kernel executes nothing from such a mount, for any user and any file mode"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.mounted-noexec",
    title=say("the program is on a file system mounted with noexec"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=READS | {Failure, ContainerStatuses, Containers, Placement},
    rule=_rule,
)
