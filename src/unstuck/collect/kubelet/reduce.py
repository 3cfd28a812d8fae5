"""Reduces the kubelet's answers as they arrive: no environment, argument or value of a Pod is ever kept.

Sources: pkg/kubelet/server/server.go (`/pods`), pkg/kubelet/metrics, pkg/kubelet/volumemanager/metrics,
pkg/volume/util/metrics.go, k8s.io/apiserver/pkg/server/healthz.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from unstuck.facts.aspects.kubelet import KubeletConfig, Listed, Series
from unstuck.facts.codec import parse_time
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_MAX_POD = 4 << 20
_MAX_PODS = 2_000
_MAX_LINE = 4096
_MAX_SERIES = 400
_SOURCE = "kubernetes.io/config.source"
_WANTED = (
    "kubelet_working_pods",
    "kubelet_desired_pods",
    "kubelet_active_pods",
    "kubelet_mirror_pods",
    "kubelet_orphan_pod_cleaned_volumes_errors",
    "kubelet_orphaned_runtime_pods_total",
    "kubelet_pleg_last_seen_seconds",
    "kubelet_running_pods",
    "kubelet_running_containers",
    "kubelet_runtime_operations_errors_total",
    "kubelet_certificate_manager_client_ttl_seconds",
    "kubelet_certificate_manager_server_ttl_seconds",
    "kubelet_certificate_manager_client_expiration_renew_errors",
    "kubelet_evictions",
    "storage_operation_duration_seconds_count",
    "volume_manager_total_volumes",
    "reconstruct_volume_operations_errors_total",
    "force_cleaned_failed_volume_operation_errors_total",
    "kubernetes_build_info",
    "process_start_time_seconds",
)
_KEPT_LABELS = {
    "lifecycle",
    "config",
    "static",
    "operation_name",
    "operation_type",
    "status",
    "volume_plugin",
    "plugin_name",
    "state",
    "container_state",
    "eviction_signal",
    "git_version",
}
_SAMPLE = regex(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+0-9.eEInfNa]{1,32})(?: \d+)?$")
_LABEL = regex(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
_CHECK = regex(r"^\[([+-])\]([\w./-]{1,100}) ")


class PodList:
    """Reads a PodList part by part and keeps the fields of `Listed` for each Pod; only one Pod's JSON is in
    memory at a time.
    """

    def __init__(self) -> None:
        self.items: list[Listed] = []
        self.whole = False
        self._text = ""
        self._rest = b""
        self._inside = False
        self._decoder = json.JSONDecoder()

    def take(self, part: bytes) -> None:
        """Take the next part of the answer. Errors: ValueError if it is not a PodList, or a Pod is larger
        than 4 MiB.
        """
        data = self._rest + part
        cut = _whole_characters(data)
        self._rest = data[cut:]
        self._text += data[:cut].decode("utf-8", "replace")
        if not self._inside:
            self._find_items()
        while self._inside and not self.whole and self._one():
            pass
        if len(self._text) > _MAX_POD:
            raise ValueError("no list of Pods")

    def _find_items(self) -> None:
        found = re.search(r'"items"\s*:\s*(\[|null)', self._text)
        if found:
            self._inside = found[1] == "["
            self.whole = not self._inside
            self._text = self._text[found.end() :]

    def _one(self) -> bool:
        """Take one Pod off the text; False if no complete one is there yet."""
        self._text = self._text.lstrip(" \t\r\n,")
        if self._text.startswith("]"):
            self.whole, self._text = True, ""
            return False
        try:
            doc, end = self._decoder.raw_decode(self._text)
        except (ValueError, RecursionError):
            return False
        self._text = self._text[end:]
        if isinstance(doc, dict) and len(self.items) < _MAX_PODS and (listed := _listed(doc)):
            self.items.append(listed)
        return True


def _whole_characters(data: bytes) -> int:
    """Return where the last whole character ends."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return len(data)
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= need else len(data) - back
    return len(data)


def _listed(doc: Mapping[str, Any]) -> Listed | None:
    meta, status = _map(doc, "metadata"), _map(doc, "status")
    name, uid = meta.get("name"), meta.get("uid")
    if not isinstance(name, str) or not isinstance(uid, str):
        return None
    source = _map(meta, "annotations").get(_SOURCE)
    within = meta.get("namespace")
    return Listed(
        Ref("Pod", within if isinstance(within, str) else None, name, uid),
        str(status.get("phase") or ""),
        parse_time(meta.get("deletionTimestamp")),
        static=source in ("file", "http"),
    )


