"""A mount is still held in another mount namespace, and an old kernel refuses to remove it

## How it happens

A service or container that was started while the mount existed got a copy of it in a mount namespace of its
own: a log agent or node exporter with the host's root mounted, a systemd service with `PrivateTmp=true`. The
mount is undone for everybody else, but kernels before 3.18 then answer `device or resource busy` when its
directory is removed. The container stays `Dead` or `Removal In Progress`.

## How to tell

The message names the path: `…/overlay2/ID/merged`, `…/devicemapper/mnt/ID`, a volume directory, a network
namespace's file. `grep -l ID /proc/[0-9]*/mountinfo` names the processes whose namespace still has it; the
kernel's release decides whether that matters.

## Known limits

On kernels from 3.18 on, and on RHEL 7.4 and later with `fs.may_detach_mounts=1`, a holder in a foreign
namespace does not block the removal: this is ruled out then, unless the refusal is about a block device
below, which stays in use as long as any namespace has its file system mounted. A kernel that refuses and a
message without a known holder make it likely. If the release does not decide, a process whose namespace has
the unremovable mount makes it likely: a newer kernel would not have refused. If process 1 has it too, it is
mounted on the node itself, and this is no evidence. A kubelet's `rename …/NAME …/wrapped_NAME.deleting~N:
device or resource busy` (up to 1.6) makes it likely as well: that kubelet had unmounted NAME, or found no
mount there, and only a mount point cannot be renamed.

## References

- Linux commit 8ed936b5671b; proc(5) mountinfo; systemd.exec(5) PrivateTmp; field notes
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.mount._busy import (
    does_kernel_refuse,
    does_question_arise,
    find_busy_failures,
    find_foreign_holders,
    name_process,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, Command, Words, command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import Host, MountHolder, MountHolders, UnitFile
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_MANY = 8
_TRUE = ("true", "yes", "on", "1")  # systemd.syntax(7)


def _rule(subject: Ref, snap: Facts) -> Signs:
    refused = find_busy_failures(subject, snap)
    node = find_node(subject, snap)
    mounts, held = find_foreign_holders(subject, node, refused, snap)
    blocks = does_kernel_refuse(subject, refused, held, snap)

    def finding() -> Finding:
        said = next((f.path for f in refused.hits if f.path), "?")
        path = next((m.name for m in mounts if any(f.items for f in snap.of(MountHolders, m))), said)
        return _make_finding(subject, held.hits, path or said, node, snap)

    return Signs(
        applies=does_question_arise(subject, refused, blocks, held),
        necessary={"this kernel refuses to remove what another namespace has mounted": blocks},
        decisive={"a foreign mount namespace still has it": held},
        supporting={"its removal was refused as busy": refused},
        finding=finding,
    )


def _private(
    holders: tuple[MountHolder, ...], node: str | None, snap: Facts
) -> tuple[tuple[Text, ...], tuple[Want, ...]]:
    """Return the holders' services whose unit file gives them a mount namespace of their own, and the
    questions for the others.
    """
    units = unique(
        Ref("Unit", node, h.proc.unit) for h in holders if h.proc.unit and h.proc.unit.endswith(".service")
    )[:_MANY]
    private = [
        u.name
        for u in units
        for f in snap.of(UnitFile, u)
        if dict(f.settings).get("PrivateTmp", "").lower() in _TRUE
    ]
    notes = tuple(
        say(
            (
                "PrivateTmp=true of {name} gave it its own mount namespace, with every mount that existed "
                "when it started"
            ),
            name=name,
        )
        for name in private
    )
    return notes, tuple(Want(UnitFile, u) for u in units)


def _make_finding(
    subject: Ref, holders: tuple[MountHolder, ...], path: str, node: Ref | None, snap: Facts
) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    keep = DoNot(
        say("force delete, or remove the directory by hand"),
        say("the container stays behind on the node as Removal In Progress"),
    )
    if not holders:
        return Finding(
            say("Another mount namespace still has {path} mounted, so it cannot be removed", path=path),
            culprit=Ref("Mount", name, path),
            blocks=(subject,),
            help=(
                Step(
                    say("find the process that holds it"),
                    where=where,
                    command=command("grep -lF -e {layer} /proc/[0-9]*/mountinfo", layer=_layer(path)),
                ),
            ),
            do_not=(keep,),
        )
    first = min(holders, key=lambda h: (h.proc.pid, h.namespace))
    who = name_process(first.proc)
    others = len({h.namespace for h in holders}) - 1
    more = say(" (and {others} more namespaces)", others=others) if others else NO_TEXT
    notes = [
        say("process {named} belongs to {unit}", named=name_process(h.proc), unit=h.proc.unit)
        for h in holders
        if h.proc.unit
    ]
    notes += [
        say("process {named} runs in the Pod with uid {pod}", named=name_process(h.proc), pod=h.proc.pod)
        for h in holders
        if h.proc.pod
    ]
    private, enrich = _private(holders, name, snap)
    return Finding(
        say(
            "{path} cannot be removed: the mount namespace of process {who}{more} still has it mounted",
            path=path,
            who=who,
            more=more,
        ),
        culprit=Ref("Process", name, str(first.proc.pid)),
        blocks=(subject,),
        notes=(*notes[:4], *private),
        enrich=enrich,
        help=(
            Step(
                say(
                    "unmount it in that namespace; the process keeps running, and no longer sees its contents"
                ),
                where=where,
                command=_unmount(first),
                risk="disrupts",
                verify=say("the next removal attempt succeeds"),
            ),
            Step(
                say("or restart that service, which is down meanwhile"),
                where=where,
                command=command("systemctl restart {unit}", unit=given.unit(first.proc.unit))
                if first.proc.unit
                else NO_COMMAND,
                risk="disrupts",
            ),
            Step(
                say(
                    "permanently: a kernel from 3.18; until then HostToContainer propagation for host "
                    "paths in Pods, and MountFlags=slave in docker's unit file if a service with "
                    "PrivateTmp holds the mount"
                ),
                where="source",
            ),
        ),
        do_not=(keep,),
    )


def _unmount(holder: MountHolder) -> Command:
    """Run the node's own `umount` (util-linux 2.33). nsenter takes the program from the namespace that it
    enters: from a container, which would then run its program as root on the node. A service of the node has
    the node's programs, even on older systems.
    """
    words = {"pid": given.number(holder.proc.pid), "point": given.path(holder.mountpoint)}
    if (holder.proc.unit or "").endswith(".service") and not holder.proc.pod and not holder.proc.container:
        return command("nsenter -t {pid} -m umount {point}", **words)
    return command("umount -N {pid} {point}", **words)


def _layer(path: str) -> Words:
    """Return the part common to the lines of all copies of this mount: the layer's name of an overlay, else
    the whole path.
    """
    merged = path.rpartition("/merged")[0].rpartition("/")[2]
    return given.plain(merged) if merged else given.path(path)


CAUSE = Cause(
    id="mount.held-by-process",
    title=say("another mount namespace still has the mount"),
    subjects=("Pod", "Node"),
    stages=("volumes-unmounted",),
    reads=frozenset({MountHolders, Host, NodeInfo, Failure, Placement, UnitFile}),
    rule=_rule,
)
