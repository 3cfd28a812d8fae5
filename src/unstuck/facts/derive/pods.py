"""Conclusions about Pods that stages and causes share."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatus, ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

TERMINAL = ("Failed", "Succeeded")
# The kubelet's reason of a Pod that it ended since its Node shuts down, by version
# (nodeshutdown_manager_linux.go).
SHUT_DOWN = ("Shutdown", "NodeShutdown", "Terminated")
# The random end of a generated name: k8s.io/apimachinery/pkg/util/rand (no vowels, no 0, 1, 3).
_RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"


# NAME-HASH-SUFFIX of a ReplicaSet's Pods.
_OF_REPLICA_SET = re.compile(rf"(?P<owner>.+-{_RANDOM}{{5,10}})-{_RANDOM}{{5}}")


_GENERATED = re.compile(rf"-{_RANDOM}{{5}}$")


def parse_replica_set(pod: Ref) -> str:
    """Return the name of the ReplicaSet that a Pod's generated name shows; "" if it shows none."""
    match = _OF_REPLICA_SET.fullmatch(pod.name or "")
    return match["owner"] if match else ""


def strip_generated_suffix(name: str) -> str:
    """Return the name that an owner (ReplicaSet, DaemonSet, Job) generates its Pods' names from; of any
    other Pod its own.
    """
    return _GENERATED.sub("", name)


def find_node_of_pod(pod: Ref, snap: Facts) -> Ref | None:
    """Return the Node that the Pod is bound to; None while it is bound to none, or no fact says so."""
    placement = snap.one(Placement, pod)
    return snap.canon(placement.node) if placement and placement.node else None


def find_node(subject: Ref, snap: Facts) -> Ref | None:
    """Return the Node itself, or the one that the Pod is bound to; None while no fact names one."""
    return snap.canon(subject) if subject.kind == "Node" else find_node_of_pod(subject, snap)


def is_terminal(pod: Ref, snap: Facts) -> bool:
    """Tell whether the Pod's phase is Failed or Succeeded."""
    return any(f.phase in TERMINAL for f in snap.of(Phase, pod))


def read_kubelet_version(node: Ref, snap: Facts) -> tuple[int, int] | None:
    """Return (major, minor) of the Node's kubelet, None where not known."""
    info = snap.one(NodeInfo, node)
    parts = info.kubelet.lstrip("v").split(".") if info else []
    return (
        (int(parts[0]), int(parts[1]))
        if len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit()
        else None
    )


def list_statuses(pod: Ref, snap: Facts) -> tuple[ContainerStatus, ...]:
    """Return the statuses of all containers, from all facts."""
    return tuple(s for f in snap.of(ContainerStatuses, pod) for s in f.items)


def find_container_spec(pod: Ref, name: str | None, snap: Facts) -> ContainerSpec | None:
    """Return the spec of the Pod's container of this name; None if no fact has it."""
    return next((c for f in snap.of(Containers, pod) for c in f.items if c.name == name), None)


def make_container_ref(pod: Ref, name: str | None) -> Ref:
    """Return the Ref of a container as a culprit; the Pod's own if the name is None."""
    return pod if name is None else Ref("Container", place_of_containers(pod), name)


def make_program_ref(pod: Ref, container: str) -> Ref:
    """Return the Ref of the program that runs in a container."""
    return Ref("Program", place_of_containers(pod), container)


def place_of_containers(pod: Ref) -> str | None:
    """Return the `within` of the Refs of a Pod's containers: `NS/POD`, or the Pod's name if its Namespace
    is unknown.
    """
    return f"{pod.within}/{pod.name}" if pod.within else pod.name


# After a run of this length the kubelet's back-off is reset (pkg/kubelet/kubelet.go: MaxContainerBackOff,
# twice its 5 min).
_BACK_OFF_FORGETS = timedelta(minutes=10)
_MARGIN = timedelta(seconds=10)


def is_looping(s: ContainerStatus, now: datetime) -> bool:
    """Tell whether a container that runs now was restarted again and again, and has not yet run for longer
    than the last time.

    Between two restarts it looks as well as any other. now: the Snapshot's time.
    """
    if s.state != "running" or s.restarts < 2 or s.since is None:
        return False
    ran = _measure_run(s)
    return ran is not None and ran < _BACK_OFF_FORGETS and now - s.since < ran + _MARGIN


def _measure_run(s: ContainerStatus) -> timedelta | None:
    """Return how long it ran the last time; if only the number of its restarts is known, the average time
    between two.
    """
    last = s.last
    if last is not None and last.started is not None and last.finished is not None:
        return last.finished - last.started
    return timedelta(seconds=s.restarted_every) if s.restarted_every is not None else None


def is_node_ready(node: Ref, snap: Facts) -> bool | None:
    """Return the Ready condition: True, False (also `Unknown`), None where not seen."""
    conditions = snap.one(Conditions, node)
    ready = conditions.get("Ready") if conditions else None
    return None if ready is None else ready.status == "True"


def ended_well(status: ContainerStatus) -> bool:
    """Tell whether its one run ended with exit code 0 and none was started since. Old runtimes call that
    end `Error` as well.
    """
    once = status.state == "terminated" and not status.restarts and status.last is None
    return (
        once
        and status.ended is not None
        and status.ended.code == 0
        and status.ended.reason in ("", "Completed", "Error")
    )
