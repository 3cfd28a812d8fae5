"""A service with PrivateTmp was started meanwhile and keeps a copy of the mount

## How it happens

systemd gives a service with `PrivateTmp=true` (ntpd, chronyd, httpd, a database) a mount namespace of its
own. It begins with a copy of every mount of that moment, the root file systems of running containers among
them. Docker keeps its own mounts private, so that undoing one reaches no copy. Kernels before 3.18, those of
CentOS and RHEL 7 before 3.10.0-862 among them, then refuse to remove the directory: `device or resource
busy`, and the container stays `Dead` or `Removal In Progress`. A restart of such a service catches all
containers that run at that moment.

## How to tell

`grep -l ID /proc/[0-9]*/mountinfo` names a process of that service, and its unit file or a drop-in has
`PrivateTmp=true`. It was started after the container.

## Known limits

The unit is known from the process' control group; where only a process' name was seen, a unit of that name
makes it likely. Other settings that give a service its own mount namespace (`PrivateDevices=`,
`ProtectSystem=`, `ProtectHome=`) act alike and appear as mount.held-by-process. On a kernel that removes
such a mount this is ruled out.

## References

- systemd.exec(5) PrivateTmp, MountFlags; Linux commit 8ed936b5671b; mount_namespaces(7); field notes
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
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import Host, MountHolder, MountHolders, UnitFile
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_TRUE = (
    "true",
    "yes",
    "on",
    "1",
    "t",
    "y",
    "disconnected",
)  # systemd.syntax(7); the last one since systemd 256
_RUNTIME_UNITS = ("docker.service", "containerd.service")


def _rule(subject: Ref, snap: Facts) -> Signs:
    refused = find_busy_failures(subject, snap)
    node = find_node(subject, snap)
    _, held = find_foreign_holders(subject, node, refused, snap)
    blocks = does_kernel_refuse(subject, refused, held, snap)
    private = _find_private(held, node, snap)
    by_name = _find_private_by_name(held, node, snap)
    return Signs(
        applies=does_question_arise(subject, refused, blocks, held),
        necessary={"this kernel refuses to remove what another namespace has mounted": blocks},
        decisive={"that namespace is a service's with PrivateTmp": private},
        supporting={"a service of the holder's name has PrivateTmp": by_name},
        finding=lambda: _make_finding((private.hits or by_name.hits)[0], subject, node, snap),
    )


def _find_private(held: Sign[MountHolder], node: Ref | None, snap: Facts) -> Sign[MountHolder]:
    """Find holders whose unit has PrivateTmp; no only if each holder is known to be another unit."""
    if not held.value:
        return held
    return any_of([all_of([held, _find_unit_private(h, h.proc.unit, node, snap)]) for h in held.hits])


def _find_unit_private(
    holder: MountHolder, unit: str | None, node: Ref | None, snap: Facts
) -> Sign[MountHolder]:
    name = node.name if node else None
    if holder.proc.pod or (unit and not unit.endswith(".service")):
        return Sign(False)
    if not unit:
        return Sign(None, wants=(Want(UnitFile, Ref("Unit", name, _unit_of(holder))),))
    return some(snap, UnitFile, Ref("Unit", name, unit), lambda f: [holder] if _is_private(f) else [])


def _find_private_by_name(held: Sign[MountHolder], node: Ref | None, snap: Facts) -> Sign[MountHolder]:
    """Find holders known only by their process, if a unit of its name has PrivateTmp."""
    name = node.name if node else None
    nameless = [h for h in held.hits if not h.proc.unit and not h.proc.pod and h.proc.comm]

    def of(holder: MountHolder) -> Sign[MountHolder]:
        return hearsay(
            snap, UnitFile, Ref("Unit", name, _unit_of(holder)), lambda f: [holder] if _is_private(f) else []
        )

    return any_of([of(h) for h in nameless])


def _unit_of(holder: MountHolder) -> str:
    return f"{holder.proc.comm or holder.proc.pid}.service"


def _is_private(unit: UnitFile) -> bool:
    return dict(unit.settings).get("PrivateTmp", "").lower() in _TRUE


def _make_finding(holder: MountHolder, subject: Ref, node: Ref | None, snap: Facts) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    unit = holder.proc.unit or _unit_of(holder)
    who = name_process(holder.proc)
    started = holder.proc.start
    notes = [
        say(
            (
                "its process {who} started at {started:%Y-%m-%d %H:%M} UTC; containers "
                "older than that are affected"
            ),
            who=who,
            started=started,
        )
        if started
        else say("its process is {who}", who=who)
    ]
    units = tuple(Ref("Unit", name, u) for u in _RUNTIME_UNITS)
    notes += [
        say("{u} sets MountFlags={flags}", u=u.name, flags=flags)
        if (flags := dict(f.settings).get("MountFlags"))
        else say("{u} does not set MountFlags", u=u.name)
        for u in units
        for f in snap.of(UnitFile, u)[:1]
    ]
    return Finding(
        say(
            "{unit} has PrivateTmp=true and keeps a copy of {mountpoint} in its own mount namespace",
            unit=unit,
            mountpoint=holder.mountpoint,
        ),
        culprit=Ref("Unit", name, unit),
        blocks=(Ref("Process", name, str(holder.proc.pid)), subject),
        notes=tuple(notes),
        enrich=tuple(Want(UnitFile, u) for u in units),
        help=(
            Step(
                say(
                    (
                        "restart {unit}, which is down for a moment; it then holds a copy of the mounts "
                        "existing at that time"
                    ),
                    unit=unit,
                ),
                where=where,
                command=command("systemctl restart {unit}", unit=given.unit(unit)),
                risk="disrupts",
                verify=say("the next removal attempt succeeds"),
            ),
            Step(
                say(
                    (
                        "permanently: PrivateTmp=false in a drop-in of {unit}, which then shares /tmp with "
                        "other programs, and restart it"
                    ),
                    unit=unit,
                ),
                where=where,
                command=command("systemctl edit {unit}", unit=given.unit(unit)),
                undo=command("systemctl revert {unit}", unit=given.unit(unit)),
                risk="disrupts",
            ),
            Step(
                say(
                    "or a kernel that removes such mounts (CentOS and RHEL: 3.10.0-862 and "
                    "later with fs.may_detach_mounts=1)"
                ),
                where="source",
            ),
            Step(
                say(
                    "or MountFlags=slave in docker.service; it takes effect when docker restarts, and its "
                    "containers restart with it"
                ),
                where="source",
                risk="disrupts",
            ),
        ),
        do_not=(
            DoNot(
                say("force delete, or remove the directory by hand"),
                say("the container stays behind on the node as Removal In Progress"),
            ),
        ),
    )


CAUSE = Cause(
    id="mount.leaked-to-private-tmp",
    title=say("a service with PrivateTmp keeps a copy of the mount"),
    subjects=("Pod", "Node"),
    stages=("volumes-unmounted",),
    reads=frozenset({MountHolders, Host, NodeInfo, Failure, Placement, UnitFile}),
    rule=_rule,
)
