"""The container runtimes of a node: their sockets, their answers and files, and whether these agree with the
processes.

Sockets are asked only on the node itself, never through a recorded tree, and only existing ones: an agent
without the runtime's socket answers from files and /proc.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from unstuck.collect.node.cgroup import parse_groups
from unstuck.collect.node.kubelet import Kubelet, parse_flags
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.runtime.containers import RuntimeSources
from unstuck.collect.runtime.probe import EndpointAnswer, RuntimeEndpoint, RuntimeProbe
from unstuck.collect.runtime.reading import read_json, string
from unstuck.collect.runtime.stores import StorePlaces, containerd_settings
from unstuck.facts.aspects.runtime import ContainerSeen, Daemon, RuntimeAnswer, RuntimeContainers
from unstuck.facts.core import Ref, Refused, Source, WhyOpen
from unstuck.facts.derive.runtime import find_disagreement, list_live_processes

if TYPE_CHECKING:
    from unstuck.collect.node.view import NodeView

_APART = 0.5
_SOCKETS: tuple[tuple[Daemon, str], ...] = (
    ("containerd", "/run/containerd/containerd.sock"),
    ("containerd", "/run/k3s/containerd/containerd.sock"),
    ("containerd", "/run/k0s/containerd.sock"),
    ("crio", "/run/crio/crio.sock"),
    ("cri-dockerd", "/run/cri-dockerd.sock"),
    ("dockerd", "/run/docker.sock"),
)
_MAX_ITEMS = 200


class Runtimes:
    """One node's runtimes. sees_node: whether `table` holds the node's processes. touchable: whether a
    path may be looked at.
    """

    def __init__(
        self, kubelet: Kubelet, table: ProcessTable, sees_node: bool, touchable: Callable[[str], bool]
    ) -> None:
        self._kubelet = kubelet
        self._table = table
        self._sees_node = sees_node
        self._touchable = touchable
        self._began = time.monotonic()
        self._probe = RuntimeProbe(self.endpoints) if self.endpoints else None

    @cached_property
    def endpoints(self) -> tuple[RuntimeEndpoint, ...]:
        """Sockets of runtimes that are here; none in a recorded tree."""
        files = self._kubelet.files
        if not files.live:
            return ()
        given = self._kubelet.settings.get("container-runtime-endpoint", "containerRuntimeEndpoint", "")
        own = _without_var(given.removeprefix("unix://")) if given.startswith(("unix://", "/")) else ""
        paths = dict.fromkeys([*([(_daemon_of(own), own)] if own else []), *_SOCKETS])
        found = {}
        for daemon, path in paths:
            at = files.stat(path) if path not in found and self._touchable(path) else None
            if at is not None and stat.S_ISSOCK(at.st_mode):
                found[path] = RuntimeEndpoint(
                    daemon,
                    path,
                    files.real(path),
                    path == own if own else None,
                    daemon in self._find_suspended,
                )
        return tuple(found.values())

    @cached_property
    def _find_suspended(self) -> frozenset[str]:
        """Names of the runtimes' processes in state T."""
        return frozenset(
            p.stat.comm for p in self._table.user if p.stat.state in ("T", "t") and p.groups.pod is None
        )

    @cached_property
    def answers(self) -> tuple[EndpointAnswer, ...]:
        """The sockets' answers."""
        return self._probe.answers() if self._probe else ()

    @cached_property
    def places(self) -> StorePlaces:
        """Where runtimes keep things: as their arguments and configuration say, and the usual places."""
        usual = StorePlaces()
        roots, states = [], []
        for process in (p for p in self._table.user if p.stat.comm in ("containerd", "docker-containe")):
            flags = parse_flags(self._table.arguments(process.pid)[1:])
            path = flags.get("config") or flags.get("c") or "/etc/containerd/config.toml"
            text = (
                self._kubelet.files.text(path, 1 << 20)
                if path.startswith("/") and self._touchable(path)
                else None
            )
            settings = {
                **containerd_settings(text or ""),
                **{k: v for k, v in flags.items() if v.startswith("/")},
            }
            roots.append(settings.get("root", ""))
            states.append(settings.get("state", ""))
        docker = [
            string(read_json(self._kubelet.files, "/etc/docker/daemon.json") or {}, k)
            for k in ("data-root", "graph")
        ]
        for process in (p for p in self._table.user if p.stat.comm in ("dockerd", "dockerd-current")):
            flags = parse_flags(self._table.arguments(process.pid)[1:])
            docker += [flags.get(k, "") for k in ("data-root", "graph", "g")]
        return StorePlaces(
            self._usable(*roots, *usual.containerd_roots),
            self._usable(*states, *usual.containerd_states),
            self._usable(*docker, *usual.docker_roots),
            self._usable(*usual.crio_roots),
        )

    def _usable(self, *paths: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                p.rstrip("/") for p in paths if p.startswith("/") and len(p) > 1 and self._touchable(p)
            )
        )

    @cached_property
    def sources(self) -> RuntimeSources:
        """The first look at everything."""
        listed = {a.endpoint.daemon: a.listed for a in self.answers if a.listed is not None}
        return RuntimeSources(self._kubelet.files, self._table, self._sees_node, self.places, listed)

    def look_again(self) -> tuple[RuntimeSources, float]:
        """Return a second look, and how many seconds after the first it was taken."""
        time.sleep(max(0.0, self._began + _APART - time.monotonic()))
        table = ProcessTable(self._table.root)
        silent = tuple(a.endpoint for a in self.answers if a.listed is None)
        answers = RuntimeProbe(tuple(e for e in self.endpoints if e not in silent)).answers()
        listed = {a.endpoint.daemon: a.listed for a in answers if a.listed is not None}
        return RuntimeSources(
            self._kubelet.files, table, self._sees_node, self.places, listed
        ), time.monotonic() - self._began

    def settle(self, first: list[ContainerSeen]) -> tuple[list[ContainerSeen], float]:
        """Return the containers in a stable state: if the first look found sources that disagree, those are
        looked at again.

        Between two readings a container may start or end; a disagreement that persists half a second later
        was not that.
        """
        doubtful = {c.id: find_disagreement(c) for c in first if find_disagreement(c)}
        if not doubtful or not self._kubelet.files.live:
            return first, 0.0
        sources, seconds = self.look_again()
        second = {i: sources.one(i) for i in doubtful}
        same = [i for i in doubtful if find_disagreement(second[i]) == doubtful[i]]
        return [second.get(c.id, c) for c in first], round(seconds, 1) if same else 0.0


