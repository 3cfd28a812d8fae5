"""Requirements of Pods for neighbouring Pods: spread, affinity and anti-affinity."""

from __future__ import annotations

from tests.scheduling.generate.draw import Draw, Json, put
from tests.scheduling.generate.nodes import HOST, ZONE
from tests.scheduling.generate.selectors import (
    APP,
    NAMESPACES,
    TIER,
    draw_broken_selector,
    draw_label_selector,
    draw_namespace_selector,
)

_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def spread_constraints(draw: Draw, labels: dict[str, str]) -> list[Json]:
    keys = draw.some((ZONE, HOST, "rack"), 1, 2)
    return [_draw_constraint(draw, key, labels) for key in keys]


def _draw_constraint(draw: Draw, key: str, labels: dict[str, str]) -> Json:
    when = draw.weighted({"DoNotSchedule": 85, "ScheduleAnyway": 15})
    made: Json = {
        "topologyKey": key,
        "maxSkew": draw.weighted({1: 75, 2: 20, 3: 5}),
        "whenUnsatisfiable": when,
    }
    selector = (
        {"matchLabels": {APP: labels[APP]}}
        if APP in labels and draw.chance(60)
        else draw_label_selector(draw)
    )
    if draw.chance(1):
        selector = draw_broken_selector()
    put(made, labelSelector=selector)
    if when == "DoNotSchedule" and draw.chance(25):
        made["minDomains"] = draw.number(1, 4)
    if draw.chance(35):
        made["nodeAffinityPolicy"] = draw.pick(("Honor", "Ignore"))
    if draw.chance(35):
        made["nodeTaintsPolicy"] = draw.pick(("Honor", "Ignore"))
    if selector is not None and draw.chance(15):
        made["matchLabelKeys"] = [draw.pick(("pod-template-hash", TIER, "missing"))]
    return made


def draw_affinity_terms(draw: Draw, labels: dict[str, str]) -> Json:
    made: Json = {}
    for kind, percent in (("podAffinity", 50), ("podAntiAffinity", 55)):
        if not draw.chance(percent):
            continue
        if draw.chance(85):
            made[kind] = {_REQUIRED: [_draw_term(draw, labels) for _ in range(draw.weighted({1: 75, 2: 25}))]}
        else:
            made[kind] = {_PREFERRED: [{"weight": 1, "podAffinityTerm": _draw_term(draw, labels)}]}
    return made


def _draw_term(draw: Draw, labels: dict[str, str]) -> Json:
    made: Json = {"topologyKey": draw.weighted({ZONE: 45, HOST: 40, "rack": 10, "missing": 5})}
    selector = draw_label_selector(draw)
    if draw.chance(1):
        selector = draw_broken_selector()
    if selector is not None and draw.chance(12):
        selector = _merge_label_keys(draw, made, selector, labels)
    put(made, labelSelector=selector)
    if draw.chance(20):
        made["namespaces"] = draw.some(NAMESPACES, 1, 2)
    if draw.chance(20):
        made["namespaceSelector"] = draw_namespace_selector(draw)
    return made


def _merge_label_keys(draw: Draw, term: Json, selector: Json, labels: dict[str, str]) -> Json:
    """Merge label keys like the API server, which writes the Pod's own values into the selector at
    creation.
    """
    key = draw.pick((TIER, "pod-template-hash"))
    field, operator = draw.pick((("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")))
    term[field] = [key]
    if key not in labels:
        return selector
    added = {"key": key, "operator": operator, "values": [labels[key]]}
    return {**selector, "matchExpressions": [*selector.get("matchExpressions", ()), added]}
