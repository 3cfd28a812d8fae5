"""The Node lacks a cgroup controller

## How it happens

The runtime puts every container into cgroups of cpu, memory, pids and others. On this Node a controller is
not mounted or not enabled: the kernel was started without it (memory on Raspberry Pi and some Debian kernels,
pids on old ones), the mounts under /sys/fs/cgroup are missing (a container that runs the kubelet), or v1 and
v2 are mixed.

## How to tell

Creating fails with `cannot find cgroup mount destination`, `mountpoint for cpuset not found`, or the kubelet
does not start: `Following Cgroup subsystem not mounted: [pids]`.

## Known limits

The message names the controller in some versions only; `cat /proc/cgroups` on the Node shows which are
disabled.

## References

- github.com/opencontainers/cgroups utils.go; Kubernetes pkg/kubelet/cm/container_manager_linux.go
  (validateSystemRequirements)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.error == "controller-missing"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("a cgroup controller is missing")
        + (say(": {key}", key=f.key) if f.key else NO_TEXT)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("CgroupController", _starting.find_node_name(subject, snap), f.key or "?"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see which controllers are enabled and mounted"),
                where=_starting.place_step(subject, snap),
                command=command("sh -c 'cat /proc/cgroups; grep cgroup /proc/mounts'"),
            ),
            Step(
                say(
                    "if /proc/cgroups does not list {key}, boot a kernel that is built with it; if it is "
                    "listed with enabled 0, remove cgroup_disable={key} from the kernel command line and "
                    "reboot; if it is enabled, have it mounted at boot; its Pods are down meanwhile",
                    key=f.key,
                )
                if f.key not in ("", "memory")
                else say(
                    "enable it on the kernel command line (cgroup_enable=memory), or mount it, and reboot; "
                    "its Pods are down meanwhile"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("mount the controller by hand into a live hierarchy, or remount /sys/fs/cgroup"),
                say(
                    "systemd and the runtime lose the hierarchy they rely on: running containers lose their "
                    "limits, or cannot be stopped"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="cgroup.controller-missing",
    title=say("the Node lacks a cgroup controller"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
