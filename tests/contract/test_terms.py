"""One term for one concept: words forbidden by docs/en/terms.md and docs/zh/terms.md occur in no message,
help text, page or README.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from scripts.messages import list_messages as said_in
from scripts.messages import list_modules

import unstuck
from unstuck.facts.text import parse_translations, read_catalogue

SOURCE = Path(unstuck.__file__).parent
REPO = SOURCE.parents[1]

# Forbidden in messages: unidiomatic phrases, and second terms for one concept.
MESSAGES = {
    "en": (
        r"\banew\b",
        r"\bto get past\b",
        r"\bat hand\b",
        r"\bleft to (it|the Pod)\b",
        r"\bnobody (meant|chose)\b",
        r"\b(take|takes|taken|taking)\b[^,.;:]* off\b",
        r"\bnames? no\b",
        r"\bis not so\b",
        r"\b(does|do) not go\b",
        r"\b(tries|try) again by (itself|themselves)\b",
        r"\bgo(es)? by itself\b",
        r"\bout of sight\b",
        r"\bthose that\b",
        r"\brevive\b",
        r"\bmend\b",
        r"\bmade again\b",
        r"(?<!Resource)\b[Cc]laim [{a-z]+\b[^a-z]* (names|is bound)\b",
    ),
    "zh": (
        "确证",
        "切勿",
        "征象",
        "事故",
        "惰性卸载",
        "分离",
        "仍附加",
        "附加到",
        "(?<!保)留给",
        "波及的",
        "存储卷声明",
        "API 服务器",
        "亦有可能",
        "无人预期",
    ),
}
# Forbidden on whole pages: words with one replacement in any sentence.
PAGES = {
    "en": (r"\bto get past it\b", r"\bat hand\b", r"\bnobody meant\b"),
    "zh": ("确证", "切勿", "征象", "事故", "惰性卸载", "存储卷声明", "API 服务器"),
}


@cache
def messages() -> tuple[tuple[str, int, str, str], ...]:
    """Return (file, line, language, text) of every message: the arguments of `Text` and `say`, and the
    translations, with `{}` for values.
    """
    return tuple(_messages())


def _messages() -> Iterator[tuple[str, int, str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_text("utf-8")
        if "Text(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Text":
                for lang, arg in zip(("en", "zh"), node.args, strict=False):
                    yield str(path.relative_to(SOURCE)), arg.lineno, lang, _literal(arg)
    for path in list_modules():
        for template, _, line in said_in(path):
            yield str(path.relative_to(SOURCE)), line, "en", re.sub(r"\{[^}]*\}", "{}", template)
    for page in sorted(SOURCE.rglob("*.zh.md")):
        for _, chinese in parse_translations(page.read_text("utf-8")):
            yield str(page.relative_to(SOURCE)), 0, "zh", re.sub(r"\{[^}]*\}", "{}", chinese)


def _literal(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in value.values)
    return ""


def pages(lang: str) -> Iterator[Path]:
    """Yield the pages for users of one language, except the list of forbidden words."""
    yield REPO / ("README.md" if lang == "en" else "README.zh.md")
    yield from (path for path in sorted((REPO / "docs" / lang).rglob("*.md")) if path.name != "terms.md")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_message_has_a_forbidden_phrase(lang: str) -> None:
    wrong = re.compile("|".join(MESSAGES[lang]))
    found = [
        f"{file}:{line}: {text}" for file, line, of, text in messages() if of == lang and wrong.search(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_page_has_a_forbidden_phrase(lang: str) -> None:
    wrong = re.compile("|".join(PAGES[lang]))
    found = [
        f"{path.relative_to(REPO)}:{n}: {line}"
        for path in pages(lang)
        for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if wrong.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_chinese_stage_name_says_that_it_is_done() -> None:
    """A stage's name stands beside ✗ as well, so that 已… would contradict its mark."""
    named = [
        (path.name, chinese)
        for path in sorted((SOURCE / "stages").glob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "StageStep"
        for said in call.args
        if isinstance(said, ast.Call)
        and isinstance(said.func, ast.Name)
        and said.func.id == "say"
        and isinstance(said.args[0], ast.Constant)
        and (chinese := read_catalogue(f"unstuck.stages.{path.stem}")[str(said.args[0].value)])
    ]
    assert len(named) > 20
    assert not [one for one in named if "已" in one[1]]


def test_both_lists_are_tables_of_the_same_shape() -> None:
    for lang in ("en", "zh"):
        rows = [
            line
            for line in (REPO / "docs" / lang / "terms.md").read_text("utf-8").splitlines()
            if line.startswith("|")
        ]
        assert len(rows) > 10 and {row.count("|") for row in rows} == {4}
