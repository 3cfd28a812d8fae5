"""The readers' rights: each API fact type declares its own, and the chart's rules are generated from them."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from scripts import rbac

from unstuck.collect.kube.collector import _ANSWERERS
from unstuck.collect.kube.rights import RIGHTS, Right, rules, subject_rights
from unstuck.engine import discover

CHART = Path(__file__).parents[2] / "charts" / "unstuck"


def chart_rules() -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = yaml.safe_load(
        (CHART / "files" / "reader-rules.yaml").read_text("utf-8")
    )
    return found


def test_every_fact_type_that_the_api_answers_has_its_rights() -> None:
    assert set(_ANSWERERS) == set(RIGHTS)


def test_the_charts_rules_are_those_generated() -> None:
    assert (CHART / "files" / "reader-rules.yaml").read_text("utf-8") == rbac.generate()


def test_nothing_but_reading_is_granted_and_no_list_of_secrets() -> None:
    for rule in chart_rules():
        assert set(rule["verbs"]) <= {"get", "list"}
        assert not {"*", "nodes/proxy"} & {*rule["resources"], *rule["apiGroups"]}
        if "secrets" in rule["resources"]:
            # A separate rule, so that the chart can omit it.
            assert (rule["resources"], rule["verbs"]) == (["secrets"], ["get"])


def test_secrets_are_read_only_because_causes_want_their_keys() -> None:
    wanting = {c.id for c in discover() for f in c.reads if Right("", "secrets", "get") in RIGHTS.get(f, ())}
    assert {"config.secret-missing", "config.key-missing"} <= wanting


def test_rules_grant_exactly_what_was_put_in() -> None:
    rights = subject_rights(["Pod", "Node"]) | {
        Right("apps", "deployments", "list"),
        Right("", "secrets", "get"),
        Right("", "pods", "list"),
    }
    found = rules(rights)
    granted = {
        (g, r, v)
        for rule in found
        for g in rule["apiGroups"]
        for r in rule["resources"]
        for v in rule["verbs"]
    }
    assert granted == {(r.group, r.resource, r.verb) for r in rights}
    assert json.dumps(found) == json.dumps(rules(sorted(rights, reverse=True)))