def runtime_answers(runtimes: Runtimes, node: Ref) -> Iterator[RuntimeAnswer | Refused]:
    """Yield the answer of each socket of a runtime to a cheap call."""
    name = node.name or ""
    for one in runtimes.answers:
        end = one.endpoint
        if one.denied or one.missing:
            why = f"{end.path}: not allowed" if one.denied else f"{end.path} is not asked: {one.missing}"
            kind: WhyOpen = "denied" if one.denied else "not-offered"
            yield Refused(about=node, src=Source(f"node:{name}"), want="RuntimeAnswer", why=kind, detail=why)
            continue
        quote = f"{one.version} {one.api}".strip() if one.answers else _silence(one)
        yield RuntimeAnswer(
            about=node,
            src=Source(f"{name} {end.path}", quote),
            whole=one.answers is not None,
            daemon=end.daemon,
            socket=end.path,
            accepts=one.accepts,
            answers=one.answers,
            tries=one.tries,
            for_kubelet=end.for_kubelet,
            version=one.version,
            api=one.api,
        )


def _silence(one: EndpointAnswer) -> str:
    if not one.accepts:
        return next((t.error for t in one.tries), "")
    silent = [t for t in one.tries if t.accepted and not t.answered]
    times = f", tried {len(silent)} times" if len(silent) > 1 else ""
    return f"{silent[-1].call}: no reply in {silent[-1].seconds:g} s{times}" if silent else ""


