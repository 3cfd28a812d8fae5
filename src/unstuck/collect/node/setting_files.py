"""Reads the settings in a node's configuration files: hosts, name resolution, the kubelet, the runtime and
the journal.

Sources: hosts(5), resolv.conf(5), nsswitch.conf(5), kubelet.config.k8s.io/v1beta1, containerd-config.toml(5),
journald.conf(5).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_settings import NodeSetting
from unstuck.facts.regex import regex

_LARGEST = 256 << 10
_HOSTS, _RESOLV, _SWITCH = "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf"
_CONTAINERD, _JOURNAL = "/etc/containerd/config.toml", "/etc/systemd/journald.conf"
_LOOPBACK = ("localhost", "ip6-", "broadcasthost")
# Settings that are each node's own, and headers that may hold a password.
_OWN = (
    *("hostname-override", "node-ip", "node-labels", "provider-id", "register-with-taints", "providerID"),
    *("staticPodURLHeader", "manifest-url-header", "kind", "apiVersion"),
)
_SECRET = regex(r"(?i)auth|password|token|secret|header|credential")
_ENTRY = regex(r"^(?P<indent> *)(?P<item>- +)?(?:(?P<key>[\w./-]+):(?: +(?P<value>.*))?|(?P<plain>\S.*))$")
_ASSIGNED = regex(r"^\s*(?P<name>\w+)\s*=\s*(?P<value>.*?)\s*$")
_DEEPEST = 8


def list_hosts(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the names of /etc/hosts with their addresses."""
    text = _read(view, _HOSTS)
    if text is None:
        return None
    named: dict[str, list[str]] = {}
    for line in text.splitlines():
        address, *names = line.partition("#")[0].split() or ("",)
        for name in names:
            if not name.startswith(_LOOPBACK) and name != view.name:
                named.setdefault(name, []).append(address)
    return tuple(NodeSetting("hosts", "", " ".join(own), _HOSTS, name) for name, own in named.items())


def list_resolver(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the name servers, search domains and options, and the order of the sources of names."""
    text = _read(view, _RESOLV)
    if text is None:
        return None
    told: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, *words = line.partition("#")[0].split() or ("",)
        if name in ("nameserver", "search", "domain", "options"):
            told.setdefault(name, []).extend(words)
    out = [NodeSetting("resolver", key, " ".join(words), _RESOLV) for key, words in told.items()]
    for line in (_read(view, _SWITCH) or "").splitlines():
        name, _, order = line.partition("#")[0].partition(":")
        if name.strip() == "hosts":
            out.append(NodeSetting("resolver", "hosts:", " ".join(order.split()), _SWITCH))
    return tuple(out)


def list_kubelet(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the kubelet's flags and the values of its configuration files; None if no kubelet runs."""
    kubelet = view.kubelet
    if kubelet.process is None:
        return None
    at = f"/proc/{kubelet.process.pid}/cmdline"
    file = kubelet.settings.flags.get("config", at)
    told = {
        f"--{k}": NodeSetting("kubelet", f"--{k}", v, at)
        for k, v in kubelet.settings.flags.items()
        if _fit(k)
    }
    for text in kubelet.config_texts:
        told |= {k: NodeSetting("kubelet", k, v, file) for k, v in flatten(text) if _fit(k)}
    return tuple(told.values())


def list_daemons(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the settings of the journal and of containerd that stand in their files; None for a recorded
    tree, which does not keep all of them.
    """
    if not view.root.live or not view.may_touch("/etc"):
        return None
    out = list[NodeSetting]()
    for line in (_read(view, _JOURNAL) or "").splitlines():
        if (found := _ASSIGNED.match(line)) and not line.lstrip().startswith(("#", ";")):
            out.append(NodeSetting("daemon", "", found["value"], _JOURNAL, f"journald {found['name']}"))
    try:
        document: object = tomllib.loads(_read(view, _CONTAINERD) or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        document = {}
    out += [
        NodeSetting("daemon", "", value, _CONTAINERD, f"containerd {key}")
        for key, value in _walk(document, "", 0)
        if _fit(key)
    ]
    return tuple(out)


def flatten(text: str) -> list[tuple[str, str]]:
    """Return the values of a KubeletConfiguration in JSON or block YAML, each with its path."""
    try:
        return list(_walk(json.loads(text), "", 0))
    except (ValueError, RecursionError):
        return list(_walk_block(text))


def _walk(value: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in value.items():
            yield from _walk(inner, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list):
        yield path, ", ".join(str(one) for one in value)
    elif not isinstance(value, dict):
        yield path, str(value).lower() if isinstance(value, bool) else str(value)


def _walk_block(text: str) -> Iterator[tuple[str, str]]:
    """Yield the values of block YAML; of a list of maps each value under the list's own path."""
    above = list[tuple[int, str]]()
    lists: dict[str, list[str]] = {}
    for line in text.splitlines():
        found = None if line.lstrip().startswith(("#", "---")) else _ENTRY.match(line.rstrip())
        if found is None:
            continue
        item, value = found["item"], (found["value"] or "").partition(" #")[0].strip().strip("\"'")
        indent = len(found["indent"]) + (1 if item else 0)
        while above and above[-1][0] >= indent:
            above.pop()
        path = ".".join(name for _, name in above)
        if found["key"] is None:
            lists.setdefault(path, []).append((found["plain"] or "").strip("\"'"))
        elif value:
            yield f"{path}.{found['key']}" if path else found["key"], value
        else:
            above.append((indent, found["key"]))
    yield from ((path, ", ".join(items)) for path, items in lists.items())


def _fit(key: str) -> bool:
    return key not in _OWN and not _SECRET.search(key.rpartition(".")[2])


def _read(view: NodeView, path: str) -> str | None:
    return view.kubelet.files.text(path, _LARGEST) if view.may_touch(path) else None
