"""Clusters with a Pod to place, drawn from a seed: small, and full of reasons for rejections."""

from __future__ import annotations

from dataclasses import asdict

from tests.scheduling.generate.devices import make_devices
from tests.scheduling.generate.draw import Draw, Json
from tests.scheduling.generate.nodes import make_nodes
from tests.scheduling.generate.pods import THEMES, draw_namespaces, draw_other_pods, draw_pod_to_place
from tests.scheduling.generate.storage import make_storage

_WEIGHTS = dict(zip(THEMES, (22, 10, 14, 18, 20, 22, 26, 6, 3, 2), strict=True))


def make_case(seed: int, index: int) -> Json:
    """Return case `index` of `seed`, usually about one topic, or about several combined."""
    draw = Draw(f"{seed}/{index}")
    themes = frozenset(draw.weighted(_WEIGHTS) for _ in range(draw.weighted({1: 60, 2: 28, 3: 12})))
    nodes = make_nodes(draw)
    names = [node["metadata"]["name"] for node in nodes]
    pod = draw_pod_to_place(draw, themes)
    pods = draw_other_pods(draw, themes, names)
    case: Json = {
        "id": f"{seed}/{index}",
        "pod": pod,
        "nodes": nodes,
        "pods": pods,
        "namespaces": draw_namespaces(draw),
    }
    if "storage" in themes:
        case |= asdict(make_storage(draw, [pod, *pods], names))
    if "devices" in themes:
        case |= asdict(make_devices(draw, pod, names))
    return case
