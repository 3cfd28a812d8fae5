"""Words are produced, explained and compared in one spelling: an unproduced or unexplained word fails."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.contract.words import Use, find_made, find_uses
from unstuck.api.text_kinds import list_kinds
from unstuck.collect.text import checklists, lookups
from unstuck.diagnosis import mentioned
from unstuck.engine import discover
from unstuck.engine.leads import FAMILIES, OF_REASON
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Origin, WhyOpen
from unstuck.facts.text import Text
from unstuck.facts.vocabulary import meanings
from unstuck.facts.vocabulary.error_meanings import ERRORS as ERROR_MEANINGS
from unstuck.facts.vocabulary.failures import ErrorWord, Operation, RefusalWord, UnreadableWord
from unstuck.facts.vocabulary.meanings import WordGroup
from unstuck.facts.vocabulary.programs import PROGRAMS, ProgramError
from unstuck.facts.vocabulary.stages import EndStage, NamespaceStage, StartStage
from unstuck.wording import refused, stored
from unstuck.wording.match import CALLS, ERRORS
from unstuck.wording.program import read, waiting
from unstuck.wording.reasons import OPERATION_OF_REASON, TELLS_ALONE

SRC = Path(__file__).parents[2] / "src" / "unstuck"
FILES = sorted(SRC.rglob("*.py"))
OPERATIONS, ERROR_WORDS = set(get_args(Operation)), set(get_args(ErrorWord))
REFUSALS, UNREADABLE = set(get_args(RefusalWord)), set(get_args(UnreadableWord))
STAGES = {*get_args(StartStage), *get_args(EndStage), *get_args(NamespaceStage)}
PROGRAM_ERRORS = set(get_args(ProgramError))
MENTIONED = set(get_args(mentioned.MentionedWord))
WORDS = {"operation": OPERATIONS, "error": ERROR_WORDS | REFUSALS | UNREADABLE | PROGRAM_ERRORS | MENTIONED}


def _flat(groups: Iterable[WordGroup[Any]]) -> list[tuple[str, Text]]:
    return [row for group in groups for row in group.words.items()]


def _rows(table: Mapping[Any, Text]) -> list[tuple[str, Text]]:
    return list(table.items())


EXPLAINED = {
    "operations": (OPERATIONS, _flat(meanings.OPERATIONS)),
    "errors": (ERROR_WORDS, _flat(ERROR_MEANINGS)),
    "refusals": (REFUSALS, _rows(meanings.REFUSALS)),
    "unreadable": (UNREADABLE, _rows(meanings.UNREADABLE)),
    "programs": (PROGRAM_ERRORS, _rows(PROGRAMS)),
    "start": (set(get_args(StartStage)), _rows(meanings.START_STAGES)),
    "end": (set(get_args(EndStage)), _rows(meanings.END_STAGES)),
    "namespace": (set(get_args(NamespaceStage)), _rows(meanings.NAMESPACE_STAGES)),
    "why open": (set(get_args(WhyOpen)), _rows(meanings.WHY_OPEN)),
    "origins": (set(get_args(Origin)), _rows(meanings.ORIGINS)),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_word_is_explained_once_in_both_languages(name: str) -> None:
    words, rows = EXPLAINED[name]
    assert sorted(word for word, _ in rows) == sorted(words)
    for word, text in rows:
        assert text.en and text.zh and "\n" not in text.en + text.zh, word
        assert any("\u4e00" <= c <= "\u9fff" for c in text.zh), f"{word}: {text.zh}"


def test_stages_are_in_the_order_of_their_lines() -> None:
    assert list(meanings.START_STAGES) == list(get_args(StartStage))
    assert list(meanings.END_STAGES) == list(get_args(EndStage))
    assert list(meanings.NAMESPACE_STAGES) == list(get_args(NamespaceStage))


def _made(kind: str, field: str) -> set[str]:
    return {word for path in FILES for name, word in find_made(path, kind) if name == field}


def test_operations_are_those_that_are_produced() -> None:
    of_words = (
        {c.operation for c in CALLS}
        | {e.operation for e in ERRORS if e.operation}
        | set(OPERATION_OF_REASON.values())
    )
    assert of_words | _made("Failure", "operation") == OPERATIONS


def test_errors_are_those_that_are_produced() -> None:
    of_words = (
        {c.bare for c in CALLS if c.bare}
        | {e.error for e in ERRORS if e.error}
        | ({"failed"} if TELLS_ALONE else set())
    )
    assert of_words | _made("Failure", "error") == ERROR_WORDS


def test_complaints_are_those_that_are_read() -> None:
    assert {w.error for w in (*read.WORDS, *waiting.WORDS)} | {
        *read.BY_CODE.values(),
        lookups.MISLED,
        checklists.FAILED,
    } == PROGRAM_ERRORS


def test_words_of_any_line_are_those_that_are_read() -> None:
    assert {word for word, _ in mentioned._ERRORS} - ERROR_WORDS == MENTIONED


def test_refusals_and_unreadable_objects_are_those_that_are_produced() -> None:
    # `Refusal("storage-full", …)` gives its word by place.
    by_place = {
        str(node.args[0].value)
        for path in FILES
        if "Refusal(" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Refusal"
        and node.args
        if isinstance(node.args[0], ast.Constant)
    }
    assert {word for _, word, _ in refused._BY} | by_place == REFUSALS
    examples = {
        "untransformable": "no matching prefix found",
        "kms-failed": "failed to decrypt DEK, error: rpc error: code = Unavailable desc = x",
        "undecodable": "object not decodable",
    }
    assert {
        word: found.error for word, text in examples.items() if (found := stored.find_unread_object(text))
    } == {w: w for w in UNREADABLE}


def test_stages_are_those_of_the_lines() -> None:
    steps = {
        str(node.args[0].value)
        for path in (SRC / "stages").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "StageStep"
        if isinstance(node.args[0], ast.Constant)
    }
    assert steps == STAGES


def test_stages_that_are_compared_exist() -> None:
    # Causes and kinds of text have an id too.
    known = STAGES | {c.id for c in discover()} | {kind.id for kind in list_kinds()}
    odd = []
    for path in FILES:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if ".id " in text else ():
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            if any(
                isinstance(s, ast.Attribute)
                and s.attr == "id"
                and isinstance(s.value, ast.Name | ast.Subscript)
                for s in sides
            ):
                words = [
                    c.value
                    for s in sides
                    for c in ast.walk(s)
                    if isinstance(c, ast.Constant) and isinstance(c.value, str)
                ]
                odd += [f"{path}:{node.lineno}: {w}" for w in words if w not in known]
    assert not odd


def _wrong(use: Use) -> bool:
    known = WORDS[use.reads]
    return not use.word or not (
        use.word in known or (use.prefix and any(w.startswith(use.word) for w in known))
    )


def test_words_that_are_compared_exist() -> None:
    found = [use for path in FILES for use in find_uses(path)]
    assert len(found) > 200, "the places where words are compared are found"
    assert not [f"{u.path.relative_to(SRC)}:{u.line}: {u.word or 'of no type'}" for u in found if _wrong(u)]


FORMS = (
    'f.error in ("EPERM", "bogus-word")',
    'f.error in {"bogus-word"}',
    'f.error in (*_TYPED, "bogus-word")',
    "f.error in _UNTYPED",
    "f.error == _ONE",
    "_TABLE[f.error]",
    "_TABLE.get(f.error)",
    '{"bogus-word": 1}.get(f.error)',
    '(f.operation, f.error) == ("sync", "bogus-word")',
    "f.error in unknown",
    'f.error.startswith("bogus-")',
    'f.error == f"bogus-{unknown}"',
)


@pytest.mark.parametrize("form", FORMS)
def test_a_word_that_does_not_exist_is_found_where_mypy_lets_it_pass(form: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    head = (
        '_TYPED: tuple[ErrorWord, ...] = ("EPERM",)\n_UNTYPED = ("bogus-word",)\n_ONE = '
        '"bogus-word"\n_TABLE = {"bogus-word": 1}\n'
    )
    path.write_text(
        f"{head}def rule(f: Failure, unknown: tuple[str, ...]) -> bool:\n    return bool({form})\n", "utf-8"
    )
    assert any(_wrong(use) for use in find_uses(path))
    path.write_text(
        path.read_text("utf-8")
        .replace("bogus-word", "EPERM")
        .replace("bogus-", "E")
        .replace("tuple[str", "tuple[ErrorWord")
    )
    assert not any(_wrong(use) for use in find_uses(path))


def test_families_that_a_failing_call_may_come_from_exist() -> None:
    families = {c.family for c in discover()}
    assert not [prefix for prefix, _ in FAMILIES if not any(o.startswith(prefix) for o in OPERATIONS)]
    assert {family for _, among in FAMILIES for family in among} | {
        f for among in OF_REASON.values() for f in among
    } <= families


def test_what_was_refused_is_a_fact() -> None:
    names = _made("Refused", "want") - {"survey"}
    assert names and names <= set(find_fact_types())


def test_no_source_is_compared_with_words() -> None:
    # A fact's source is for people; programs use a separate field (`Refused.origin`).
    odd = []
    for path in FILES:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if ".where" in text else ():
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "endswith"
            ):
                sides = [node.func.value, *node.args]
            read = any(
                isinstance(s, ast.Attribute) and s.attr == "where" and ast.unparse(s.value).endswith("src")
                for s in sides
            )
            if read and any(
                isinstance(s, ast.Constant) or (isinstance(s, ast.Name) and s.id.isupper()) for s in sides
            ):
                odd.append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert not odd
