"""The runtimes' own files about their containers: readable while their daemons do not answer, and in a
recorded tree.

Only states, pids, times, names and the Pod's uid are kept; these files also hold environments and arguments,
which are not read. Sources: containerd pkg/cri/store/container/status.go, runtime/v2/bundle.go,
pkg/cri/annotations; moby container/state.go; cri-o internal/oci/container.go, pkg/annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from unstuck.collect.node.root import Root
from unstuck.collect.runtime.reading import (
    from_nanoseconds,
    inner,
    integer,
    is_id,
    parse,
    parse_instant,
    read_json,
    string,
)
from unstuck.facts.aspects.runtime import RuntimeWord, Word
from unstuck.facts.record import Record, record

_MAX = 5_000
_TASKS = ("io.containerd.runtime.v2.task", "io.containerd.runtime.v1.linux")
_INSIDE = re.compile(rb"runsc|kata|gvisor")
_CRI_STATUS = "io.containerd.grpc.v1.cri/containers"


@record()
class StorePlaces(Record):
    """The directories of the files of a node's runtimes."""

    containerd_roots: tuple[str, ...] = (
        "/var/lib/containerd",
        "/var/lib/rancher/k3s/agent/containerd",
        "/var/lib/k0s/containerd",
    )
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
class StoredContainer(Record):
    """One container as a runtime's files have it.

    pod: its Pod's uid, box: its sandbox' id; "" where the file does not say. shim: the program that minds its
    task.
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
    """Return `root` and `state` of containerd's configuration; {} if it does not parse."""
    if not text:
        return {}
    import tomllib  # most nodes have no such file

    try:
        doc = tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {k: v for k in ("root", "state") if isinstance(v := doc.get(k), str) and v.startswith("/")}


def find_tasks(root: Root, states: tuple[str, ...]) -> tuple[list[StoredContainer], bool]:
    """Return the tasks of all task directories, and whether any of these could be listed. The root file
    system inside is not touched.
    """
    found: dict[str, StoredContainer] = {}
    listed = False
    for top in [f"{s}/{t}" for s in states for t in _TASKS]:
        for namespace in root.names(top) or ():
            for name in (root.names(f"{top}/{namespace}") or ())[:_MAX]:
                if is_id(name):
                    found.setdefault(name, _read_task(root, f"{top}/{namespace}/{name}", name))
        listed = listed or root.names(top) is not None
    return list(found.values()), listed


def _read_task(root: Root, path: str, name: str) -> StoredContainer:
    pid = (root.text(f"{path}/init.pid", 32) or "").strip()
    notes = inner(read_json(root, f"{path}/config.json"), "annotations")
    kind = string(notes, "io.kubernetes.cri.container-type")
    return StoredContainer(
        id=name,
        pod=string(notes, "io.kubernetes.cri.sandbox-uid") or string(notes, "io.kubernetes.pod.uid"),
        name=string(notes, "io.kubernetes.cri.container-name"),
        sandbox=kind == "sandbox" if kind else None,
        task_pid=int(pid) if pid.isascii() and pid.isdigit() else None,
        box=string(notes, "io.kubernetes.cri.sandbox-id"),
        shim=_read_program(root, path),
    )


def _read_program(root: Root, path: str) -> str:
    """Return the shim's program; gVisor's or kata's if runc's shim is configured to run that instead of
    runc.
    """
    other = _INSIDE.search(root.data(f"{path}/options.json", 64 << 10) or b"")
    if other:
        return other[0].decode()
    return (root.text(f"{path}/shim-binary-path", 4096) or "").strip().rpartition("/")[2]


def read_cri_status(root: Root, roots: tuple[str, ...], container: str) -> RuntimeWord | None:
    """Return a container's state as containerd's CRI plugin writes it at every change."""
    for top in roots:
        path = f"{top}/{_CRI_STATUS}/{container}/status"
        doc = read_json(root, path)
        if doc is not None:
            return parse_cri_status(doc, path)
    return None