def of_pod(runtimes: Runtimes, pod: Ref, node: str, more: Iterable[str]) -> RuntimeContainers | None:
    """Return the Pod's containers by each source; None if no runtime gives any here. more: ids that are the
    Pod's by other signs.
    """
    sources = runtimes.sources
    items, seconds = runtimes.settle(sources.of_pod(pod.uid or "", more))
    if not items and not sources.told:
        return None
    return _fact(sources, items, seconds, pod, node)


def of_node(runtimes: Runtimes, node: Ref) -> RuntimeContainers | None:
    """Return the node's containers whose sources disagree; None if no runtime is known here."""
    sources = runtimes.sources
    if not sources.told:
        return None
    everything = sources.all()
    items, seconds = runtimes.settle([c for c in everything if find_disagreement(c)])
    fact = _fact(sources, everything, seconds, node, node.name or "")
    return replace(fact, items=tuple(c for c in items if find_disagreement(c))[:_MAX_ITEMS])


def _fact(
    sources: RuntimeSources, items: list[ContainerSeen], seconds: float, about: Ref, node: str
) -> RuntimeContainers:
    odd = next((c for c in items if find_disagreement(c)), None)
    odd = odd or next((c for c in items if c.shim and c.shim.state in ("T", "t", "D")), None)
    where, quote = (_place(odd), _quote(odd)) if odd else ("/proc/*/cgroup", f"{len(items)} containers")
    return RuntimeContainers(
        about=about,
        src=Source(f"{node} {where}", quote),
        whole=sources.told and all(c.processes is not None for c in items),
        items=tuple(items[:_MAX_ITEMS]),
        steady=seconds,
    )


def _place(container: ContainerSeen) -> str:
    """Return the place to look further: the runtime's file, the shim."""
    if container.shim and container.shim.state in ("T", "t", "D"):
        return f"/proc/{container.shim.pid}/stat"
    return next((w.by for w in container.words if w.by.startswith("/")), "/proc/*/cgroup")


def _quote(container: ContainerSeen) -> str:
    word, shim = container.word, container.shim
    living, all_ = list_live_processes(container), container.processes or ()
    parts = [
        f"{word.state} by {word.by.rpartition('/')[2] if word.by.startswith('/') else word.by}"
        if word
        else "",
        ", ".join(f"process {p.pid} {p.comm} {p.state}" for p in (living or all_)[:3]) or "no process",
        f"shim {shim.pid} {shim.state}" if shim else "no shim" if container.shims_seen else "",
    ]
    return f"{container.name or container.id[:12]}: {'; '.join(p for p in parts if p)}"


def _without_var(path: str) -> str:
    return path.removeprefix("/var") if path.startswith("/var/run/") else path


def _daemon_of(path: str) -> Daemon:
    if "crio" in path:
        return "crio"
    return (
        "cri-dockerd"
        if "docker" in path and "containerd" not in path.replace("/docker/containerd/", "")
        else "containerd"
    )


def answers(view: NodeView) -> list[RuntimeAnswer | Refused]:
    """Tell whether the node's runtimes answer."""
    return list(runtime_answers(view.runtimes, view.ref))


def containers(view: NodeView) -> RuntimeContainers | None:
    """Return the node's containers whose sources disagree."""
    return of_node(view.runtimes, view.ref)


def containers_of(view: NodeView, pod: Ref) -> RuntimeContainers | None:
    """Return a Pod's containers: the ones that a runtime calls its own, and the ones of its cgroups and
    logs.
    """
    uid = pod.uid or ""
    own = {i for d in view.pod_groups(uid).inside if (i := parse_groups(f"1:x:{d}").container)}
    own |= {p.groups.container for p in view.pod_processes(uid) if p.groups.container}
    own |= {c.container for c in view.logged_containers if c.uid == uid}
    return of_pod(view.runtimes, pod, view.name, own)
