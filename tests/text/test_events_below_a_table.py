"""Rows of events right below another table, pasted without their header."""

from __future__ import annotations

from tests.text.support import NOW
from unstuck.collect.text import read_text
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.core import Ref

PASTE = """NAME    READY   STATUS                       RESTARTS   AGE
web-1   0/1     CreateContainerConfigError   0          18s
19m     Warning   Failed      pod/web-2   Error: secret "db" not found
2m      Normal    Scheduled   pod/web-3   Successfully assigned shop/web-3 to n-1
"""


def test_an_age_is_nobodys_name() -> None:
    text = read_text(PASTE, "paste.txt", NOW)
    about = {f.about.name for f in text.facts if f.about.kind == "Pod"}
    assert about == {"web-1", "web-2", "web-3"}
    assert [f.error for f in text.facts if isinstance(f, Failure) and f.about == Ref("Pod", None, "web-2")]
    assert not [f for f in text.facts if isinstance(f, Phase) and f.phase == "Failed"]
