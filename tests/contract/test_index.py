"""The index agrees with the causes themselves, so that no unimported cause is missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scripts import cause_index

from tests.contract.support import Loaded, load_all
from tests.examples import FEW
from unstuck import causes
from unstuck.diagnosis.answer import Answer
from unstuck.engine import diagnose, discover, list_causes
from unstuck.engine import discover as _discover
from unstuck.engine.discover import ListedCause
from unstuck.render.explain import explain
from unstuck.render.json import write_json
from unstuck.render.text import write_text

CASES = load_all()[:: 35 if FEW else 7]


def test_the_index_is_as_the_causes_have_it() -> None:
    assert cause_index.TARGET.read_text("utf-8") == cause_index.generate(), "run `make docs`"


def test_the_same_causes_in_the_same_order() -> None:
    assert all(isinstance(c, ListedCause) for c in list_causes())
    assert [(c.id, c.title, c.subjects, c.stages, c.rule) for c in list_causes()] == [
        (c.id, c.title, c.subjects, c.stages, c.rule) for c in discover()
    ]


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_the_same_answer_whether_all_are_imported_or_not(loaded: Loaded) -> None:
    forms = []
    for known in (discover(), list_causes()):
        report = Answer(loaded.snapshot.now, (), (diagnose(loaded.case.subject, loaded.snapshot, known),))
        forms.append(
            (write_text(report, "en", 120, False), write_json(report), explain(report, "zh", 120, False))
        )
    assert forms[0] == forms[1]


def test_a_cause_that_the_index_does_not_have_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sys.modules[_discover.__module__]
    monkeypatch.setattr(found, "ASKED", {k: v for k, v in found.ASKED.items() if k != "node.gone"})
    assert [c.id for c in found.list_causes.__wrapped__()] == [c.id for c in discover()]


def test_a_cause_that_says_other_things_than_the_index_is_told() -> None:
    with pytest.raises(RuntimeError, match="make docs"):
        _ = ListedCause("node.gone", "unstuck.causes.node.gone", "Pod: stays-up: : a Node is gone").rule


def test_only_what_can_matter_is_imported() -> None:
    """A Pod that does not start: nothing of what holds a deletion is loaded for it."""
    code = (
        "import sys; from importlib.resources import files; from unstuck import api\n"
        "api.replay(str(files('unstuck') / 'demo' / 'configmap-missing.json.gz'))\n"
        "print([m for m in sys.modules if m.startswith('unstuck.causes.')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "unstuck.causes.config.configmap_missing" in done.stderr
    assert "unstuck.causes.deletion.pre_stop_running" not in done.stderr
    assert done.stderr.count("'unstuck.causes.") < sum(1 for _ in Path(causes.__path__[0]).glob("*/*.py")) / 2
