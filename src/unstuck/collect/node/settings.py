"""Reads the kubelet's settings (flags, then its configuration with drop-ins, then the defaults) and its
static Pods.

Sources: cmd/kubelet/app/options (flags), pkg/kubelet/apis/config/v1beta1/defaults.go (defaults), KEP-3983
(`--config-dir`).
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unstuck.facts.aspects.kubelet import KubeletConfig, Rivals, StaticManifests
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

if TYPE_CHECKING:
    from unstuck.collect.node.view import NodeView

_LINE = regex(r"^( *)([\w.-]+):[ \t]*(.*?)[ \t]*$")
_VERSION_KEY = b"kubeletVersion="
_VERSION = re.compile(_VERSION_KEY + rb'"?(v\d[\w.+-]{1,60})')
_MAX_NAMES = 200
_MAX_PATHS = 50
_MANIFEST = 256 << 10


def parse_section(text: str, *keys: str) -> dict[str, str]:
    """Return the plain values below some nested keys of a KubeletConfiguration in JSON or block YAML;
    empty if there are none.
    """
    try:
        doc = json.loads(text)
    except (ValueError, RecursionError):
        return _parse_block(text.splitlines(), keys)
    for key in keys:
        doc = doc.get(key) if isinstance(doc, dict) else None
    return (
        {str(k): _format_plain(v) for k, v in doc.items() if isinstance(v, str | int | bool)}
        if isinstance(doc, dict)
        else {}
    )


def read_nested(view: NodeView, *keys: str) -> dict[str, str]:
    """Return `parse_section` over the configuration file and its drop-ins, the later overriding."""
    out: dict[str, str] = {}
    for text in view.kubelet.config_texts:
        out.update(parse_section(text, *keys))
    return out


def _format_plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_block(lines: list[str], keys: tuple[str, ...]) -> dict[str, str]:
    """Block YAML: lines indented more than the last of the keys; flow style on one line (`{a: b, c: d}`)
    too.
    """
    if not keys:
        return {m[2]: _word(m[3]) for m in map(_LINE.match, _keep_outermost(lines)) if m and _word(m[3])}
    for index, line in enumerate(lines):
        found = _LINE.match(line)
        if found and found[2] == keys[0] and _depth(line) == _first_depth(lines):
            if found[3].startswith("{"):
                inner = [part.strip() for part in found[3].strip("{}").split(",")]
                return _parse_block(inner, keys[1:]) if len(keys) == 1 else {}
            below = []
            for other in lines[index + 1 :]:
                if other.strip() and not other.lstrip().startswith("#") and _depth(other) <= _depth(line):
                    break
                below.append(other)
            return _parse_block(below, keys[1:])
    return {}


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _first_depth(lines: list[str]) -> int:
    return next((_depth(x) for x in lines if x.strip() and not x.lstrip().startswith(("#", "---"))), 0)


def _keep_outermost(lines: list[str]) -> list[str]:
    depth = _first_depth(lines)
    return [x for x in lines if x.strip() and _depth(x) == depth]


def _word(text: str) -> str:
    if text[:1] in ('"', "'"):
        return text[1:].partition(text[0])[0]
    return text.partition(" #")[0].strip()


def config(view: NodeView) -> KubeletConfig | None:
    """Return the kubelet's configuration; None if no kubelet runs, because then no flag says which file
    counts.
    """
    kubelet = view.kubelet
    if kubelet.process is None:
        return None
    flags = kubelet.settings.flags

    def told(flag: str, key: str, default: str = "") -> str:
        return kubelet.settings.get(flag, key, default)

    low, high = (
        told("image-gc-low-threshold", "imageGCLowThresholdPercent", "80"),
        told("image-gc-high-threshold", "imageGCHighThresholdPercent", "85"),
    )
    driver = told("cgroup-driver", "cgroupDriver", "cgroupfs")
    return KubeletConfig(
        about=view.ref,
        src=Source(
            f"{view.name} {flags.get('config') or f'/proc/{kubelet.process.pid}/cmdline'}",
            f"root {kubelet.root_dir}, cgroupDriver {driver}",
        ),
        whole=kubelet.config_complete,
        root_dir=kubelet.configured_root_dir,
        real_root=kubelet.root_dir,
        cgroup_driver=driver,
        cgroup_root=told("cgroup-root", "cgroupRoot"),
        pod_logs_dir=kubelet.pod_logs,
        static_pod_path=told("pod-manifest-path", "staticPodPath"),
        runtime_endpoint=told("container-runtime-endpoint", "containerRuntimeEndpoint"),
        server_tls_bootstrap=_as_bool(told("rotate-server-certificates", "serverTLSBootstrap", "false")),
        rotate_certificates=_as_bool(told("rotate-certificates", "rotateCertificates", "false")),
        read_only_port=_parse_number(told("read-only-port", "readOnlyPort", "0")),
        max_pods=_parse_number(told("max-pods", "maxPods", "110")),
        fail_swap_on=_as_bool(told("fail-swap-on", "failSwapOn", "true")),
        image_gc=(int(low), int(high))
        if low.isdecimal() and high.isdecimal() and len(low + high) < 8
        else None,
        eviction_hard=_list_thresholds(flags.get("eviction-hard"), read_nested(view, "evictionHard")),
        eviction_soft=_list_thresholds(flags.get("eviction-soft"), read_nested(view, "evictionSoft")),
        verbosity=kubelet.verbosity
        if "v" in flags
        else _parse_number(read_nested(view, "logging").get("verbosity", "")) or kubelet.verbosity,
        version=_logged_version(view),
        file=flags.get("config", ""),
        paths=(paths := _list_paths(view)),
        absent=tuple(dict.fromkeys(p for _, p in paths if view.may_touch(p) and _absent(view, p)))
        if view.root.live
        else None,
    )


def _list_paths(view: NodeView) -> tuple[tuple[str, str], ...]:
    """Return the kubelet's settings with a path, with the default of the path that every sandbox needs."""
    kubelet = view.kubelet
    told = {f"--{k}": v for k, v in kubelet.settings.flags.items()} | kubelet.settings.config
    found = [
        (k[:100], v.rstrip("/")) for k, v in sorted(told.items()) if v.startswith("/") and 1 < len(v) <= 4096
    ]
    if not kubelet.settings.get("resolv-conf", "resolvConf", ""):
        found.append(("resolvConf", "/etc/resolv.conf"))
    return tuple(found[:_MAX_PATHS])


