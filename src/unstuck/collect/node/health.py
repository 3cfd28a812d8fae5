"""The kubelet's own answers on this node: `/healthz?verbose` on its local port, and its read-only port if
that is on.

Both are asked only from the kubelet's own network namespace. Source: cmd/kubelet/app/options (10248, 10255).
"""

from __future__ import annotations

from collections.abc import Callable

from unstuck.collect.kubelet import reduce
from unstuck.collect.node.kubelet import dial_address
from unstuck.collect.node.net import fetch
from unstuck.collect.node.network_tools import is_own_network
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.kubelet import KubeletHealth, KubeletMetrics, KubeletPod, KubeletPods
from unstuck.facts.core import Ref, Source

_SECONDS = 1.0
_SMALL = 1 << 20
_LARGE = 64 << 20


def health(view: NodeView) -> KubeletHealth | None:
    """Return its checks; None if it cannot be asked from here. Silence until the deadline is an answer."""
    target = view.kubelet.healthz
    if target is None or not _is_own_network(view):
        return None
    parts: list[bytes] = []
    status = fetch(*target, "/healthz?verbose", _SECONDS, parts.append, _SMALL)
    if status is None:
        return None
    found = reduce.checks(b"".join(parts).decode("utf-8", "replace"))
    failed = ", ".join(name for name, ok in found if not ok)
    quote = "no reply" if status == 0 else "ok" if status == 200 else f"{status} {failed}".strip()
    return KubeletHealth(
        about=view.ref,
        src=Source(f"{view.name} http://{target[0]}:{target[1]}/healthz?verbose", quote),
        answered=status != 0,
        ok=status == 200,
        checks=found,
    )


def pods(view: NodeView) -> KubeletPods | None:
    """Return its own list of Pods, if the read-only port is on."""
    listed = reduce.PodList()
    where = _ask(view, "/pods", listed.take)
    if where is None or not (listed.whole or listed.items):
        return None
    items = tuple(sorted(listed.items, key=lambda i: i.pod.key))
    return KubeletPods(
        about=view.ref,
        src=Source(f"{view.name} {where}", f"{len(items)} Pods"),
        whole=listed.whole,
        items=items,
    )


def pod(view: NodeView, about: Ref) -> KubeletPod | None:
    """Return one Pod in that list."""
    listed = pods(view)
    if listed is None:
        return None
    found = next((i for i in listed.items if i.pod.uid == about.uid), None)
    if found is None:
        return KubeletPod(about=about, src=listed.src, listed=False) if listed.whole else None
    return KubeletPod(
        about=about,
        src=listed.src,
        listed=True,
        phase=found.phase,
        deleting=found.deleting,
        static=found.static,
    )


def metrics(view: NodeView) -> KubeletMetrics | None:
    """Return its useful series, if the read-only port is on."""
    samples = reduce.Samples()
    where = _ask(view, "/metrics", samples.take)
    return (
        KubeletMetrics(about=view.ref, src=Source(f"{view.name} {where}"), items=samples.items)
        if where
        else None
    )


def _ask(view: NodeView, path: str, take: Callable[[bytes], None]) -> str | None:
    """Return the place it was read from, None if it was not read."""
    port = view.kubelet.settings.get("read-only-port", "readOnlyPort", "0")
    if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536) or not _is_own_network(view):
        return None
    address = view.kubelet.settings.get("address", "address", "")
    host = dial_address(address)
    try:
        status = fetch(host, int(port), path, _SECONDS, take, _LARGE)
    except ValueError:
        return None
    return f"http://{host}:{port}{path}" if status == 200 else None


def _is_own_network(view: NodeView) -> bool:
    return view.root.live and is_own_network(view)