def _map(doc: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = doc.get(key)
    return value if isinstance(value, dict) else {}


class Samples:
    """Reads the exposition format line by line and keeps the series that explain a kubelet's waits."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self._rest = b""
        self._skip = False

    @property
    def items(self) -> tuple[Series, ...]:
        """The samples with a value other than 0, in a fixed order; samples that differ only in dropped labels
        are summed.
        """
        kept = sorted((name, labels, value) for (name, labels), value in self._found.items() if value)
        return tuple(Series(name, value, labels) for name, labels, value in kept[:_MAX_SERIES])

    def take(self, part: bytes) -> None:
        """Take the next part of the answer; over-long lines are left out."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        if self._skip and lines:
            lines, self._skip = lines[1:], False
        if len(self._rest) > _MAX_LINE:
            self._rest, self._skip = b"", True
        for line in lines:
            if line.startswith(_STARTS) and len(line) <= _MAX_LINE:
                self._keep(line.decode("utf-8", "replace"))

    def _keep(self, line: str) -> None:
        found = _SAMPLE.match(line)
        if not found or found[1] not in _WANTED:
            return
        labels = tuple(sorted((k, v[:200]) for k, v in _LABEL.findall(found[2] or "") if k in _KEPT_LABELS))
        try:
            value = float(found[3])
        except ValueError:
            return
        if math.isfinite(value):
            key = (found[1], labels)
            self._found[key] = self._found.get(key, 0.0) + value


_STARTS = tuple(w.encode() for w in _WANTED)


def checks(text: str) -> tuple[tuple[str, bool], ...]:
    """Return `[+]ping ok`, `[-]syncloop failed: reason withheld` → (name, passed)."""
    return tuple((m[2], m[1] == "+") for line in text.splitlines()[:200] if (m := _CHECK.match(line)))


def config(doc: object, about: Ref, src: Source) -> KubeletConfig | None:
    """Return the configuration in a `/configz` answer or a KubeletConfiguration; None for other documents."""
    inner = doc.get("kubeletconfig", doc) if isinstance(doc, dict) else None
    if not isinstance(inner, dict) or not (
        {"cgroupDriver", "containerRuntimeEndpoint", "evictionHard", "staticPodPath"} & set(inner)
    ):
        return None
    low, high = inner.get("imageGCLowThresholdPercent"), inner.get("imageGCHighThresholdPercent")
    logging = _map(inner, "logging").get("verbosity")
    return KubeletConfig(
        about=about,
        src=src,
        cgroup_driver=_word(inner, "cgroupDriver"),
        cgroup_root=_word(inner, "cgroupRoot"),
        pod_logs_dir=_word(inner, "podLogsDir"),
        static_pod_path=_word(inner, "staticPodPath"),
        runtime_endpoint=_word(inner, "containerRuntimeEndpoint"),
        server_tls_bootstrap=_flag(inner, "serverTLSBootstrap"),
        rotate_certificates=_flag(inner, "rotateCertificates"),
        read_only_port=_number(inner, "readOnlyPort") or 0,
        max_pods=_number(inner, "maxPods"),
        fail_swap_on=_flag(inner, "failSwapOn"),
        image_gc=(low, high) if isinstance(low, int) and isinstance(high, int) else None,
        eviction_hard=tuple(_list_pairs(_map(inner, "evictionHard"))),
        eviction_soft=tuple(_list_pairs(_map(inner, "evictionSoft"))),
        verbosity=logging if isinstance(logging, int) else None,
        paths=tuple(
            (k[:100], v)
            for k, v in sorted(inner.items())
            if isinstance(v, str) and v.startswith("/") and len(v) <= 4096
        )[:50],
    )


def _word(doc: Mapping[str, Any], key: str) -> str:
    value = doc.get(key)
    return value[:4096] if isinstance(value, str) else ""


def _flag(doc: Mapping[str, Any], key: str) -> bool | None:
    value = doc.get(key)
    return value if isinstance(value, bool) else None


def _number(doc: Mapping[str, Any], key: str) -> int | None:
    value = doc.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list_pairs(doc: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in sorted(doc)[:50]:
        if isinstance(doc[key], str):
            yield str(key)[:100], doc[key][:100]
