"""An old kernel leaks memory cgroups until no more can be created

## How it happens

Kernels 3.10 (CentOS and RHEL 7) and early 4.x account kernel memory for each cgroup once anybody has set a
kernel limit there, which runc did up to 1.0-rc9 and the kubelet's own builds too. Cgroups so marked are not
freed when they are removed. After some 65,000 of them the Node can make no further one.

## How to tell

Creating fails with `mkdir /sys/fs/cgroup/memory/…: cannot allocate memory` (or no space left on device),
every Pod on that Node alike, with plenty of free memory; the Node's kernel is 3.10 or 4.0 to 4.9, and it runs
since months.

## Known limits

The message has other causes: a limit in a wrong unit (then only that Pod fails, and never one of the class
besteffort, which has no limit), memory in pieces (node.memory-fragmented). The count in `/proc/cgroups` is
not read here, so this is at most likely.

## References

- kubernetes/kubernetes issue 61937; opencontainers/runc pull 2594; kernel commit d6e103a757
  (cgroup.memory=nokmem)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, hearsay, negate, only_yes, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import Host
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_amount
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_CREATIONS: tuple[Operation, ...] = ("sandbox-create", "container-create", "container-start")
_OLD = regex(r"3\.10\.|4\.[0-9]\.")
_LEAST = 1 << 20


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = _starting.start_failures(pod, snap, _is_match)
    tiny = some(snap, Containers, pod, lambda f: [c for c in f.items if _tiny(c)])
    unlimited: Sign[Failure] = Sign(
        any(_is_unlimited(f) for f in said.hits) or None, seen=said.seen, sure=said.sure
    )
    node = find_node_of_pod(pod, snap)
    old = _find_leaking_kernel(node, snap) if node else _find_only_kernel(pod, snap)
    return Signs(
        necessary={
            "the kernel makes no memory cgroup": said,
            "no limit of the Pod is in a wrong unit": unlimited if unlimited.value else negate(tiny),
            "the kernel is one that leaks": old,
        },
        decisive={},
        supporting={"the kernel refuses one": only_yes(said)},
        finding=lambda: _make_finding(pod, old.hits[0], snap),
    )


def _find_leaking_kernel(node: Ref, snap: Facts) -> Sign[str]:
    by_machine = hearsay(snap, Host, node, lambda f: [f.kernel] if _OLD.match(f.kernel) else [])
    by_server = some(snap, NodeInfo, node, lambda f: [f.kernel] if _OLD.match(f.kernel) else [])
    return by_server if by_server.value is not None else accept_hearsay(by_server, by_machine)


def _find_only_kernel(pod: Ref, snap: Facts) -> Sign[str]:
    """Tell whether all known machines run such a kernel, and so the unknown Node of the Pod does."""
    machines: list[NodeInfo | Host] = [*snap.every(NodeInfo), *snap.every(Host)]
    told = [f for f in machines if f.kernel]
    if told and all(_OLD.match(f.kernel) for f in told):
        return Sign(True, unique(f.kernel for f in told), tuple(told), (Want(Placement, pod),), sure=False)
    return Sign(None, wants=(Want(Placement, pod),))


def _is_match(f: Failure) -> bool:
    where = f.path or f.message
    return f.operation in _CREATIONS and f.error in ("ENOMEM", "ENOSPC") and "/cgroup/memory/" in where


def _is_unlimited(f: Failure) -> bool:
    """Tell whether the cgroup is one of the class in which no container has a limit
    (pkg/apis/core/v1/helper/qos).
    """
    return "besteffort" in (f.path or f.message)


def _tiny(c: ContainerSpec) -> bool:
    limit = next((v for k, v in c.limits if k == "memory"), "")
    least = parse_amount("memory", limit) if limit else None
    return least is not None and 0 < least < _LEAST


def _make_finding(pod: Ref, kernel: str, snap: Facts) -> Finding:
    return Finding(
        say("kernel {kernel} leaks memory cgroups and cannot create more", kernel=kernel)
        + _starting.say_on_node(pod, snap),
        culprit=Ref("Kernel", _starting.find_node_name(pod, snap), "memory cgroups"),
        blocks=(pod,),
        help=(
            Step(
                say("compare the memory cgroup count with the existing directories"),
                where=_starting.place_step(pod, snap),
                command=command(
                    "sh -c 'grep memory /proc/cgroups; find /sys/fs/cgroup/memory -type d | wc -l'"
                ),
            ),
            Step(
                say(
                    "drain and reboot the node (its Pods move away); permanently: a newer kernel, or "
                    "cgroup.memory=nokmem on its command line"
                ),
                where=_starting.place_step(pod, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("remove cgroup directories by hand"),
                say(
                    "leaked cgroups have no directory any more; the existing "
                    "directories belong to running Pods"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="cgroup.kmem-leak",
    title=say("an old kernel leaks memory cgroups until no more can be created"),
    subjects=("Pod",),
    stages=("sandbox-and-network", "init-done", "containers-created", "started", "stays-up"),
    needs=_starting.may_name_its_fault,
    reads=frozenset({Failure, Events, Containers, Host, NodeInfo, Placement}),
    rule=_rule,
)
