"""Selectors over labels and nodes, including contradictory and half-parsable ones."""

from __future__ import annotations

from tests.scheduling.generate.draw import Draw, Json
from tests.scheduling.generate.nodes import HOST, NAMES, ZONE

APP, TIER = "app", "tier"
VALUES = {APP: ("web", "db", "cache"), TIER: ("front", "back")}
NAMESPACES = ("default", "team-a", "team-b")


def draw_pod_labels(draw: Draw) -> dict[str, str]:
    labels = {APP: draw.weighted({"web": 55, "db": 25, "cache": 20})} if draw.chance(85) else {}
    if draw.chance(50):
        labels[TIER] = draw.pick(VALUES[TIER])
    if draw.chance(25):
        labels["pod-template-hash"] = draw.pick(("h1", "h2"))
    return labels


def draw_label_selector(draw: Draw) -> Json | None:
    """Draw a label selector; None selects nothing, {} everything."""
    kind = draw.weighted({"labels": 50, "expressions": 33, "both": 7, "all": 6, "none": 4})
    if kind == "none":
        return None
    made: Json = {}
    if kind in ("labels", "both"):
        made["matchLabels"] = {key: draw.pick(VALUES[key]) for key in draw.some((APP, TIER), 1, 2)}
    if kind in ("expressions", "both"):
        made["matchExpressions"] = [_draw_requirement(draw) for _ in range(draw.number(1, 2))]
    return made


def draw_broken_selector() -> Json:
    """Draw a selector with a value that the API server accepts only on objects that already have it, and that
    the scheduler cannot read.
    """
    return {"matchLabels": {APP: "no good!"}}


def _draw_requirement(draw: Draw) -> Json:
    key = draw.pick((APP, TIER, "missing"))
    operator = draw.pick(("In", "In", "NotIn", "Exists", "DoesNotExist"))
    made: Json = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        made["values"] = draw.some(VALUES.get(key, ("x", "y")), 1, 2)
    return made


def draw_namespace_selector(draw: Draw) -> Json:
    return draw.pick(
        (
            {},
            {"matchLabels": {"team": "a"}},
            {"matchExpressions": [{"key": "team", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]},
            {"matchLabels": {"kubernetes.io/metadata.name": "team-b"}},
        )
    )


def draw_node_terms(draw: Draw, fields: float = 15) -> list[Json]:
    """Draw `nodeSelectorTerms`: ORed; an empty term matches nothing."""
    return [_draw_node_term(draw, fields) for _ in range(draw.weighted({1: 65, 2: 30, 3: 5}))]


def _draw_node_term(draw: Draw, fields: float) -> Json:
    made: Json = {}
    if draw.chance(fields):
        made["matchFields"] = [_draw_field_requirement(draw) for _ in range(draw.weighted({1: 85, 2: 15}))]
        if draw.chance(60):
            return made
    if not draw.chance(4):
        made["matchExpressions"] = [
            draw_node_requirement(draw) for _ in range(draw.weighted({1: 70, 2: 25, 3: 5}))
        ]
    return made


def _draw_field_requirement(draw: Draw) -> Json:
    values = [draw.pick((*NAMES, "gone"))]
    return {"key": "metadata.name", "operator": draw.weighted({"In": 85, "NotIn": 15}), "values": values}


def draw_node_requirement(draw: Draw) -> Json:
    key = draw.weighted({ZONE: 30, "disk": 25, "size": 20, HOST: 15, "missing": 5, "rack": 5})
    if key == "size":
        operator = draw.pick(("Gt", "Lt", "In", "Exists"))
    else:
        operator = draw.weighted({"In": 55, "NotIn": 20, "Exists": 10, "DoesNotExist": 10, "Gt": 3, "Lt": 2})
    made: Json = {"key": key, "operator": operator}
    domain = {
        ZONE: ("a", "b", "c"),
        "disk": ("ssd", "hdd"),
        "size": ("4", "8", "x"),
        HOST: NAMES,
        "rack": ("k1", "k2"),
    }.get(key, ("v",))
    if operator in ("Gt", "Lt"):
        # A non-numeric bound passes the API server's validation.
        made["values"] = [draw.weighted({"5": 40, "8": 30, "-1": 20, "many": 10})]
    elif operator in ("In", "NotIn"):
        made["values"] = ["no good!"] if draw.chance(2) else draw.some(domain, 1, 2)
    return made
