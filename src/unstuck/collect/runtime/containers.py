"""One container from all its sources: the runtime's answer and files, its task and shim, its processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from unstuck.collect.node.cgroup import normalize_uid
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.collect.node.root import Root
from unstuck.collect.runtime import stores
from unstuck.collect.runtime.cri import CriListing
from unstuck.collect.runtime.stores import StoredContainer, StorePlaces
from unstuck.facts.aspects.runtime import ContainerSeen, Daemon, RuntimeWord
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_ID = regex(r"(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])")
_SHIMS = ("containerd-shim", "docker-containe", "conmon")
# Runtimes whose containers' processes are processes of the node; with others (kata, runsc) they are inside a
# machine of their own.
_ON_NODE = regex(r"^(?:containerd-shim(?:-runc-v[12])?|docker-containerd-shim(?:-current)?|conmon)$")
_CALLS: Mapping[Daemon, str] = {"dockerd": "GET /containers/json"}


@record()
class Shim(Record):
    """A runtime's process beside its tasks. ids: the container ids in its arguments. program: "" if they
    could not be read.
    """

    process: Process
    ids: frozenset[str]
    program: str


@dataclass
class RuntimeSources:
    """The sources of one look. root: of the files. table: the node's processes. listed: the list of each
    daemon that answered.

    sees_node: whether the table holds the node's processes. places: the runtimes' directories.
    """

    root: Root
    table: ProcessTable
    sees_node: bool
    places: StorePlaces = field(default_factory=StorePlaces)
    listed: Mapping[Daemon, Sequence[CriListing]] = field(default_factory=dict)

    @cached_property
    def _tasks(self) -> tuple[dict[str, StoredContainer], bool]:
        found, listed = stores.find_tasks(self.root, self.places.containerd_states)
        return {t.id: t for t in found}, listed

    @cached_property
    def _stored_containers(self) -> dict[str, StoredContainer]:
        kept = [
            *stores.read_docker(self.root, self.places.docker_roots),
            *stores.read_crio(self.root, self.places.crio_roots),
        ]
        return {s.id: s for s in kept}

    @cached_property
    def _answers(self) -> dict[str, tuple[Daemon, CriListing]]:
        return {c.id: (daemon, c) for daemon, rows in self.listed.items() for c in rows}

    @cached_property
    def shims(self) -> tuple[Shim, ...]:
        """Every shim."""
        out = []
        for process in self.table.user:
            if process.stat.comm in _SHIMS and process.stat.state != "Z":
                argv = self.table.arguments(process.pid)
                ids = frozenset(i for a in argv for i in _ID.findall(a))
                program = argv[0].rpartition("/")[2] if argv else ""
                # docker's own containerd and its client have the same short name.
                if ids or "shim" in program or not argv:
                    out.append(Shim(process, ids, program))
        return tuple(out)

    @cached_property
    def _by_container(self) -> dict[str, list[Process]]:
        out: dict[str, list[Process]] = {}
        for process in self.table.user:
            if process.groups.container:
                out.setdefault(process.groups.container, []).append(process)
        return out

    @property
    def kept(self) -> Mapping[str, StoredContainer]:
        """The containers in the runtimes' files, containers with a task last; found without asking a
        daemon.
        """
        return {**self._stored_containers, **self._tasks[0]}

    def ids(self) -> set[str]:
        """Return the ids of all containers that any source but processes knows."""
        return {*self._tasks[0], *self._stored_containers, *self._answers}

    def of_pod(self, uid: str, more: Iterable[str] = ()) -> list[ContainerSeen]:
        """Return the Pod's containers. more: ids from other sources (its cgroups, its logs)."""
        said = {
            i
            for i, s in (*self._tasks[0].items(), *self._stored_containers.items())
            if normalize_uid(s.pod) == uid
        }
        said |= {i for i, (_, c) in self._answers.items() if normalize_uid(c.pod) == uid}
        seen = (self.one(i) for i in sorted({*said, *more}))
        return [c for c in seen if c.words or c.task or c.shim or c.processes]

    def all(self) -> list[ContainerSeen]:
        """Return every container of the node."""
        return [self.one(i) for i in sorted(self.ids())]

    @cached_property
    def told(self) -> bool:
        """Whether any runtime listed its containers, by an answer or by files: it does not know any other."""
        return bool(self.listed) or stores.has_stores(self.root, self.places)

    def one(self, container: str) -> ContainerSeen:
        """Return one container."""
        task, stored = self._tasks[0].get(container), self._stored_containers.get(container)
        words = tuple(self._find_words(container, stored))
        name, sandbox = self._find_name(container, task, stored)
        pids = {w.pid for w in words if w.pid} | ({task.task_pid} if task and task.task_pid else set())
        shim = self._find_shim(container, task, pids)
        processes = self._find_processes(container, pids, shim) if self._is_on_node(shim, task) else None
        return ContainerSeen(
            id=container,
            name=name,
            sandbox=sandbox,
            words=words,
            task=True if task else (False if self._knows_tasks(words) else None),
            task_pid=task.task_pid if task else None,
            shim=self.table.as_fact(shim.process) if shim else None,
            shims_seen=self.sees_node and all(s.program for s in self.shims),
            processes=tuple(self.table.as_fact(p) for p in processes)
            if processes is not None and self.sees_node
            else None,
        )

    def _find_words(self, container: str, stored: StoredContainer | None) -> Iterable[RuntimeWord]:
        if container in self._answers:
            daemon, row = self._answers[container]
            yield RuntimeWord(
                daemon,
                row.state,
                _CALLS.get(daemon, "CRI ListPodSandbox" if row.sandbox else "CRI ListContainers"),
            )
        if stored and stored.word:
            yield stored.word
        elif word := stores.read_cri_status(self.root, self.places.containerd_roots, container):
            yield word

    def _find_name(
        self, container: str, task: StoredContainer | None, stored: StoredContainer | None
    ) -> tuple[str, bool | None]:
        row = self._answers.get(container)
        if row is not None:
            return ("" if row[1].sandbox else row[1].name), row[1].sandbox
        kept = task or stored
        return (kept.name, kept.sandbox) if kept else ("", None)

    def _knows_tasks(self, words: tuple[RuntimeWord, ...]) -> bool:
        """Tell whether the container's runtime keeps task directories in the places searched: CRI-O keeps
        none.
        """
        return (
            self._tasks[1]
            and any(w.daemon in ("containerd", "dockerd") for w in words)
            and bool(self._tasks[0])
        )

    def _find_shim(self, container: str, task: StoredContainer | None, pids: set[int]) -> Shim | None:
        """Find the shim by its arguments, its sandbox' arguments, or as the parent of the container's
        first process.
        """
        wanted = {container, task.box} - {""} if task else {container}
        found = next((s for s in self.shims if s.ids & wanted), None)
        if found is not None:
            return found
        parents = {p.stat.parent for p in self.table.user if p.pid in pids}
        return next((s for s in self.shims if s.process.pid in parents), None)

    def _is_on_node(self, shim: Shim | None, task: StoredContainer | None) -> bool:
        programs = [p for p in (task.shim if task else "", shim.program if shim else "") if p]
        # If its own shim is unknown, every existing shim must be of that kind.
        return all(_ON_NODE.match(p) for p in programs or [s.program for s in self.shims if s.program])

    def _find_processes(self, container: str, pids: set[int], shim: Shim | None) -> list[Process]:
        """Return the processes in its cgroup; its first process too if that has left its cgroup as a
        zombie, or hides its cgroup.
        """
        found = {p.pid: p for p in self._by_container.get(container, ())}
        for pid in pids:
            process = self.table.all.get(pid)
            if process is None or process.stat.kernel or process.groups.container:
                continue
            if shim is None or process.stat.parent == shim.process.pid:
                found[pid] = process
        return [found[p] for p in sorted(found)]
