"""The kubelet and the runtime manage cgroups in different ways

## How it happens

The kubelet's `cgroupDriver` has one value (`systemd`, `cgroupfs`) and the runtime's configuration the other:
containerd's `SystemdCgroup`, CRI-O's `cgroup_manager`, docker's `native.cgroupdriver`. An upgrade or a new
machine image brought another default, or one of the files was rewritten.

## How to tell

With docker the kubelet ends: `kubelet cgroup driver: "systemd" is different from docker cgroup driver:
"cgroupfs"`. With containerd or CRI-O no sandbox comes up: `expected cgroupsPath to be of format
"slice:prefix:name" for systemd cgroups`; the kubelet's own configuration then has `cgroupfs`.

## Known limits

A kubelet of 1.28 or newer asks the runtime and follows it where both can (`KubeletCgroupDriverFromCRI`), and
then its own setting has no effect. The other way round, a kubelet with `systemd` and a runtime with
`cgroupfs`, gives no message: Pods run in cgroups outside of the kubelet's accounting.

## References

- Kubernetes documentation "Configuring a cgroup driver"; KEP-4033; runc libcontainer/specconv/spec_linux.go
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kubelet import KubeletConfig
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under

say = Messages(__name__)

_QUOTES = "'\""


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said = hearsay(snap, Failure, subject, lambda f: [f] if f.error == "cgroup-driver-differs" else [])
    set_so: Sign[str] = Sign(None, wants=under.wants if said.value else ())
    if node and said.value:
        means = _kubelets(said.hits[0])
        told = some(
            snap, KubeletConfig, node, lambda f: [f.cgroup_driver] if f.cgroup_driver == means else []
        )
        # From 1.28 on the runtime's answer may override the file: another setting there is no proof against
        # the message.
        set_so = Sign(None, seen=told.seen) if told.value is False else told
    return Signs(
        decisive={
            "it is rejected for its cgroup driver, and the kubelet uses that driver": all_of([said, set_so])
        },
        supporting={"a message says that the drivers differ": said},
        finding=lambda: _make_finding(subject, node, said.hits[0]),
    )


def _kubelets(said: Failure) -> str:
    """Return the kubelet's driver by this message: runc, configured for systemd, was given a path of the
    other kind.
    """
    return said.key or "cgroupfs"


def _make_finding(subject: Ref, node: Ref | None, said: Failure) -> Finding:
    mine = _kubelets(said)
    theirs = said.volume or "systemd"
    where = place_on_node(node.name if node else None)
    if mine.strip(_QUOTES) == theirs.strip(_QUOTES):
        return _make_quoted_finding(subject, node, mine, where)
    return Finding(
        say(
            "the kubelet manages cgroups with {mine}, the container runtime with {theirs}",
            mine=mine,
            theirs=theirs,
        ),
        culprit=Ref("CgroupDriver", node.name if node else None, mine),
        blocks=unique((*((node,) if node else ()), subject)),
        help=(
            Step(
                say("see which driver the runtime uses"),
                where=where,
                command=command(
                    "containerd config dump | grep -i systemdcgroup; docker info -f '{{.CgroupDriver}}'; "
                    "crio status config"
                ),
            ),
            Step(
                say(
                    "change the one that differs from the other nodes: cgroupDriver: {theirs} for the "
                    "kubelet, or {mine} for the runtime; drain the node first, then restart both: running "
                    "containers keep their old cgroups, so the Pods end and are recreated",
                    theirs=theirs,
                    mine=mine,
                ),
                where=where,
                risk="disrupts",
                verify=say("new Pods on the node start"),
            ),
        ),
        do_not=(
            DoNot(
                say("change the driver while Pods are running"),
                say("the kubelet no longer finds their cgroups, and their limits are not enforced"),
            ),
        ),
    )


def _make_quoted_finding(subject: Ref, node: Ref | None, value: str, where: str) -> Finding:
    """Return the finding for a driver whose name holds quotes that were meant for a shell: no other name
    equals it.
    """
    return Finding(
        say("the kubelet's cgroup driver is set with quotes in its value: {value}", value=value),
        culprit=Ref("CgroupDriver", node.name if node else None, value),
        blocks=unique((*((node,) if node else ()), subject)),
        help=(
            Step(
                say("see where it is set"),
                where=where,
                command=command(
                    "grep -rs cgroup.driver /var/lib/kubelet /etc/default/kubelet /etc/sysconfig/kubelet "
                    "/etc/systemd/system"
                ),
            ),
            Step(
                say(
                    "remove the inner quotes there, and restart the kubelet: {value} becomes {bare}",
                    value=value,
                    bare=value.strip(_QUOTES),
                ),
                where=where,
                risk="reversible",
                verify=say("the kubelet starts"),
            ),
        ),
    )


CAUSE = Cause(
    id="cgroup.driver-mismatch",
    title=say("the kubelet and the runtime use different cgroup drivers"),
    subjects=("Node", "Pod"),
    stages=("sandbox-and-network", "containers-created", "started"),
    reads=frozenset({Failure, KubeletConfig, Placement}),
    rule=_rule,
)
