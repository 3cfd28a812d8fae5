"""Changes since such Pods were last scheduled stand below the causes, in both languages and in JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from unstuck.diagnosis.answer import Answer, Diagnosis, State
from unstuck.diagnosis.text import Text
from unstuck.facts.core import Ref
from unstuck.render.json import write_json
from unstuck.render.text import write_text

AT = datetime(2026, 11, 21, 3, tzinfo=UTC)
POD = Ref("Pod", "shop", "web-1")
CHANGES = (
    Text("3 of 3 Nodes were made since", "3 个节点均为新建"),
    Text("no Node carries type=m5 any more", "已没有节点带有 type=m5"),
)


def report(changed: tuple[Text, ...]) -> Answer:
    state = State("stuck", Text("Pod shop/web-1 is not up", "Pod shop/web-1 未正常运行"))
    return Answer(AT, ("live:x",), (Diagnosis(POD, state, (), (), (), (), changed=changed),))


def test_each_change_is_a_line_under_one_word() -> None:
    shown = write_text(report(CHANGES), "en", 120, colour=False).splitlines()
    first = next(i for i, row in enumerate(shown) if row.strip().startswith("CHANGED"))
    assert shown[first].endswith("3 of 3 Nodes were made since")
    assert shown[first + 1].strip() == "no Node carries type=m5 any more"
    assert "变化" in write_text(report(CHANGES), "zh", 120, colour=False)


def test_nothing_is_said_where_nothing_changed() -> None:
    assert "CHANGED" not in write_text(report(()), "en", 120, colour=False)
    assert "changed" not in json.loads(write_json(report(())))["diagnoses"][0]


def test_json_has_both_languages() -> None:
    told = json.loads(write_json(report(CHANGES)))["diagnoses"][0]["changed"]
    assert told == [{"en": c.en, "zh": c.zh} for c in CHANGES]
