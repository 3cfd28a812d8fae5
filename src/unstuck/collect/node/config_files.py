"""Finds which lines of the node's own configuration name a word: an address, a path, a program, a setting.

Sources: containerd docs/hosts.md, docs/cri/config.md; crio.conf.d(5); containers-registries.conf(5);
kubelet flags `--config`, `--config-dir`; systemd.unit(5); sysctl.d(5); resolv.conf(5), hosts(5).
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator

from unstuck.collect.masking import mask
from unstuck.collect.node.cni import directories
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import ConfigLine, ConfigMentions
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_UNITS = ("kubelet", "containerd", "crio", "docker", "k3s", "k3s-agent", "rke2-server", "rke2-agent")
_UNIT_PLACES = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
# Directories are read with all files below them.
_RUNTIMES = (
    "/etc/containerd",
    "/etc/crio",
    "/etc/containers",
    "/etc/docker/daemon.json",
    "/etc/docker/certs.d",
    "/etc/rancher",
)
_KUBELET = (
    "/var/lib/kubelet/config.yaml",
    "/var/lib/kubelet/kubeadm-flags.env",
    "/etc/default/kubelet",
    "/etc/sysconfig/kubelet",
    "/etc/kubernetes",
)
_SYSTEM = (
    "/etc/hosts",
    "/etc/resolv.conf",
    "/run/systemd/resolve/resolv.conf",
    "/etc/systemd/resolved.conf",
    "/etc/nsswitch.conf",
    "/etc/environment",
    "/etc/sysctl.conf",
    "/etc/sysctl.d",
    "/run/sysctl.d",
    "/usr/lib/sysctl.d",
    "/etc/security/limits.conf",
    "/etc/security/limits.d",
    "/etc/modprobe.d",
    "/etc/modules-load.d",
    "/etc/chrony.conf",
    "/etc/chrony",
    "/etc/systemd/timesyncd.conf",
    "/etc/systemd/journald.conf",
    "/etc/systemd/journald.conf.d",
)
# Keys, certificates and binary files.
_OTHERS = regex(r"(?i)\.(?:key|pem|crt|cer|csr|p12|jks|gz|db|sock)$|^(?:pki|ssl|private|\.git)$|~$")
_COMMENT = regex(r"^(?:#|;|//)")
_DEEPEST, _MOST_FILES, _LARGEST = 4, 400, 256 << 10
_MOST, _LONGEST, _SHORTEST = 10, 200, 3


def config_mentions(view: NodeView, about: Ref) -> ConfigMentions | None:
    """Return the lines; None for a word that is too short, or where the places may not be touched."""
    word = about.name or ""
    if len(word) < _SHORTEST or "\n" in word or not view.may_touch("/etc"):
        return None
    named = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-]|\.\w)")
    items: list[ConfigLine] = []
    count = 0
    for path in _list_files(view):
        count += 1
        if count > _MOST_FILES or len(items) > _MOST:
            break
        text = view.kubelet.files.text(path, _LARGEST) or ""
        if word not in text or "\0" in text:
            continue
        items += [
            ConfigLine(path, number, mask(line.strip())[:_LONGEST])
            for number, line in enumerate(text.split("\n"), 1)
            if word in line and named.search(line) and not _COMMENT.match(line.strip())
        ]
    quote = f"{items[0].path}:{items[0].number}: {items[0].text}" if items else f"no line in {count} files"
    return ConfigMentions(
        about=about,
        src=Source(f"{view.name} {items[0].path if items else '/etc'}", quote),
        whole=count <= _MOST_FILES and len(items) <= _MOST,
        items=tuple(items[:_MOST]),
    )


def _list_files(view: NodeView) -> Iterator[str]:
    """Yield the files of all places, each once."""
    flags = view.kubelet.settings.flags
    own = [
        path
        for name in ("config", "config-dir", "resolv-conf")
        if (path := flags.get(name, "")).startswith("/")
    ]
    conf_dir, _ = directories(view.kubelet.files)
    units = [f"{place}/{unit}.service" for place in _UNIT_PLACES for unit in _UNITS]
    drop_ins = [f"{unit}.d" for unit in units]
    seen = set[str]()
    for top in (*own, *_KUBELET, *_RUNTIMES, conf_dir, *units, *drop_ins, *_SYSTEM):
        for path in _list_below(view, top, _DEEPEST):
            if path not in seen:
                seen.add(path)
                yield path


def _list_below(view: NodeView, path: str, deepest: int) -> Iterator[str]:
    files = view.kubelet.files
    state = files.stat(path) if view.may_touch(path) and not _OTHERS.search(path.rpartition("/")[2]) else None
    if state is None:
        return
    if stat.S_ISREG(state.st_mode):
        yield path
    elif stat.S_ISDIR(state.st_mode) and deepest:
        for name in (files.names(path) or ())[:_MOST_FILES]:
            yield from _list_below(view, f"{path}/{name}", deepest - 1)
