"""An object that refuses by several rules: each of its refusals is told in its incident."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.test_incidents import told
from unstuck.diagnosis.text import Text
from unstuck.engine.other_troubles import tell_other_troubles
from unstuck.facts.core import Ref
from unstuck.facts.record import replace

RULES = Ref("LimitRange", "shop", "rules")
WEB, DB = Ref("Deployment", "shop", "web"), Ref("StatefulSet", "shop", "db")


def refused(says: str, culprit: Ref = RULES) -> Any:
    one = told("admission.limit-range", culprit)
    return replace(one, finding=replace(one.finding, says=Text(says, says)))


def test_another_rule_of_the_same_object_is_told_with_whom_it_refuses() -> None:
    root, other = refused("rules refuses web: cpu above 4"), refused("rules refuses db: less than 10Gi")
    assert "db: less than 10Gi" in tell_other_troubles(root, [(WEB, root), (DB, other)]).en


@pytest.mark.parametrize("culprit", [RULES, Ref("Node", None, "n")])
def test_the_same_rule_is_told_once(culprit: Ref) -> None:
    root = refused("rules refuses web: cpu is 5, above 4", culprit)
    other = refused("rules refuses db: cpu is 7, above 4", culprit)
    assert not tell_other_troubles(root, [(WEB, root), (DB, other)]).en
