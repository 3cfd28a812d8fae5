"""A Pod's CSI volumes on disk, the file that the kubelet needs to unmount each, and the mounts of its
directories; plugins' sockets.

Source: pkg/volume/csi/csi_plugin.go (NewUnmounter), csi_util.go (loadVolumeData: a JSON object of texts in
`vol_data.json`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from unstuck.collect.node.mounts import is_local, mount_of
from unstuck.collect.node.root import escape_name
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.storage import PluginSockets, PodRoom
from unstuck.facts.core import Ref, Source

_FILE = "vol_data.json"
_MAX_FILE = 1 << 20
_MAX_VOLUMES = 300


def volume_data(view: NodeView, pod: Ref) -> VolumeData | None:
    """Return every CSI volume directory of the Pod. None if the directory of Pods cannot be listed, or is on
    a foreign file system.
    """
    files, uid = view.kubelet.files, pod.uid or ""
    top = f"{view.kubelet.root_dir}/pods"
    there = files.names(top) if view.may_touch(top) else None
    if there is None:
        return None
    path = f"{view.pod_directory(uid)}/volumes/kubernetes.io~csi"
    names = files.names(path) if uid in there and view.may_touch(path) else None
    items = tuple(_volume(view, f"{path}/{name}", name) for name in (names or ())[:_MAX_VOLUMES])
    bad = next((i for i in items if i.data != "present"), None)
    quote = f"{bad.name}/{_FILE} {bad.data}" if bad else f"{len(items)} CSI volumes"
    known = (
        uid not in there
        or names is not None
        or "kubernetes.io~csi" not in (files.names(f"{view.pod_directory(uid)}/volumes") or ())
    )
    return VolumeData(
        about=pod,
        src=Source(f"{view.name} {path}", quote),
        whole=known and (view.kubelet.sure or bool(items)) and len(names or ()) <= _MAX_VOLUMES,
        items=items,
    )


def _volume(view: NodeView, path: str, name: str) -> CsiVolume:
    on = mount_of(path, view.home[1])
    mounted = any(e.mountpoint == f"{path}/mount" for e in view.home[1]) if view.home_sure else None
    if on is not None and not is_local(on.fstype):
        return CsiVolume(escape_name(name), escape_name(path), "unreadable", mounted=mounted)
    names = view.kubelet.files.names(path)
    if names is None:
        return CsiVolume(escape_name(name), escape_name(path), "unreadable", mounted=mounted)
    if _FILE not in names:
        return CsiVolume(escape_name(name), escape_name(path), "missing", mounted=mounted)
    text = view.kubelet.files.text(f"{path}/{_FILE}", _MAX_FILE)
    if text is None:
        return CsiVolume(escape_name(name), escape_name(path), "unreadable", mounted=mounted)
    driver = _parse_driver(text)
    return CsiVolume(
        escape_name(name),
        escape_name(path),
        "invalid" if driver is None else "present",
        driver or "",
        mounted,
    )


def _parse_driver(text: str) -> str | None:
    """Return the driver's name in the file, "" if there is none; None for a file that the kubelet cannot
    parse.
    """
    try:
        doc, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    if not isinstance(doc, dict) or not all(isinstance(v, str) for v in doc.values()):
        return None
    return str(doc.get("driverName", ""))[:300]


def plugin_sockets(view: NodeView) -> PluginSockets | None:
    """Return the plugins registered with the kubelet, by their sockets. None if that directory cannot be
    listed.
    """
    registry, plugins = f"{view.kubelet.root_dir}/plugins_registry", f"{view.kubelet.root_dir}/plugins"
    if not (view.may_touch(registry) and view.may_touch(plugins)):
        return None
    files = view.kubelet.files
    registered, drivers = files.names(registry), files.names(plugins)
    if registered is None:
        return None
    with_socket = tuple(
        d
        for d in sorted(drivers or ())[:_MAX_VOLUMES]
        if any(n.endswith(".sock") for n in _list_names(view, f"{plugins}/{d}"))
    )
    names = tuple(escape_name(n) for n in sorted(registered) if n.endswith(".sock"))[:_MAX_VOLUMES]
    return PluginSockets(
        about=view.ref,
        src=Source(f"{view.name} {registry}", ", ".join(names[:5]) or "no socket"),
        whole=view.kubelet.sure and drivers is not None,
        registered=names,
        drivers=tuple(map(escape_name, with_socket)),
    )


def _list_names(view: NodeView, path: str) -> Sequence[str]:
    return (view.kubelet.files.names(path) if view.may_touch(path) else None) or ()


def room(view: NodeView, pod: Ref) -> PodRoom | None:
    """Return the mounts that hold the Pod's volume directories. None if no mounts of the kubelet's own can be
    read, or there are no such directories.
    """
    entries, at = view.home[1], view.pod_directory(pod.uid or "")
    if not entries or not view.home_sure or not view.may_touch(at):
        return None
    holders = [
        at,
        f"{at}/volumes",
        *(f"{at}/volumes/{escape_name(p)}" for p in _list_names(view, f"{at}/volumes")),
    ]
    mounts = tuple(dict.fromkeys(m for path in holders if (m := mount_of(path, entries))))
    read_only = tuple(m for m in mounts if "ro" in m.options.split(","))
    told = (read_only or mounts)[:1]
    return PodRoom(
        about=pod,
        src=Source(f"{view.name} /proc/{view.home[2]}/mountinfo", " ".join(_format_mount(m) for m in told)),
        mounts=mounts,
        read_only=read_only,
    )


def _format_mount(m: MountEntry) -> str:
    return f"{m.mountpoint} {m.fstype} {m.options}"
