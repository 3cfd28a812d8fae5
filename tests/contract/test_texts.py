"""The promises of every cause to its readers: three files, both languages with the same names and numbers,
stated risks, an action.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from tests.contract.support import Loaded, judge_case, load_all
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Match
from unstuck.engine import discover
from unstuck.engine.discover import locate_module, read_chinese_page
from unstuck.engine.reads import LookupLog, Reads
from unstuck.facts.core import Ref, Refused, Same
from unstuck.facts.vocabulary.stages import EndStage, NamespaceStage, StartStage
from unstuck.render.placeholders import find_placeholders

CAUSES = discover()
IDS = [c.id for c in CAUSES]
CASES = load_all()
NAMES = [c.name for c in CASES]
ENGLISH = ("How it happens", "How to tell", "Known limits", "References")
CHINESE = ("成因", "如何判断", "已知局限", "参考")
# Words of iptables that look like placeholders.
CHAINS = ("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "ACCEPT", "DROP", "KUBE-MARK-DROP")
STAGES = {*get_args(StartStage), *get_args(EndStage), *get_args(NamespaceStage)}
# Irreversible actions.
ENDS_FOR_GOOD = re.compile(
    r"\bumount\b|/sys/fs/fuse/connections|\bkubectl delete pod\b(?!.*--dry-run)"
    r"|node\.kubernetes\.io/out-of-service\S*:\w"
)
# The wordings of a step's cost; a new wording is added here.
TOLD = {
    "loses-data": re.compile(r"\b(lost|loses?|never|stays?|left behind|runs? on|deleted|overwritten)\b"),
    "disrupts": re.compile(
        r"\b(stops?|down|interrupted|restarts?|ends?|delete|deletes|evicts?|moves?|away|meanwhile|again"
        r"|recreated|nothing uses"
        r"|no longer|misses|come back)\b"
    ),
}


def _page(cause: Cause) -> Path:
    return locate_module(cause).with_suffix(".zh.md")


def _module(cause: Cause) -> ModuleType:
    return sys.modules[cause.rule.__module__]


@pytest.mark.parametrize("cause", CAUSES, ids=IDS)
def test_files_and_name(cause: Cause) -> None:
    path = locate_module(cause)
    assert path.parent.name == cause.family
    assert path.stem == cause.id.partition(".")[2].replace("-", "_")
    assert _page(cause).is_file() and path.with_suffix(".cases.md").is_file()
    assert cause.title.en and cause.title.zh
    assert set(cause.stages) <= STAGES
    assert cause.subjects


@pytest.mark.parametrize("cause", CAUSES, ids=IDS)
def test_nothing_of_the_scaffold_is_left(cause: Cause) -> None:
    for path in (locate_module(cause), _page(cause), locate_module(cause).with_suffix(".cases.md")):
        assert "REPLACE" not in path.read_text("utf-8"), path.name


@pytest.mark.parametrize("cause", CAUSES, ids=IDS)
def test_pages_have_the_same_headings(cause: Cause) -> None:
    english = inspect.cleandoc(_module(cause).__doc__ or "")
    chinese = read_chinese_page(cause)
    assert tuple(re.findall(r"^## (.+)$", english, re.M)) == ENGLISH
    assert tuple(re.findall(r"^## (.+)$", chinese, re.M)) == CHINESE, "before 译文"
    assert english.splitlines()[0] and re.match(r"# \S", chinese)
    for page in (english, chinese):
        for section in re.split(r"^## .+$", page, flags=re.M)[1:]:
            assert section.strip()


@pytest.mark.parametrize("cause", CAUSES, ids=IDS)
def test_cases_of_each_sort(cause: Cause) -> None:
    mine = [c.case for c in CASES if c.cause is cause]
    # A cause that cannot be proven afterwards states that on its page.
    never = "never more than possible" in " ".join((_module(cause).__doc__ or "").split())
    assert never or any(c.expect in ("proven", "likely") for c in mine), "a match"
    assert any(c.kind == "near miss" for c in mine), "a near miss"
    assert any(c.expect in ("undecided", "possible") for c in mine), "an undecided one"


# tests/contract/test_cases.py checks that exactly these are matches.
MATCHES = [c for c in CASES if c.case.expect in ("proven", "likely")]


def _texts(value: object) -> Iterator[Text]:
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value) and not isinstance(value, type | Ref):
        for f in fields(value):
            yield from _texts(getattr(value, f.name))


def _named(text: str) -> frozenset[str]:
    """Return numbers, paths and names with a symbol inside, which both languages must quote alike."""
    words = (w.strip(".:,;-") for w in re.findall(r"[A-Za-z0-9_~@%+=:./-]+", text))
    return frozenset(w for w in words if re.search(r"\d|[^/]/[^/]|^/\w|\w[._~]\w", w))


@pytest.mark.parametrize("loaded", MATCHES, ids=[m.name for m in MATCHES])
def test_what_a_match_says(loaded: Loaded) -> None:
    verdict = judge_case(loaded.cause, loaded.subject, loaded.snapshot)
    assert isinstance(verdict, Match)
    finding = verdict.finding
    assert finding.help or finding.do_not
    for text in _texts(finding):
        assert text.en.strip() and text.zh.strip()
        assert _named(text.en) == _named(text.zh), text
        assert "None" not in text.en and "None" not in text.zh, text
    for step in finding.help:
        if told := TOLD.get(step.risk):
            assert told.search(step.says.en), f"the risk {step.risk} is not told: {step.says.en}"
        argv = (*step.command.argv, *step.undo.argv)
        assert all(argv)
        assert not any(part == "?" or "//?" in part for part in argv), f"nobody can type that: {argv}"
        # Unknown values stand in capitals, with a hint for finding them.
        told_how = {word for words, _ in find_placeholders(argv) for word in words.split(", ")}
        assert all(
            part in told_how or part in CHAINS for part in argv if re.fullmatch(r"[A-Z][A-Z-]{2,}", part)
        ), argv


@pytest.mark.parametrize("loaded", MATCHES, ids=[m.name for m in MATCHES])
def test_what_nobody_can_put_back_is_never_called_reversible(loaded: Loaded) -> None:
    verdict = judge_case(loaded.cause, loaded.subject, loaded.snapshot)
    assert isinstance(verdict, Match)
    for step in verdict.finding.help:
        assert not (ENDS_FOR_GOOD.search(step.command.line) and step.risk in ("none", "reversible")), step


@pytest.mark.parametrize("cause", CAUSES, ids=IDS)
def test_a_rule_reads_what_it_says(cause: Cause) -> None:
    for loaded in (c for c in CASES if c.cause is cause):
        noted = LookupLog(loaded.snapshot)
        cause.rule(loaded.subject, Reads(loaded.snapshot, noted))
        unsaid = noted.kinds - cause.reads - {Same, Refused}
        assert not unsaid, f"{loaded.name} reads {sorted(t.__name__ for t in unsaid)}"
