"""The shortlist of open causes, and the deciding evidence, are the same in every format."""

from __future__ import annotations

import pytest

from tests.render.support import make_deleted_pod, make_denied, make_snapshot, report
from unstuck.facts.aspects.objects import Phase
from unstuck.render.html import write_html
from unstuck.render.json import make_document
from unstuck.render.markdown import write_markdown
from unstuck.render.text import write_text
from unstuck.render.words import Lang

# A Pod with a slow deletion; the deciding evidence is on its node.
REPORT = report(make_snapshot(*(f for f in make_deleted_pod() if not isinstance(f, Phase)), make_denied()))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_open_cause_and_each_look_stands_in_every_format(lang: Lang) -> None:
    (diagnosis,) = make_document(REPORT)["diagnoses"]
    told = diagnosis["shortlist"]
    ids = [i for place in told["places"] for i in place["causes"]]
    looks = [" ".join(look["command"]) for look in told["looks"]]
    assert ids and looks
    asked = [" ".join(one["command"]) for one in diagnosis["next"]]
    shown = write_text(REPORT, lang, 200, colour=False)
    assert asked and [i for i in ids if i not in shown] == [] == [one for one in asked if one not in shown]
    for page in (write_html(REPORT, lang), write_markdown(REPORT, lang)):
        bare = page.replace("\\", "").replace("&#x27;", "'")
        assert [i for i in ids if i not in bare] == []
        assert [one for one in asked if one not in bare] == []


def test_those_told_are_open_and_the_others_are_counted() -> None:
    (diagnosis,) = make_document(REPORT)["diagnoses"]
    told = [i for place in diagnosis["shortlist"]["places"] for i in place["causes"]]
    assert {*told} <= {one["id"] for one in diagnosis["undecided"]}
    assert len(told) + diagnosis["shortlist"]["more"] <= len(diagnosis["undecided"])