def parse_cri_status(doc: Mapping[str, Any], path: str) -> RuntimeWord:
    """Derive the state from the times, as containerd does."""
    started, finished = integer(doc, "StartedAt") or 0, integer(doc, "FinishedAt") or 0
    state: Word = (
        "exited"
        if finished > 0
        else "running"
        if started > 0
        else "created"
        if integer(doc, "CreatedAt")
        else "unknown"
    )
    return RuntimeWord(
        "containerd",
        state,
        path,
        max(0, integer(doc, "Pid") or 0),
        integer(doc, "ExitCode") if finished > 0 else None,
        from_nanoseconds(started),
        from_nanoseconds(finished),
    )


def has_stores(root: Root, places: StorePlaces) -> bool:
    """Tell whether any runtime's files can be listed: a container in none of them is unknown to every
    runtime.
    """
    tops = (
        *(f"{r}/{_CRI_STATUS}" for r in places.containerd_roots),
        *(f"{r}/containers" for r in places.docker_roots),
        *(f"{r}/overlay-containers" for r in places.crio_roots),
    )
    return any(root.names(t) is not None for t in tops)


def read_docker(root: Root, roots: tuple[str, ...]) -> Iterator[StoredContainer]:
    """Yield every container of docker, from its own file."""
    for top in roots:
        for name in (root.names(f"{top}/containers") or ())[:_MAX]:
            path = f"{top}/containers/{name}/config.v2.json"
            if is_id(name) and (found := parse_docker(root.data(path, 4 << 20), path)) and found.id == name:
                yield found


def parse_docker(data: bytes | None, path: str) -> StoredContainer | None:
    """Parse `config.v2.json`; None for any other file."""
    doc = parse(data)
    if doc is None or not is_id(string(doc, "ID")):
        return None
    state, labels = inner(doc, "State"), inner(doc, "Config", "Labels")
    kind = string(labels, "io.kubernetes.docker.type")
    word = parse_docker_state(state)
    return StoredContainer(
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
            parse_instant(string(state, "StartedAt")),
            parse_instant(string(state, "FinishedAt")),
        ),
    )


def parse_docker_state(state: Mapping[str, Any]) -> Word:
    """Return the state, with docker's own precedence of its flags (moby container/state.go, StateString)."""
    if state.get("Running") is True:
        return (
            "paused"
            if state.get("Paused") is True
            else "restarting"
            if state.get("Restarting") is True
            else "running"
        )
    if state.get("RemovalInProgress") is True:
        return "removing"
    if state.get("Dead") is True:
        return "dead"
    return "exited" if parse_instant(string(state, "StartedAt")) else "created"


def read_crio(root: Root, roots: tuple[str, ...]) -> Iterator[StoredContainer]:
    """Yield every container of CRI-O, from its storage."""
    seen: set[str] = set()
    for top in roots:
        for name in (root.names(f"{top}/overlay-containers") or ())[:_MAX]:
            base = f"{top}/overlay-containers/{name}/userdata"
            doc = read_json(root, f"{base}/state.json") if is_id(name) and name not in seen else None
            if doc is not None:
                seen.add(name)
                yield parse_crio(
                    name,
                    doc,
                    inner(read_json(root, f"{base}/config.json"), "annotations"),
                    f"{base}/state.json",
                )


_OCI: Mapping[str, Word] = {
    "creating": "created",
    "created": "created",
    "running": "running",
    "stopped": "exited",
    "paused": "paused",
}


def parse_crio(name: str, state: Mapping[str, Any], notes: Mapping[str, Any], path: str) -> StoredContainer:
    """Parse `state.json` with the annotations of the bundle."""
    kind = string(notes, "io.kubernetes.cri-o.ContainerType")
    return StoredContainer(
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
            parse_instant(string(state, "started")),
            parse_instant(string(state, "finished")),
        ),
    )
