"""`make wording-check`: a word missing from a pattern's source is reported, and so is a missing source."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import wording_check


def test_without_the_source_it_says_where_it_comes_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wording_check.main([str(tmp_path)]) == 2
    assert "unstuck-lab setup" in capsys.readouterr().err


def test_each_place_that_is_not_there_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = tmp_path / "k8s.io/kubernetes@v1.34.9/pkg/kubelet/images"
    images.mkdir(parents=True)
    (images / "helpers.go").write_text(
        'package images\n\n// pull QPS exceeded\nconst x = "pull rate exceeded"\n'
    )
    assert wording_check.main([str(tmp_path)]) == 1
    *lines, counts = capsys.readouterr().out.splitlines()
    (helpers,) = (line for line in lines if "images/helpers.go" in line)
    assert helpers.endswith("none of pull qps exceeded in its strings"), "a comment is no string"
    assert len(lines) > 50 and counts.endswith(f"{len(lines)} not found")


def test_words_around_what_a_verb_stands_for_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prober = tmp_path / "k8s.io/kubernetes@v1.34.9/pkg/kubelet/prober"
    prober.mkdir(parents=True)
    (prober / "prober.go").write_text('package prober\n\nconst x = "%s probe failed: %s"\n')
    (prober / "prober_manager.go").write_text('package prober\n\nconst y = "Liveness"\n')
    wording_check.main([str(tmp_path)])
    told = [line for line in capsys.readouterr().out.splitlines() if "prober_manager.go" in line]
    assert [line.split(" ")[0] for line in told] == ["'Readiness", "'Startup"]
