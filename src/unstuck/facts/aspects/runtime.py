"""The container runtime's view, compared with its tasks and the processes. Every fact costs `node`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.record import Record, record

Daemon = Literal["containerd", "dockerd", "crio", "cri-dockerd"]
Word = Literal["created", "running", "exited", "unknown", "dead", "removing", "paused", "restarting"]
_DOCKER: tuple[Word, ...] = ("created", "running", "exited", "dead", "removing", "paused", "restarting")
# By docker's own name of the state: moby container/state.go (StateString).
DOCKER_WORDS: Mapping[str, Word] = {word: word for word in _DOCKER}


@record()
class RuntimeWord(Record):
    """A runtime's own view of a container. by: its file's path, or the call (`CRI ListContainers`). pid: 0
    without one.
    """

    daemon: Daemon
    state: Word
    by: str
    pid: int = 0
    exit_code: int | None = None
    started: datetime | None = None
    finished: datetime | None = None


@record()
class ContainerSeen(Record):
    """One container or sandbox by three independent sources.

    words: the runtime's views, its answer before its file; empty without one. task: whether its task
    directory exists, None if the runtime's tasks could not be listed. task_pid: of its first process, from
    the task directory. shim: its shim process. shims_seen: whether every shim was seen, so that a shim of
    None means a missing one. processes: those in its cgroup, including zombies; None if the node's processes
    are not visible.
    """

    id: str
    name: str = ""
    sandbox: bool | None = None
    words: tuple[RuntimeWord, ...] = ()
    task: bool | None = None
    task_pid: int | None = None
    shim: Proc | None = None
    shims_seen: bool = False
    processes: tuple[Proc, ...] | None = None

    @property
    def word(self) -> RuntimeWord | None:
        """The runtime's authoritative view: its answer, else its file."""
        return self.words[0] if self.words else None


@record(kw_only=True)
class RuntimeContainers(NodeFact):
    """The containers of a Pod (about the Pod), or the node's containers with contradictory sources (about the
    Node).

    steady: seconds between two looks with the same disagreement; 0 for a single look. Sources: containerd's
    task directories and `io.containerd.grpc.v1.cri/containers/ID/status`, docker's `config.v2.json`, CRI-O's
    `state.json`, the CRI (KEP-2040, k8s.io/cri-api runtime/v1), docker's Engine API, proc(5).
    """

    items: tuple[ContainerSeen, ...]
    steady: float = 0.0
    ask: ClassVar[str] = (
        "crictl ps -a; ls /run/containerd/io.containerd.runtime.v2.task/*; ps -eo pid,ppid,stat,comm,cgroup "
        "| grep {uid}"
    )


@record()
class Try(Record):
    """One call. call: its name. answered: whether a reply came, even an error. seconds: its duration, or the
    time waited. accepted: whether the connection was accepted. error: a short error.
    """

    call: str
    accepted: bool
    answered: bool
    seconds: float
    error: str = ""


@record(kw_only=True)
class RuntimeAnswer(NodeFact):
    """A runtime's answers to cheap read-only calls on its socket. about: the Node.

    answers: False if two attempts of the same call timed out. for_kubelet: whether it is the kubelet's own
    runtime (its endpoint); None if unknown. api: `runtime.v1`, `1.41`.
    """

    daemon: Daemon
    socket: str
    accepts: bool
    answers: bool | None
    tries: tuple[Try, ...] = ()
    for_kubelet: bool | None = None
    version: str = ""
    api: str = ""
    ask: ClassVar[str] = "timeout 2 crictl version; timeout 2 crictl version"


@record()
class SilentContainer(Record):
    """One container whose state a runtime did not return, asked twice in the kubelet's way.

    pod: its Pod's uid, "" if unknown. seen: other evidence of it on the node: its task, its shim, its
    processes.
    """

    daemon: Daemon
    id: str
    tries: tuple[Try, ...]
    pod: str = ""
    seen: ContainerSeen | None = None


@record(kw_only=True)
class ContainerAnswers(NodeFact):
    """Each container's state, requested one by one as by the kubelet. about: the Node, or one Pod.

    silent: containers without an answer in two attempts. answered: the number of answered containers.
    left_out: the number of unasked ones. No container is asked about if the runtime does not even return its
    version. Source: k8s.io/cri-api runtime/v1 (ContainerStatus, PodSandboxStatus), docs.docker.com/engine/api
    (`/containers/ID/json`).
    """

    silent: tuple[SilentContainer, ...]
    answered: int = 0
    left_out: int = 0
    ask: ClassVar[str] = (
        "for c in $(crictl ps -q); do timeout 5 crictl inspect $c >/dev/null || echo $c; done"
    )