def _absent(view: NodeView, path: str) -> bool:
    """Tell whether a path is certainly missing: its directory can be listed, or is missing too."""
    if view.kubelet.files.stat(path) is not None:
        return False
    above, _, name = path.rpartition("/")
    names = view.kubelet.files.names(above or "/")
    return (
        name not in names
        if names is not None
        else view.kubelet.files.link(above)[1] in (errno.ENOENT, errno.ENOTDIR)
    )


def _as_bool(value: str) -> bool | None:
    return {"true": True, "false": False}.get(value.lower())


def _parse_number(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def _list_thresholds(flag: str | None, told: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return `memory.available<100Mi,nodefs.available<10%` of the flag, else the file's map."""
    if flag:
        pairs = (part.partition("<") for part in flag.split(",")[:50])
        return tuple(sorted((a.strip(), b.strip()) for a, found, b in pairs if found))
    return tuple(sorted(told.items())[:50])


def _logged_version(view: NodeView) -> str:
    """Return the version that it logged at its start, if its log reaches back so far; else ""."""
    for log in view.log_tails:
        for piece in reversed(log.pieces) if log.component == "kubelet" else ():
            at = piece.data.rfind(_VERSION_KEY)
            while at >= 0:
                if found := _VERSION.match(piece.data, at):
                    return found[1].decode("ascii", "replace")
                at = piece.data.rfind(_VERSION_KEY, 0, at)
    return ""


def manifests(view: NodeView) -> StaticManifests | None:
    """Return the files in staticPodPath, and the Pod of each; None if no kubelet runs or the directory
    cannot be listed.
    """
    kubelet = view.kubelet
    if kubelet.process is None:
        return None
    path = kubelet.settings.get("pod-manifest-path", "staticPodPath", "").rstrip("/")
    if not path.startswith("/"):
        return StaticManifests(
            about=view.ref,
            src=Source(f"{view.name} kubelet", "no staticPodPath"),
            whole=kubelet.config_complete,
            path="",
        )
    found = kubelet.files.names(path) if view.may_touch(path) else None
    if found is None:
        return None
    # Like the kubelet: names that begin with a dot are left out, all other suffixes are read
    # (pkg/kubelet/config/file.go).
    names = tuple(n for n in found if not n.startswith("."))
    texts = {n: text for n in names[:_MAX_NAMES] if (text := kubelet.files.text(f"{path}/{n}", _MANIFEST))}
    pods = tuple((n, pod) for n, text in texts.items() if (pod := _declared_pod(text)))
    return StaticManifests(
        about=view.ref,
        src=Source(f"{view.name} {path}", f"{len(names)} manifests"),
        whole=len(names) <= _MAX_NAMES,
        path=path,
        names=names[:_MAX_NAMES],
        pods=pods,
        rivals=_find_rivals(view.name, pods, texts) if texts or not names else None,
    )


def _find_rivals(node: str, pods: Sequence[tuple[str, str]], texts: Mapping[str, str]) -> tuple[Rivals, ...]:
    """Return the files that define the same Pod and differ in more than empty lines and comments."""
    by_pod: dict[str, list[str]] = {}
    for name, pod in pods:
        by_pod.setdefault(pod, []).append(name)
    out = []
    for pod, names in by_pod.items():
        if len({_without_comments(texts[n]) for n in names}) > 1:
            namespace, _, name = pod.partition("/")
            # pkg/kubelet/config/common.go, generatePodName
            out.append(Rivals(Ref("Pod", namespace, f"{name}-{node.lower()}"), tuple(names)))
    return tuple(out)


def _without_comments(text: str) -> str:
    return "\n".join(
        line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    )


def _declared_pod(text: str) -> str:
    """Return `NAMESPACE/NAME` of a manifest; "" if they are not plain."""
    meta = parse_section(text, "metadata")
    name = meta.get("name", "")
    return f"{meta.get('namespace', 'default')}/{name}" if name else ""
