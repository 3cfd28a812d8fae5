"""Every visible error has both languages, with the same names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import unstuck
from unstuck import errors
from unstuck.errors import InputError, UnstuckError, join_sentences
from unstuck.facts.text import Text

SOURCE = Path(unstuck.__file__).parent
# The errors of `unstuck.errors`, and other visible ones.
RAISED = {n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, UnstuckError)}
RAISED |= {"FormatError", "NoStreamError", "Misuse", "BadValue"}
# click's own class takes one language.
ONE_LANGUAGE = {"UsageError", "BadParameter", "BadOptionUsage", "BadArgumentUsage", "ClickException"}
FILES = [
    p for p in sorted(SOURCE.rglob("*.py")) if any(f"{name}(" in p.read_text("utf-8") for name in RAISED)
]
HAN = re.compile(r"[一-鿿]")


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield (node.func.id if isinstance(node.func, ast.Name) else node.func.attr), node


def template(node: ast.expr) -> str | None:
    """Return the text of a literal, with {} for values; None for other expressions."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            v.value if isinstance(v, ast.Constant) else "{}"
            for v in node.values
            if isinstance(v, ast.Constant | ast.FormattedValue)
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def filled(node: ast.expr) -> set[str]:
    """Return the filled-in values. One language of a bilingual text counts as that text."""
    values = [v for v in ast.walk(node) if isinstance(v, ast.FormattedValue)]
    return {re.sub(r"\.(en|zh)\b", "", ast.unparse(v.value)) + f"!{v.conversion}" for v in values}


def test_the_files_are_found() -> None:
    names = {p.relative_to(SOURCE).as_posix() for p in FILES}
    assert {
        "collect/kube/transport/client.py",
        "api/subject.py",
        "facts/codec.py",
        "collect/kube/transport/kubeconfig.py",
    } <= names
    assert sum(1 for p in FILES for name, _ in calls(p) if name in RAISED) > 60


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_no_error_is_made_of_one_language(path: Path) -> None:
    for name, call in calls(path):
        if name in RAISED:
            said = [*call.args, *(k.value for k in call.keywords)]
            assert not [ast.unparse(a) for a in said if template(a) is not None], f"{path}:{call.lineno}"
        if name in ONE_LANGUAGE and isinstance(call.func, ast.Attribute):
            pytest.fail(
                f"{path}:{call.lineno}: {ast.unparse(call.func)} takes one language; raise Misuse or BadValue"
            )


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_both_languages_name_the_same(path: Path) -> None:
    for name, call in calls(path):
        if name != "Text" or len(call.args) != 2:
            continue
        en, zh = map(template, call.args)
        if en is None or zh is None:
            continue
        where = f"{path}:{call.lineno}: {en!r} {zh!r}"
        assert filled(call.args[0]) == filled(call.args[1]), where
        assert not HAN.search(en), where
        # Mere punctuation and mere values need no Chinese character.
        assert HAN.search(zh) or not re.search(r"[a-z]{2}", en.replace("{}", "")), where
        assert not re.search(r"[\u4e00-\u9fff][,;:?!](?!\w)", zh), f"half-width punctuation: {where}"


def test_the_english_line_is_the_errors_own() -> None:
    error = InputError(Text("a is no b", "a 不是 b"), Text("try c", "请试 c"))
    assert (str(error), error.said) == ("a is no b; try c", Text("a is no b; try c", "a 不是 b；请试 c"))
    assert str(InputError(Text("a is no b", "a 不是 b"))) == "a is no b"
    assert join_sentences(None, None) is None
