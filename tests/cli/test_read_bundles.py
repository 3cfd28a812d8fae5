"""Answers of `unstuck read` about several paths and bundles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bundle.make import make_tar
from tests.bundle.test_again import POD, _yaml
from tests.text.support import DESCRIBE, YAML
from unstuck.cli.run import run


def test_several_paths_of_any_sort_in_one_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "pod.yaml").write_text(YAML.replace("phase: Running", "phase: Pending"))
    (tmp_path / "b.tar").write_bytes(make_tar({"x/describe": DESCRIBE.encode()}))
    (tmp_path / "note.txt").write_text("hello\n")
    paths = [str(tmp_path / n) for n in ("d", "b.tar", "note.txt")]
    assert run(["read", *paths, "--lang", "en", "--show-facts"], "unstuck") == 0
    said = capsys.readouterr()
    assert (
        "understood as json-yaml: pod.yaml:1-13" in said.out
        and "understood as describe: x/describe:1-" in said.out
    )
    assert "not understood: note.txt:1" in said.out
    assert said.err == f"nothing in {paths[2]} could be read as Kubernetes evidence\n"
    assert run(["read", *paths, "--lang", "zh"], "unstuck") in (1, 2)
    assert "no-configmap" in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_bundle_with_nothing_of_use_is_one_line(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.tar").write_bytes(make_tar({"a": b"hello\n", "b.png": b"\x89PNG\0"}))
    for path in (tmp_path / "b.tar", tmp_path):
        assert run(["read", str(path), "--lang", lang], "unstuck") == 3
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1 and "unstuck read -" in said.err


def test_what_was_passed_over_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(_yaml({"apiVersion": "v1", "items": [POD], "kind": "List"}))
    (tmp_path / "b.yaml").write_text(_yaml(POD))
    assert run(["read", str(tmp_path), "--show-facts", "--lang", "en"], "unstuck") == 0
    out = capsys.readouterr().out
    assert (
        "understood as json-yaml: a.yaml:1-" in out
        and "as it stands elsewhere word for word: b.yaml:1-" in out
    )
