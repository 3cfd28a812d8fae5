"""Deciding commands only read: no printed question changes the cluster."""

from __future__ import annotations

import re

import pytest

from unstuck.causes.apiserver.object_undecodable import parse_object_path
from unstuck.facts.codec import find_fact_types

READING = {"get", "describe", "logs", "version", "top", "auth", "api-resources", "api-versions", "explain"}
ASKS = {name: kind.ask for name, kind in find_fact_types().items() if kind.ask}


def test_there_are_questions() -> None:
    assert len(ASKS) > 60


@pytest.mark.parametrize("name", ASKS)
def test_a_question_changes_nothing(name: str) -> None:
    for verb, rest in re.findall(r"kubectl ([a-z-]+)([^;|]*)", ASKS[name]):
        assert verb in READING or (verb == "patch" and "--dry-run=server" in rest), ASKS[name]


@pytest.mark.parametrize(
    ("asked", "name", "path"),
    [
        ("/api/v1/namespaces/shop/secrets", "db", "/api/v1/namespaces/shop/secrets/db"),
        ("/api/v1/namespaces/shop/secrets", "secrets", "/api/v1/namespaces/shop/secrets/secrets"),
        ("/api/v1/namespaces/shop/secrets/secrets", "secrets", "/api/v1/namespaces/shop/secrets/secrets"),
        ("/api/v1/namespaces/namespaces", "namespaces", "/api/v1/namespaces/namespaces"),
        (
            "/apis/apps/v1/namespaces/shop/deployments/web",
            "web",
            "/apis/apps/v1/namespaces/shop/deployments/web",
        ),
        ("/apis/apps/v1/namespaces/shop/deployments/web", "other", None),
        ("/api/v1/secrets/a/b/c/d/e", "e", None),
        ("/version", "version", None),
    ],
)
def test_an_object_that_is_called_like_its_type_is_no_list(asked: str, name: str, path: str | None) -> None:
    assert parse_object_path(asked, name) == path
