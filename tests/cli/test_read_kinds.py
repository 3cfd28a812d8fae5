"""`read` identifies a text without evidence, and proposes a useful one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.test_text_kinds import SAMPLES
from unstuck.api.text_kinds import recognise
from unstuck.api.unread import run_next
from unstuck.cli.run import run


# Texts with evidence for a reader are answered, and need no kind.
@pytest.mark.parametrize(
    "id_",
    ["helm", "java-stack", "access-log", "terraform", "manifest", "sentences", "commands", "python-source"],
)
@pytest.mark.parametrize(
    ("lang", "nothing"), [("en", "could be read as Kubernetes evidence"), ("zh", "没有任何内容")]
)
def test_it_is_said_what_it_is_and_what_would_be_useful(
    id_: str, lang: str, nothing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(SAMPLES[id_])
    assert run(["read", str(file), "--lang", lang], "unstuck") == 3
    out, err = capsys.readouterr()
    found = recognise(SAMPLES[id_])
    assert found is not None and out == "" and len(err.splitlines()) == 1
    useful = run_next(SAMPLES[id_], found) or found.useful
    assert nothing in err and getattr(found.what, lang) in err and getattr(useful, lang) in err


def test_what_has_an_effect_only_through_others_does_not_look_fine_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n"
        'metadata: {name: few, uid: u-1, creationTimestamp: "2026-11-20T00:00:00Z"}\n'
        'spec: {validations: [{expression: "true"}]}\n'
    )
    assert run(["read", str(file)], "unstuck") == 3
    out, err = capsys.readouterr()
    assert out == "" and "tells of an object whether it is well" in err
