"""The Node lacks a cgroup controller

## How it happens

The runtime puts every container into cgroups of cpu, memory, pids and others. On this Node a controller is not mounted or not enabled: the
kernel was started without it (memory on Raspberry Pi and some Debian kernels, pids on old ones), the mounts under /sys/fs/cgroup are not
there (a container that runs the kubelet), or v1 and v2 are mixed.

## How to tell

Creating fails with `cannot find cgroup mount destination`, `mountpoint for cpuset not found`, or the kubelet does not start: `Following
Cgroup subsystem not mounted: [pids]`.

## Known limits

The message names the controller in some versions only; `cat /proc/cgroups` on the Node shows which are disabled.

## References

- github.com/opencontainers/cgroups utils.go; Kubernetes pkg/kubelet/cm/container_manager_linux.go (validateSystemRequirements)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.error == "controller-missing"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        Text("a cgroup controller is missing" + (f": {f.key}" if f.key else ""), "缺少某个 cgroup 控制器" + (f"：{f.key}" if f.key else ""))
        + _starting.on(subject, snap),
        culprit=Ref("CgroupController", _starting.node_name(subject, snap), f.key or "?"),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text("see which controllers are enabled and mounted", "查看哪些控制器已启用并挂载"),
                where=_starting.where(subject, snap),
                command=command("sh -c 'cat /proc/cgroups; grep cgroup /proc/mounts'"),
            ),
            Step(
                Text(
                    "enable it on the kernel command line (cgroup_enable=memory), or mount it, and reboot; its Pods are down meanwhile",
                    "在内核命令行启用（cgroup_enable=memory）或挂载它，然后重启；期间其 Pod 不可用",
                ),
                where=_starting.where(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text(
                    "mount the controller by hand into a live hierarchy, or remount /sys/fs/cgroup",
                    "在运行中手工挂载该控制器，或重新挂载 /sys/fs/cgroup",
                ),
                Text(
                    "systemd and the runtime lose the hierarchy they rely on: running containers lose their limits, or cannot be stopped",
                    "systemd 与运行时所依赖的层级随之消失：运行中的容器会失去限制，或无法停止",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="cgroup.controller-missing",
    title=Text("the Node lacks a cgroup controller", "节点缺少某个 cgroup 控制器"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    reads=_starting.READS,
    rule=_rule,
)
