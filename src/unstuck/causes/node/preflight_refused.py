"""A machine fails kubeadm's checks

## How it happens

Before it makes a control plane or joins one, kubeadm looks at the machine: its size, swap, kernel settings,
tools, ports, the container runtime, and leftovers of an earlier try. Each check that fails ends it; a warning
does not.

## How to tell

`[preflight] Some fatal errors occurred` and a line `[ERROR NAME]: …` for each check.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether the machine was fixed since is not
seen.

## References

- kubeadm cmd/kubeadm/app/preflight/checks.go; Kubernetes documentation: Installing kubeadm, Before you begin
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from unstuck.causes.program._plain import make_joint_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_BRIDGE = say(
    "load the module and set the values, for good in /etc/modules-load.d and /etc/sysctl.d: modprobe "
    "br_netfilter; sysctl -w net.bridge.bridge-nf-call-iptables=1 net.ipv4.ip_forward=1"
)
_LEFT = say(
    "only if this machine should join again and nothing on it is needed: kubeadm reset; its files, "
    "certificates and etcd's data are lost for good; otherwise give up the join, it is already part of a "
    "cluster"
)
# By the beginning of the check's name, or the path that it looks at.
_MENDED: Mapping[str, Text] = MappingProxyType(
    {
        "FileContent--proc-sys-net": _BRIDGE,
        "/proc/sys/net": _BRIDGE,
        "CRI": say(
            "check whether the runtime is running and its CRI is enabled: remove cri from disabled_plugins"
            " in /etc/containerd/config.toml, restart containerd, and use a version that serves the CRI "
            "version that this kubeadm requires"
        ),
        "Swap": say("disable swap, permanently in /etc/fstab too: swapoff -a"),
        "Port-": say(
            "stop what listens on the port, usually a kubelet or etcd of an earlier attempt: kubeadm "
            "reset, if nothing of it is needed"
        ),
        "FileAvailable-": _LEFT,
        "DirAvailable-": _LEFT,
        "NumCPU": say("give the machine at least the required number of CPUs"),
        "Mem": say("give the machine at least the required memory"),
        "FileExisting-": say("install the tool that it names, and make sure it is in root's PATH"),
        "IsPrivilegedUser": say("run kubeadm as root"),
        "KubeletVersion": say("install a kubelet of the control plane's version: it may not be newer"),
        "KubernetesVersion": say("use a kubeadm of the version to be installed"),
        "ImagePull": say(
            "have the image pulled beforehand, or see why the registry refuses it: kubeadm config images pull"
        ),
        "Service-": say("start and enable the service that it names: systemctl enable --now"),
    }
)
# Files that kubeadm leaves on a member machine: two of them at once are no coincidence.
_OF_A_MEMBER = ("FileAvailable-", "DirAvailable-", "Port-")
_SKIPPED = DoNot(
    say("skip the check with --ignore-preflight-errors"),
    say("what it found stays, and the cluster fails later where the reason is harder to see"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_joint_signs_in_text(
        text, snap, "preflight-refused", lambda failed: _make_finding(text, failed)
    )


def _make_finding(text: Ref, failed: Sequence[ProgramMessage]) -> Finding:
    first, *others = failed
    means = _describe(first)
    for other in others:
        means += say("; {reason}", reason=_describe_further(other))
    names = [one.complaint.name or one.complaint.path for one in failed]
    joined = sum(name.startswith(_OF_A_MEMBER) for name in names) > 1
    if joined:
        means += say(
            ": all of that is an earlier init or join, and this machine may be part of a cluster already"
        )
    begins = unique(begin for name in names for begin in _MENDED if name.startswith(begin))
    mended = unique(_LEFT if joined and begin in _OF_A_MEMBER else _MENDED[begin] for begin in begins)
    member = (
        Step(
            say("see whether this machine is a Node of the cluster"),
            command=command("kubectl get nodes -o wide"),
        ),
    )
    again = Step(
        say("on that machine: have kubeadm make its checks again"),
        command=command("kubeadm init phase preflight --dry-run"),
    )
    help_ = (
        *(member if joined else ()),
        *(Step(says, risk="loses-data" if says == _LEFT else "none") for says in mended),
        again,
    )
    return make_finding(text, first, means, help_, do_not=(_SKIPPED,))


def _describe(one: ProgramMessage) -> Text:
    c = one.complaint
    if c.name:
        return say("this machine fails kubeadm's check {check}: {reason}", check=c.name, reason=c.reason)
    return say("this machine fails a check of kubeadm: {reason}", reason=c.reason)


def _describe_further(one: ProgramMessage) -> Text:
    c = one.complaint
    return same_in_both(f"{c.name}: {c.reason}" if c.name else c.reason)


CAUSE = Cause(
    id="node.preflight-refused",
    title=say("a machine fails kubeadm's checks"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
