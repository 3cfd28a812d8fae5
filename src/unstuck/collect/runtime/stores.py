"""What runtimes keep of their containers on disk: readable while their daemons do not answer, and in a recorded tree.

Only states, pids, times, names and the Pod's uid are kept; these files hold environments and arguments too, which nobody reads.
Sources: containerd pkg/cri/store/container/status.go, runtime/v2/bundle.go, pkg/cri/annotations; moby container/state.go;
cri-o internal/oci/container.go, pkg/annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from unstuck.collect.node.root import Root
from unstuck.collect.runtime.reading import inner, instant, integer, is_id, json_file, of_nanoseconds, parse, string
from unstuck.facts.aspects.runtime import RuntimeWord, Word
from unstuck.facts.record import Record, record

_MAX = 5_000
_TASKS = ("io.containerd.runtime.v2.task", "io.containerd.runtime.v1.linux")
_INSIDE = re.compile(rb"runsc|kata|gvisor")
_CRI_STATUS = "io.containerd.grpc.v1.cri/containers"


@record()
class StorePlaces(Record):
    """Where the runtimes of a node keep things. Each is a directory of the node."""

    containerd_roots: tuple[str, ...] = ("/var/lib/containerd", "/var/lib/rancher/k3s/agent/containerd", "/var/lib/k0s/containerd")
    containerd_states: tuple[str, ...] = (
        "/run/containerd",
        "/run/k3s/containerd",
        "/run/k0s/containerd",
        "/run/docker/containerd/daemon",
        "/run/docker/containerd",
    )
    docker_roots: tuple[str, ...] = ("/var/lib/docker",)
    crio_roots: tuple[str, ...] = ("/var/lib/containers/storage", "/run/containers/storage")


@record()
class Stored(Record):
    """One container as a runtime's files have it.

    pod: its Pod's uid, box: its sandbox' id; "" where the file does not say. shim: the program that minds its task.
    """

    id: str
    pod: str = ""
    name: str = ""
    sandbox: bool | None = None
    word: RuntimeWord | None = None
    task_pid: int | None = None
    box: str = ""
    shim: str = ""


def containerd_settings(text: str) -> Mapping[str, str]:
    """Return `root` and `state` of containerd's configuration; what does not read has none."""
    if not text:
        return {}
    import tomllib  # most nodes of which it is asked have no such file

    try:
        doc = tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {k: v for k in ("root", "state") if isinstance(v := doc.get(k), str) and v.startswith("/")}


def tasks(root: Root, states: tuple[str, ...]) -> tuple[list[Stored], bool]:
    """Return every task directory, and whether any place of tasks could be listed. The root file system inside is not touched."""
    found: dict[str, Stored] = {}
    listed = False
    for top in [f"{s}/{t}" for s in states for t in _TASKS]:
        for namespace in root.names(top) or ():
            for name in (root.names(f"{top}/{namespace}") or ())[:_MAX]:
                if is_id(name):
                    found.setdefault(name, _task(root, f"{top}/{namespace}/{name}", name))
        listed = listed or root.names(top) is not None
    return list(found.values()), listed


def _task(root: Root, path: str, name: str) -> Stored:
    pid = (root.text(f"{path}/init.pid", 32) or "").strip()
    notes = inner(json_file(root, f"{path}/config.json"), "annotations")
    kind = string(notes, "io.kubernetes.cri.container-type")
    return Stored(
        id=name,
        pod=string(notes, "io.kubernetes.cri.sandbox-uid") or string(notes, "io.kubernetes.pod.uid"),
        name=string(notes, "io.kubernetes.cri.container-name"),
        sandbox=kind == "sandbox" if kind else None,
        task_pid=int(pid) if pid.isascii() and pid.isdigit() else None,
        box=string(notes, "io.kubernetes.cri.sandbox-id"),
        shim=_program(root, path),
    )


def _program(root: Root, path: str) -> str:
    """Return the shim's program; that of gVisor or kata where runc's shim was told to run one of these instead of runc."""
    other = _INSIDE.search(root.data(f"{path}/options.json", 64 << 10) or b"")
    if other:
        return other[0].decode()
    return (root.text(f"{path}/shim-binary-path", 4096) or "").strip().rpartition("/")[2]


def cri_status(root: Root, roots: tuple[str, ...], container: str) -> RuntimeWord | None:
    """Return what containerd's CRI plugin wrote down of a container's state, which it does at every change."""
    for top in roots:
        path = f"{top}/{_CRI_STATUS}/{container}/status"
        doc = json_file(root, path)
        if doc is not None:
            return parse_cri_status(doc, path)
    return None


