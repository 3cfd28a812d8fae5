"""An object of an unknown type leads to the objects in its own messages and status references."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.test_referred import NOW, asked, deployment, made
from unstuck.collect.objects import facts_of
from unstuck.facts.aspects.references import References
from unstuck.facts.core import Ref

WEB, E = Ref("Deployment", "shop", "web"), Ref("Widget.example.com", "shop", "e")


def widget(name: str, message: str, **status: Any) -> dict[str, Any]:
    said = {
        "type": "Ready",
        "status": "False",
        "reason": "Waiting",
        "message": message,
        "lastTransitionTime": "2026-11-21T00:00:00Z",
    }
    return made("example.com/v1", "Widget", name, spec={}, status={"conditions": [said], **status})


def named(one: dict[str, Any]) -> list[Ref]:
    return [r.to for f in facts_of(one, "/x", NOW) if isinstance(f, References) for r in f.items]


@pytest.mark.parametrize(
    ("message", "to"),
    [
        ("widget e is not ready", [E]),
        ("Widget 'e' reports a failure", [E]),
        ("dependency Widget shop/e has no address", [E]),
        ("WidgetSet front-1: 0 of 2", [Ref("WidgetSet.example.com", "shop", "front-1")]),
        ("deployment web is not available", [WEB]),
        ("Deployment/web-2 did not become available", [Ref("Deployment", "shop", "web-2")]),
        ("the widget e is not ready", [E]),
        ("it waits, as the widget is not ready", []),
        ("the deployment is not available yet", []),
        ("the Widget was not ready", []),
        ("WidgetSet rollout pending", []),
        ("secret key material is invalid", []),
        ("https://example.com/widget/e returned 500", []),
    ],
)
def test_what_a_sentence_names(message: str, to: list[Ref]) -> None:
    assert named(widget("d", message)) == to


def test_the_named_object_that_is_not_well_is_the_root() -> None:
    answer = asked(widget("d", "widget e is not ready"), widget("e", "the key was revoked by its owner"))
    (root,) = [c for c in answer.causes if c.consequence_of is None]
    assert root.finding.culprit.name == "e" and "the key was revoked" in root.finding.says.en


@pytest.mark.parametrize("field", ["targetRef", "targetRefs"])
def test_a_reference_in_the_status_is_followed_too(field: str) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    waits = widget("d", "waiting", **{field: target if field == "targetRef" else [target]})
    answer = asked(waits, deployment(0))
    assert named(waits) == [WEB]
    assert [c.finding.culprit.name for c in answer.causes if c.id == "reference.target-not-well"] == ["web"]


def test_what_words_alone_name_may_be_gone() -> None:
    answer = asked(widget("d", "widget e is not ready"), gone=(E,))
    assert "reference.target-missing" not in [c.id for c in answer.causes]
