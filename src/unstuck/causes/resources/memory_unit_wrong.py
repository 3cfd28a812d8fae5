"""A memory limit has the wrong unit

## How it happens

A bare number of memory is bytes, and the suffix `m` means thousandths: `memory: "64"` allows 64 bytes,
`memory: 128m` an eighth of one. `64Mi` or `128Mi` was intended. The API server accepts it (newer ones warn).
No program can run with that: the kernel refuses to make the cgroup, or kills the runtime's first process in
it, before the program begins. Even sooner, the kubelet cannot write the Pod's token: the volumes it keeps in
memory are no larger than the Pod's limit.

## How to tell

The spec has a memory limit below 1 MiB, and the sandbox or the container cannot be created: `container init
was OOM-killed`, `mkdir /sys/fs/cgroup/memory/…: cannot allocate memory`, `Minimum memory limit allowed is
6MB`, `read init-p: connection reset by peer`; or the container ends at once with StartError or OOMKilled; or
`MountVolume.SetUp failed for volume "kube-api-access-…"` with `no space left on device`. Neither the spec nor
such a message alone is proof: the message has other causes too.

## Known limits

A request in a wrong unit only misleads the scheduler and is not claimed here. A limit of some MiB in the
right unit that is below the runtime's needs is resources.memory-limit-too-low. Here container.out-of-memory
is ruled out for such a container: the unit is the fault, and the kill follows from it.

## References

- Kubernetes documentation "Meaning of memory"
- pkg/volume/emptydir/empty_dir.go (the size of volumes in memory)
- runc libcontainer/process_linux.go; docker daemon/daemon_unix.go; cri-o server/container_create.go
- Field notes: limits too small or in a wrong unit
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatus, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_amount, parse_quantity
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

say = Messages(__name__)

# No program and no runtime's init fits into less; docker and CRI-O refuse limits below 4 to 12 MiB.
_LEAST = 1 << 20
_CREATIONS: tuple[Operation, ...] = ("sandbox-create", "container-create", "container-start")
_KILLED: tuple[ErrorWord, ...] = ("init-killed", "below-minimum", "ENOMEM")
# Volumes that the kubelet keeps in a tmpfs no larger than the Pod's memory limit
# (pkg/volume/emptydir/empty_dir.go).
_IN_MEMORY = ("kubernetes.io~projected", "kubernetes.io~secret", "kubernetes.io~downward-api")
_IN_CGROUP: tuple[ErrorWord, ...] = ("EBUSY", "EINVAL", "EPIPE", "EPERM")


def _rule(pod: Ref, snap: Facts) -> Signs:
    tiny = some(snap, Containers, pod, lambda f: [c for c in f.items if _too_small(c)])
    names = tuple(c.name for c in tiny.hits)
    whole_pod = all(
        _limit(c) for f in snap.of(Containers, pod) for c in f.items if c.kind in ("main", "sidecar")
    )
    refused: Sign[Any] = some(
        snap, Failure, pod, lambda f: [f] if _is_due_to_limit(f, names, whole_pod) else []
    )
    ended: Sign[Any] = some(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.name in names and _ends_at_limit(s)]
    )
    failing = only_yes(any_of([refused, ended]))

    def finding() -> Finding:
        return _make_finding(pod, tiny.hits)

    return Signs(
        necessary={"a memory limit is below 1 MiB": tiny},
        decisive={"the runtime could not create or start what has this limit": failing},
        finding=finding,
    )


def _limit(c: ContainerSpec) -> str:
    return next((v for k, v in c.limits if k == "memory"), "")


def _too_small(c: ContainerSpec) -> bool:
    least = parse_amount("memory", _limit(c)) if _limit(c) else None
    return least is not None and 0 < least < _LEAST


def _is_due_to_limit(f: Failure, names: tuple[str, ...], whole_pod: bool) -> bool:
    """Tell whether the failure is due to this limit. The Pod's cgroup, its sandbox and its volumes in memory
    have a limit only if every container has one.
    """
    if f.operation == "volume-set-up":
        return whole_pod and f.error == "ENOSPC" and any(kind in (f.path or f.message) for kind in _IN_MEMORY)
    if f.operation not in _CREATIONS:
        return False
    mine = whole_pod if f.operation == "sandbox-create" else f.container in (*names, None)
    return mine and (f.error in _KILLED or (f.error in _IN_CGROUP and "cgroup" in (f.path or f.message)))


def _ends_at_limit(s: ContainerStatus) -> bool:
    return any(e is not None and e.reason in ("OOMKilled", "StartError") for e in (s.ended, s.last))


def _make_finding(pod: Ref, tiny: tuple[ContainerSpec, ...]) -> Finding:
    first = tiny[0]
    written = _limit(first)
    value = parse_quantity(written)
    means = say("{float:g} bytes", float=float(value)) if value is not None else say("?")
    meant = _intended(written)
    others = tuple(say("container {c} too: {limit}", c=c.name, limit=_limit(c)) for c in tiny[1:4])
    return Finding(
        say(
            "the memory limit of container {first} is {written}, which means {means}",
            first=first.name,
            written=written,
            means=means,
        ),
        culprit=make_container_ref(pod, first.name),
        blocks=(pod,),
        notes=(*others, say("probably meant: {meant}", meant=meant)),
        help=(
            Step(
                say(
                    "write limits.memory of {first} with its unit, such as {meant}",
                    first=first.name,
                    meant=meant,
                ),
                where="source",
                verify=say("the new Pod's sandbox is created within seconds"),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the kubelet or the runtime because of these errors"),
                say(
                    "they work as configured; it would disrupt every other Pod on the node and change nothing"
                ),
            ),
        ),
    )


def _intended(written: str) -> str:
    """Return `64` → `64Mi`, `128m` → `128Mi`, `512k` → `512Mi`."""
    digits = "".join(ch for ch in written if ch.isdigit() or ch == ".")
    return f"{digits}Mi" if 0 < len(digits) <= 5 else "64Mi"


CAUSE = Cause(
    id="resources.memory-unit-wrong",
    title=say("a memory limit has the wrong unit"),
    subjects=("Pod",),
    stages=(
        "devices-and-volumes-prepared",
        "sandbox-and-network",
        "init-done",
        "containers-created",
        "started",
        "ready",
        "stays-up",
    ),
    reads=frozenset({Containers, ContainerStatuses, Failure}),
    rule=_rule,
)
