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
from unstuck.collect.runtime.stores import Stored, StorePlaces
from unstuck.facts.aspects.runtime import ContainerSeen, Daemon, RuntimeWord
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_ID = regex(r"(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])")
_SHIMS = ("containerd-shim", "docker-containe", "conmon")
# Those that keep a container's processes as processes of the node; with others (kata, runsc) they are inside a machine of their own.
_ON_NODE = regex(r"^(?:containerd-shim(?:-runc-v[12])?|docker-containerd-shim(?:-current)?|conmon)$")
_CALLS: Mapping[Daemon, str] = {"dockerd": "GET /containers/json"}


@record()
class Shim(Record):
    """A process that minds tasks. ids: those in its arguments. program: "" where they could not be read."""

    process: Process
    ids: frozenset[str]
    program: str


@dataclass
class Sources:
    """One look. root: whose files are read. table: the node's processes. listed: what each daemon that answered says.

    sees_node: whether the table holds the node's processes. places: where runtimes keep things.
    """

    root: Root
    table: ProcessTable
    sees_node: bool
    places: StorePlaces = field(default_factory=StorePlaces)
    listed: Mapping[Daemon, Sequence[CriListing]] = field(default_factory=dict)

    @cached_property
    def _tasks(self) -> tuple[dict[str, Stored], bool]:
        found, listed = stores.tasks(self.root, self.places.containerd_states)
        return {t.id: t for t in found}, listed

    @cached_property
    def _stored(self) -> dict[str, Stored]:
        kept = [*stores.docker(self.root, self.places.docker_roots), *stores.crio(self.root, self.places.crio_roots)]
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
    def kept(self) -> Mapping[str, Stored]:
        """Containers that the runtimes' files name, those with a task last: no daemon was asked for them."""
        return {**self._stored, **self._tasks[0]}

    def ids(self) -> set[str]:
        """Return every container that any source but processes knows."""
        return {*self._tasks[0], *self._stored, *self._answers}

    def of_pod(self, uid: str, more: Iterable[str] = ()) -> list[ContainerSeen]:
        """Return the Pod's containers. more: ids that are its own by other signs (its cgroups, its logs)."""
        said = {i for i, s in (*self._tasks[0].items(), *self._stored.items()) if normalize_uid(s.pod) == uid}
        said |= {i for i, (_, c) in self._answers.items() if normalize_uid(c.pod) == uid}
        seen = (self.one(i) for i in sorted({*said, *more}))
        return [c for c in seen if c.words or c.task or c.shim or c.processes]

    def all(self) -> list[ContainerSeen]:
        """Return every container of the node."""
        return [self.one(i) for i in sorted(self.ids())]

    @cached_property
    def told(self) -> bool:
        """Whether any runtime told of its containers, by an answer or by files: what none of them names, it does not know."""
        return bool(self.listed) or stores.kept(self.root, self.places)

    def one(self, container: str) -> ContainerSeen:
        """Return one container."""
        task, stored = self._tasks[0].get(container), self._stored.get(container)
        words = tuple(self._words(container, stored))
        name, sandbox = self._named(container, task, stored)
        pids = {w.pid for w in words if w.pid} | ({task.task_pid} if task and task.task_pid else set())
        shim = self._shim(container, task, pids)
        processes = self._processes(container, pids, shim) if self._on_node(shim, task) else None
        return ContainerSeen(
            id=container,
            name=name,
            sandbox=sandbox,
            words=words,
            task=True if task else (False if self._tasks_known(words) else None),
            task_pid=task.task_pid if task else None,
            shim=self.table.as_fact(shim.process) if shim else None,
            shims_seen=self.sees_node and all(s.program for s in self.shims),
            processes=tuple(self.table.as_fact(p) for p in processes) if processes is not None and self.sees_node else None,
        )

    def _words(self, container: str, stored: Stored | None) -> Iterable[RuntimeWord]:
        if container in self._answers:
            daemon, row = self._answers[container]
            yield RuntimeWord(daemon, row.state, _CALLS.get(daemon, "CRI ListPodSandbox" if row.sandbox else "CRI ListContainers"))
        if stored and stored.word:
            yield stored.word
        elif word := stores.cri_status(self.root, self.places.containerd_roots, container):
            yield word

    def _named(self, container: str, task: Stored | None, stored: Stored | None) -> tuple[str, bool | None]:
        row = self._answers.get(container)
        if row is not None:
            return ("" if row[1].sandbox else row[1].name), row[1].sandbox
        kept = task or stored
        return (kept.name, kept.sandbox) if kept else ("", None)

    def _tasks_known(self, words: tuple[RuntimeWord, ...]) -> bool:
        """Tell whether the runtime that speaks of the container keeps task directories where we looked: CRI-O keeps none."""
        return self._tasks[1] and any(w.daemon in ("containerd", "dockerd") for w in words) and bool(self._tasks[0])

    def _shim(self, container: str, task: Stored | None, pids: set[int]) -> Shim | None:
        """Find the shim by its arguments, its sandbox' arguments, or as the parent of the container's first process."""
        wanted = {container, task.box} - {""} if task else {container}
        found = next((s for s in self.shims if s.ids & wanted), None)
        if found is not None:
            return found
        parents = {p.stat.parent for p in self.table.user if p.pid in pids}
        return next((s for s in self.shims if s.process.pid in parents), None)

    def _on_node(self, shim: Shim | None, task: Stored | None) -> bool:
        programs = [p for p in (task.shim if task else "", shim.program if shim else "") if p]
        # Where nothing is known of its own, every shim that there is must be of that kind.
        return all(_ON_NODE.match(p) for p in programs or [s.program for s in self.shims if s.program])

    def _processes(self, container: str, pids: set[int], shim: Shim | None) -> list[Process]:
        """Return the processes in its cgroup; its first process too where that has left its cgroup as a zombie, or hides its cgroup."""
        found = {p.pid: p for p in self._by_container.get(container, ())}
        for pid in pids:
            process = self.table.all.get(pid)
            if process is None or process.stat.kernel or process.groups.container:
                continue
            if shim is None or process.stat.parent == shim.process.pid:
                found[pid] = process
        return [found[p] for p in sorted(found)]