def parse_cri_status(doc: Mapping[str, Any], path: str) -> RuntimeWord:
    """Return the state follows from the times, as in containerd."""
    started, finished = integer(doc, "StartedAt") or 0, integer(doc, "FinishedAt") or 0
    state: Word = "exited" if finished > 0 else "running" if started > 0 else "created" if integer(doc, "CreatedAt") else "unknown"
    return RuntimeWord(
        "containerd",
        state,
        path,
        max(0, integer(doc, "Pid") or 0),
        integer(doc, "ExitCode") if finished > 0 else None,
        of_nanoseconds(started),
        of_nanoseconds(finished),
    )


def kept(root: Root, places: StorePlaces) -> bool:
    """Tell whether any runtime's files of its containers can be listed: what is in none of them, no runtime knows any more."""
    tops = (
        *(f"{r}/{_CRI_STATUS}" for r in places.containerd_roots),
        *(f"{r}/containers" for r in places.docker_roots),
        *(f"{r}/overlay-containers" for r in places.crio_roots),
    )
    return any(root.names(t) is not None for t in tops)


def docker(root: Root, roots: tuple[str, ...]) -> Iterator[Stored]:
    """Yield every container of docker, from its own file."""
    for top in roots:
        for name in (root.names(f"{top}/containers") or ())[:_MAX]:
            path = f"{top}/containers/{name}/config.v2.json"
            if is_id(name) and (found := parse_docker(root.data(path, 4 << 20), path)) and found.id == name:
                yield found


def parse_docker(data: bytes | None, path: str) -> Stored | None:
    """Return `config.v2.json`; None for what is none."""
    doc = parse(data)
    if doc is None or not is_id(string(doc, "ID")):
        return None
    state, labels = inner(doc, "State"), inner(doc, "Config", "Labels")
    kind = string(labels, "io.kubernetes.docker.type")
    word = docker_state(state)
    return Stored(
        id=string(doc, "ID"),
        pod=string(labels, "io.kubernetes.pod.uid"),
        name=string(labels, "io.kubernetes.container.name") or string(doc, "Name").lstrip("/")[:253],
        sandbox=kind == "podsandbox" if kind else None,
        word=RuntimeWord(
            "dockerd",
            word,
            path,
            max(0, integer(state, "Pid") or 0),
            integer(state, "ExitCode") if word in ("exited", "dead", "removing") else None,
            instant(string(state, "StartedAt")),
            instant(string(state, "FinishedAt")),
        ),
    )


def docker_state(state: Mapping[str, Any]) -> Word:
    """Return the state, by the order in which docker itself puts its flags into words (moby container/state.go, StateString)."""
    if state.get("Running") is True:
        return "paused" if state.get("Paused") is True else "restarting" if state.get("Restarting") is True else "running"
    if state.get("RemovalInProgress") is True:
        return "removing"
    if state.get("Dead") is True:
        return "dead"
    return "exited" if instant(string(state, "StartedAt")) else "created"


def crio(root: Root, roots: tuple[str, ...]) -> Iterator[Stored]:
    """Yield every container of CRI-O, from its storage."""
    seen: set[str] = set()
    for top in roots:
        for name in (root.names(f"{top}/overlay-containers") or ())[:_MAX]:
            base = f"{top}/overlay-containers/{name}/userdata"
            doc = json_file(root, f"{base}/state.json") if is_id(name) and name not in seen else None
            if doc is not None:
                seen.add(name)
                yield parse_crio(name, doc, inner(json_file(root, f"{base}/config.json"), "annotations"), f"{base}/state.json")


_OCI: Mapping[str, Word] = {"creating": "created", "created": "created", "running": "running", "stopped": "exited", "paused": "paused"}


def parse_crio(name: str, state: Mapping[str, Any], notes: Mapping[str, Any], path: str) -> Stored:
    """Return `state.json` beside the annotations of the bundle."""
    kind = string(notes, "io.kubernetes.cri-o.ContainerType")
    return Stored(
        id=name,
        pod=string(notes, "io.kubernetes.pod.uid"),
        name=string(notes, "io.kubernetes.container.name"),
        sandbox=kind == "sandbox" if kind else None,
        word=RuntimeWord(
            "crio",
            _OCI.get(string(state, "status"), "unknown"),
            path,
            max(0, integer(state, "pid") or 0),
            integer(state, "exitCode"),
            instant(string(state, "started")),
            instant(string(state, "finished")),
        ),
    )
