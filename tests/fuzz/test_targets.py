"""Every parser survives a first round of mutated real texts; the long run is `python -m tests.fuzz`."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from types import FrameType

import pytest

from tests.fuzz.targets import TARGETS, list_corpus, list_mutations
from tests.text.formats import SAMPLES
from unstuck.collect import bundle, text

pytestmark = pytest.mark.slow

ROUND = 120


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_mutated_texts_raise_nothing(name: str) -> None:
    for data in islice(list_mutations(7, list_corpus()), ROUND):
        TARGETS[name](data)


# Targets for facts, not for foreign bytes.
_WRITERS = {"bundle/write.py"}


def test_every_parser_has_a_target() -> None:
    """A function of each module that reads texts or bundles runs in some target: none is left out of the
    long run.
    """
    ran = set[str]()

    def seen(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            ran.add(frame.f_code.co_filename)

    inputs = [sample.encode() for sample in SAMPLES.values()]
    for name, run in TARGETS.items():
        if not name.startswith(("node-", "runtime-", "script-")):
            sys.setprofile(seen)
            try:
                for data in inputs:
                    run(data)
            finally:
                sys.setprofile(None)
    modules = [path for package in (text, bundle) for path in sorted(Path(package.__path__[0]).glob("*.py"))]
    left = {
        f"{path.parent.name}/{path.name}"
        for path in modules
        if str(path) not in ran and "def " in path.read_text("utf-8")
    }
    assert left - _WRITERS == set()
