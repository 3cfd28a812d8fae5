"""A memory limit is too low to start a container at all

## How it happens

The limit is written in a right unit and is too small for the runtime itself: runc's first process runs inside
the container's cgroup and needs some MiB before the program begins. The kernel kills it there, or docker and
CRI-O refuse such a limit at once. The program has not run, so it is not its own need of memory.

## How to tell

The sandbox or the container cannot be created: `container init was OOM-killed`, `Minimum memory limit allowed
is 6MB`, `set memory limit N too low; should be at least N bytes`, `read init-p: connection reset by peer`,
`write init-p: broken pipe`, `cannot start a container that has stopped`; and the spec has a limit of a few
MiB.

## Known limits

Below 1 MiB the unit is taken to be wrong: resources.memory-unit-wrong. The words about `init-p` have other
causes too (a crash of runc); without the limit they leave this open. With a limit above 64 MiB it is not
claimed.

## References

- runc libcontainer/process_linux.go; moby daemon/daemon_unix.go; cri-o internal/config/cgmgr/cgmgr_linux.go
- Field notes: limits too small or in a wrong unit
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_amount
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_LEAST, _MOST = 1 << 20, 64 << 20
_CREATIONS: tuple[Operation, ...] = ("sandbox-create", "container-create", "container-start")


def _rule(pod: Ref, snap: Facts) -> Signs:
    if pod.kind == "Node":
        return _of_node(pod, snap)
    small = some(snap, Containers, pod, lambda f: [c for c in f.items if _small(c)])
    names = tuple(c.name for c in small.hits)
    whole_pod = all(
        _has_limit(c) for f in snap.of(Containers, pod) for c in f.items if c.kind in ("main", "sidecar")
    )

    def own(f: Failure) -> bool:
        """Tell whether the failure is due to this limit: a sandbox is limited only where every container is,
        and each container only by its own.
        """
        return _is_match(f) and (
            whole_pod if f.operation == "sandbox-create" else f.container in (*names, None)
        )

    said = _starting.start_failures(pod, snap, own)
    plain = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if own(f) and (f.error == "below-minimum" or "OOM-killed" in f.message) else [],
    )
    return Signs(
        necessary={
            "a memory limit is below 64 MiB, in the right unit": small,
            "its first process was killed, or the limit refused": said,
        },
        decisive={
            "the runtime names the limit": plain
            if plain.value
            else Sign(None, said.hits, said.seen, (Want(Events, pod),)),
        },
        supporting={"its first process was killed": only_yes(said)},
        finding=lambda: _make_finding(pod, _met(small.hits, said.hits), said.hits),
    )


def _met(small: tuple[ContainerSpec, ...], said: tuple[Failure, ...]) -> ContainerSpec:
    """Return the container that a message names, else the first whose limit is small."""
    return next((c for c in small if any(f.container == c.name for f in said)), small[0])


def _of_node(node: Ref, snap: Facts) -> Signs:
    """Return the signs for a Node: the kernel's line about a killed first process does not name the limit's
    owner, so it only raises the question.
    """
    killed = hearsay(snap, Failure, node, lambda f: [f] if _is_match(f) else [])
    unknown: Sign[ContainerSpec] = Sign(None)
    return Signs(
        necessary={"a memory limit is below 64 MiB, in the right unit": unknown},
        decisive={},
        supporting={"its first process was killed": killed},
        finding=lambda: _make_finding(node, unknown.hits[0], killed.hits),
    )


def _has_limit(c: ContainerSpec) -> bool:
    return any(k == "memory" for k, _ in c.limits)


def _small(c: ContainerSpec) -> bool:
    limit = next((v for k, v in c.limits if k == "memory"), "")
    least = parse_amount("memory", limit) if limit else None
    return least is not None and _LEAST <= least < _MOST


def _is_match(f: Failure) -> bool:
    return f.operation in _CREATIONS and f.error in ("init-killed", "below-minimum")


def _make_finding(pod: Ref, c: ContainerSpec, said: tuple[Failure, ...]) -> Finding:
    limit = next(v for k, v in c.limits if k == "memory")
    least = next((f.key for f in said if f.key), None)
    at_least = (say("the runtime requires at least {least}", least=least),) if least else ()
    return Finding(
        say(
            "the memory limit of container {c}, {limit}, is too low to start it at all", c=c.name, limit=limit
        ),
        culprit=make_container_ref(pod, c.name),
        blocks=(pod,),
        notes=(*at_least, *(_starting.quote(_starting.pick_latest(said)) if said else ())),
        help=(
            Step(
                say("raise limits.memory of {c}: to the program's peak usage, and at least 32Mi", c=c.name),
                where="source",
                verify=say("the new Pod's container starts within seconds"),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the runtime because of these errors"),
                say("it works as configured, and every other Pod on the node would be disrupted"),
            ),
        ),
    )


CAUSE = Cause(
    id="resources.memory-limit-too-low",
    title=say("a memory limit is too low to start the container at all"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", "init-done", "containers-created", "started", "ready", "stays-up"),
    reads=frozenset({Failure, Events, Containers}),
    rule=_rule,
)
