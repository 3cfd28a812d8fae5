"""`make facts` finds facts under any plausible name: a field's, its path's, a file's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scripts import facts

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("readyToUse", "for Reported"),
        ("spec.dataSource", "for References"),
        ("pid_max", "HostLimits  ("),
        ("pid-max", "collect/node/limits.py"),
        ("nf_conntrack", "node.conntrack-full"),
        ("spec.suspend", "Switches  ("),
    ],
)
def test_it_is_found(word: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert facts.main([word]) == 0
    assert told in capsys.readouterr().out


def test_before_a_new_fact_it_says_how_to_see_what_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert facts.main(["nobody-reads-this"]) == 0
    said = capsys.readouterr().out
    assert said.index("--show-facts") < said.index("A new fact")


def test_whoever_has_seen_enough_may_go() -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "scripts.facts"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout and started.stderr
    started.stdout.readline()
    started.stdout.close()
    said = started.stderr.read()
    assert (started.wait(), said) == (0, "")
