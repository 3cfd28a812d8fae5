"""Reads the manifests of static Pods of a node: those that the kubelet reads, those that lie beside, and what
it says about the ones that it could not start or announce.

Sources: pkg/kubelet/config/file.go (names that begin with a dot are left out, directories are not entered),
pkg/kubelet/kubelet.go (tryReconcileMirrorPods), kubelet.config.k8s.io/v1beta1 (staticPodPath).
"""

from __future__ import annotations

import stat
from collections.abc import Iterator

from unstuck.collect.masking import mask_message
from unstuck.collect.node.settings import parse_section
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.kubelet import StaticPod, StaticPods
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_USUAL = "/etc/kubernetes/manifests"
_LARGEST, _FILES, _DIRECTORIES, _LONGEST = 256 << 10, 100, 12, 300
# A directory right below the root holds more than manifests.
_DEEP = 2
_KIND = regex(r"(?m)^[\"']?kind[\"']?:\s*[\"']?(?P<kind>[A-Z][A-Za-z]{1,60})\b")
_QUOTED = r'"((?:[^"\\]|\\.){1,2000})"'
_MIRROR = regex(rf"Failed creating a mirror pod[^\n]{{0,200}}? err={_QUOTED}[^\n]{{0,200}}? pod={_QUOTED}")
_UNREAD = regex(
    rf"Could not process manifest file[^\n]{{0,200}}? err={_QUOTED}[^\n]{{0,200}}? path={_QUOTED}"
)


def of_node(view: NodeView) -> StaticPods | None:
    """Return the manifests; None if no kubelet runs."""
    return _list(view, view.ref)


def of_cluster(view: NodeView, about: Ref) -> StaticPods | None:
    """Return this node's manifests as those that are in sight."""
    return _list(view, about)


def _list(view: NodeView, about: Ref) -> StaticPods | None:
    kubelet = view.kubelet
    if kubelet.process is None or not view.root.live:
        return None
    path = kubelet.settings.get("pod-manifest-path", "staticPodPath", "").rstrip("/")
    told = _read_refusals(view)
    found = tuple(_list_pods(view, path, told))[:_FILES]
    return StaticPods(
        about=about,
        src=Source(
            f"{view.name} {path or 'kubelet'}", f"staticPodPath {path or 'unset'}; {len(found)} files"
        ),
        whole=kubelet.config_complete,
        node=view.name,
        path=path,
        items=found,
    )


def _read_refusals(view: NodeView) -> dict[str, str]:
    """Return the last message about each mirror Pod (`NAMESPACE/NAME`) and each file, by its name."""
    out: dict[str, str] = {}
    for log in view.log_tails:
        for piece in log.pieces if log.component == "kubelet" else ():
            text = piece.data.decode("utf-8", "replace")
            for pattern in (_MIRROR, _UNREAD):
                for found in pattern.finditer(text):
                    out[found[2]] = mask_message(found[1].replace('\\"', '"'))[:_LONGEST]
    return out


def _list_pods(view: NodeView, path: str, told: dict[str, str]) -> Iterator[StaticPod]:
    for directory in _list_directories(view, path):
        for name in (view.kubelet.files.names(directory) or ())[:_FILES]:
            file = f"{directory}/{name}"
            state = view.kubelet.files.stat(file)
            plain = state is not None and stat.S_ISREG(state.st_mode)
            text = view.kubelet.files.text(file, _LARGEST) if plain else None
            declared = _KIND.search(text) if text else None
            if not text or declared is None:
                continue
            meta = parse_section(text, "metadata")
            space, pod = meta.get("namespace", "default"), meta.get("name", "")
            yield StaticPod(
                file=file,
                pod=Ref("Pod", space, f"{pod}-{view.name.lower()}" if pod else None),
                kind=declared["kind"],
                labels=tuple(sorted(parse_section(text, "metadata", "labels").items()))[:_FILES],
                left_out="directory" if directory != path else "dot" if name.startswith(".") else "",
                refused=told.get(f"{space}/{pod}-{view.name.lower()}") or told.get(file, ""),
            )


def _list_directories(view: NodeView, path: str) -> Iterator[str]:
    """Yield the kubelet's directory, the usual one, and the directories beside and in these."""
    seen = set[str]()
    for top in dict.fromkeys((path, _USUAL)):
        above = top.rpartition("/")[0]
        for directory in (top, *_list_below(view, top), *_list_below(view, above)):
            if directory and directory not in seen and len(seen) < _DIRECTORIES and view.may_touch(directory):
                seen.add(directory)
                yield directory


def _list_below(view: NodeView, top: str) -> list[str]:
    if top.count("/") < _DEEP or not view.may_touch(top):
        return []
    files = view.kubelet.files
    names = [n for n in files.names(top) or () if n != "pki" and not n.startswith("..")]
    paths = [f"{top}/{n}" for n in names[:_FILES]]
    return [p for p in paths if (state := files.stat(p)) and stat.S_ISDIR(state.st_mode)]
