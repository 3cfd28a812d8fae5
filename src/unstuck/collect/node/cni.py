"""The node's network plugins: the runtime's configuration of them, their programs, and the running ones.

Sources: containerd docs/cri/config.md (both layouts of `cni.conf_dir` and `cni.bin_dir(s)`), crio.conf(5),
kubelet flags up to 1.23 (--cni-conf-dir, --cni-bin-dir), CNI specification 1.0 (`.conf`, `.conflist`,
`.json`, sorted by name).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from unstuck.collect.node.root import Root, escape_name
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.cni import NetworkConfig, NetworkPlugins, PluginCall
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

CONF_DIR, BIN_DIR = "/etc/cni/net.d", "/opt/cni/bin"
_CONTAINERD, _CRIO = "/etc/containerd/config.toml", "/etc/crio/crio.conf"
_ENDINGS = (".conf", ".conflist", ".json")
_MOST = 20
# containerd and CRI-O pass it since 1.4 and 1.20.
_POD_UID = regex(r"(?:^|;)K8S_POD_UID=([0-9a-f-]{32,36})(?:;|$)")
_CAP = 1 << 20


def network_plugins(view: NodeView) -> NetworkPlugins | None:
    """Return the plugins that the runtime would call for a sandbox's network; None if no such directory
    can be listed here.
    """
    root = view.root
    conf_dir, bin_dirs = directories(root)
    if not all(view.may_touch(d) for d in (conf_dir, *bin_dirs)):
        return None
    names = root.names(conf_dir)
    listed = {d: n for d in bin_dirs if (n := root.names(d)) is not None}
    if names is None and not listed:
        return None
    configs = tuple(
        _read_config(root, f"{conf_dir}/{n}") for n in sorted(names or ()) if n.endswith(_ENDINGS)
    )[:_MOST]
    programs = {n for names_ in listed.values() for n in names_}
    # The runtimes bring `lo` up by a plugin that no configuration names (go-cni, WithLoNetwork).
    wanted = (*configs[0].plugins, "loopback") if configs else ()
    missing = tuple(sorted(set(wanted) - programs)) if listed else ()
    src = Source(f"{view.name} {conf_dir}", _quote(configs, missing))
    return NetworkPlugins(
        about=view.ref,
        src=src,
        whole=names is not None and bool(listed),
        configs=configs,
        conf_dir=conf_dir,
        bin_dirs=bin_dirs,
        missing=missing,
        running=tuple(_find_calls(view, {*wanted, *programs})),
        usable=tuple(c.path for c in configs if c.plugins and programs.issuperset((*c.plugins, "loopback"))),
    )


def directories(root: Root) -> tuple[str, tuple[str, ...]]:
    """Return the configuration directory and the directories of programs, as the runtime's own
    configuration has them.
    """
    for path, cni in ((_CONTAINERD, _find_containerd), (_CRIO, _find_crio)):
        doc = _read_toml(root, path)
        found = cni(doc) if doc else None
        if found:
            return found
    return CONF_DIR, (BIN_DIR,)


def _find_containerd(doc: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    for plugin in ("io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri", "cri"):
        cni = _value_at(doc, "plugins", plugin, "cni")
        if isinstance(cni, Mapping):
            dirs = cni.get("bin_dirs") or [cni.get("bin_dir") or BIN_DIR]
            return _absolute_path(cni.get("conf_dir"), CONF_DIR), tuple(
                _absolute_path(d, BIN_DIR) for d in dirs if d
            ) or (BIN_DIR,)
    return None


def _find_crio(doc: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    network = _value_at(doc, "crio", "network")
    if not isinstance(network, Mapping):
        return None
    dirs = network.get("plugin_dirs") or [BIN_DIR]
    return _absolute_path(network.get("network_dir"), CONF_DIR), tuple(
        _absolute_path(d, BIN_DIR) for d in dirs
    )


def _absolute_path(path: object, default: str) -> str:
    return path.rstrip("/") if isinstance(path, str) and path.startswith("/") else default


def _value_at(doc: Mapping[str, Any], *keys: str) -> object:
    value: object = doc
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _read_toml(root: Root, path: str) -> Mapping[str, Any] | None:
    text = root.text(path, _CAP)
    if not text:
        return None
    import tomllib  # few nodes have such a file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_config(root: Root, path: str) -> NetworkConfig:
    written = _find_written_at(root, path)
    try:
        doc = json.loads(root.text(path, _CAP) or "")
    except (ValueError, RecursionError):
        return NetworkConfig(escape_name(path), (), written)
    rows = doc.get("plugins", [doc]) if isinstance(doc, dict) else []
    types = [row.get("type") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    ipam = (
        [
            row["ipam"].get("type")
            for row in rows
            if isinstance(row, dict) and isinstance(row.get("ipam"), dict)
        ]
        if types
        else []
    )
    return NetworkConfig(
        escape_name(path),
        tuple(dict.fromkeys(t for t in (*types, *ipam) if isinstance(t, str) and t)),
        written,
    )


def _find_written_at(root: Root, path: str) -> datetime | None:
    """Return when the file was last written or moved, the later of the two: a moved file keeps the time of
    its content.
    """
    found = root.stat(path) if root.live else None
    return datetime.fromtimestamp(int(max(found.st_mtime, found.st_ctime)), UTC) if found else None


def _find_calls(view: NodeView, programs: set[str]) -> Iterator[PluginCall]:
    """Yield processes with a plugin's name whose parent is a runtime. A kernel's name has at most 15
    letters.
    """
    short = {p[:15] for p in programs}
    for process in view.table.user:
        parent = view.table.all.get(process.stat.parent)
        if (
            process.stat.comm in short
            and parent is not None
            and parent.stat.comm.startswith(("containerd", "crio", "dockerd", "kubelet"))
        ):
            yield PluginCall(view.table.as_fact(process), *_read_call(view, process.pid))


def _read_call(view: NodeView, pid: int) -> tuple[str, str | None]:
    """Return the runtime's request to it: two of the specification's variables, nothing else of its
    environment.
    """
    found: dict[str, str] = {}
    for row in (view.root.text(f"/proc/{pid}/environ", 1 << 16) or "").split("\0"):
        name, _, value = row.partition("=")
        if name in ("CNI_COMMAND", "CNI_ARGS"):
            found[name] = value
    uid = _POD_UID.search(found.get("CNI_ARGS", ""))
    command = found.get("CNI_COMMAND", "")
    return command if command in ("ADD", "DEL", "CHECK") else "", uid[1] if uid else None


def _quote(configs: tuple[NetworkConfig, ...], missing: tuple[str, ...]) -> str:
    if not configs:
        return "no configuration"
    said = f"{configs[0].path.rpartition('/')[2]}: {', '.join(configs[0].plugins) or 'not readable'}"
    return f"{said}; no program for {', '.join(missing)}" if missing else said
