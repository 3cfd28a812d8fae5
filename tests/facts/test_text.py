"""A message is written once, in English; its Chinese is looked up on access."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from unstuck.facts import text
from unstuck.facts.text import NO_TEXT, Messages, Text, join_texts, parse_translations, same_in_both

say = Messages("unstuck.causes.file.immutable")
TEMPLATE = "The kubelet cannot empty a volume: {path} has the {flag} flag{more}"


def test_a_message_has_its_values_in_both_languages() -> None:
    said = say(TEMPLATE, path="/a", flag=Text("immutable", "i"), more=NO_TEXT)
    assert said.en == "The kubelet cannot empty a volume: /a has the immutable flag"
    assert said.zh == "kubelet 无法清空卷：/a 带有 i 属性"


def test_a_text_that_is_looked_up_is_the_same_as_one_that_is_written() -> None:
    said = say("force delete")
    written = Text(said.en, said.zh)
    assert said == written and written == said and hash(said) == hash(written) and repr(said) == repr(written)
    assert said != Text(said.en, "other") and said != same_in_both(said.en)
    assert pickle.loads(pickle.dumps(said)) == written  # noqa: S301 - our own bytes


def test_english_opens_no_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "read_catalogue", lambda module: pytest.fail(f"{module} is read"))
    said = say(TEMPLATE, path="/a", flag="immutable", more=say("force delete")) + join_texts(
        [say("force delete"), NO_TEXT]
    )
    assert "force delete" in said.en
    assert {said: 1}[said] == 1


def test_without_a_translation_the_chinese_is_the_english() -> None:
    assert say("no one translated {what}", what=Text("this", "它")).zh == "no one translated 它"
    assert Messages("unstuck.causes.none.such")("as it is").zh == "as it is"


def test_a_template_keeps_the_places_of_its_values() -> None:
    later = say.template(TEMPLATE)
    assert later.en == TEMPLATE
    assert later.zh.format(path="/a", flag="i", more="") == "kubelet 无法清空卷：/a 带有 i 属性"


@pytest.mark.parametrize(("n", "words"), [(0, "0 Pods are"), (1, "1 Pod is"), (2, "2 Pods are")])
def test_a_number_chooses_its_word(n: int, words: str) -> None:
    assert say("{n} {n:Pod is|Pods are}", n=n).en == words


def test_braces_and_forms_are_those_of_str_format() -> None:
    assert say("{{a}} {b!r} {c:>3} {c:,}", b="x", c=5).en == "{a} 'x'   5 5"


def test_lists_have_the_signs_of_their_language() -> None:
    both = [Text("a", "甲"), Text("b", "乙")]
    assert join_texts(both) == Text("a, b", "甲、乙")
    assert join_texts(both, "; ", "；") == Text("a; b", "甲；乙")


def test_what_begins_or_ends_with_a_space_stands_between_backticks() -> None:
    page = (
        "# A page\n\n## 译文\n\nplain\n: 普通\n\n` on Node "
        "{node}`\n: （节点 {node}）\n\n`: {path}`\n: "
        "：{path}\n\nuntranslated\n:\n"
    )
    assert parse_translations(page) == [
        ("plain", "普通"),
        (" on Node {node}", "（节点 {node}）"),
        (": {path}", "：{path}"),
    ]


def test_a_page_without_translations_has_none() -> None:
    assert parse_translations("# A page\n\n## 参考\n\na\n: b\n") == []


def test_the_catalogue_lies_beside_its_module() -> None:
    page = Path(str(text.__file__)).parents[1] / "causes" / "file" / "immutable.zh.md"
    assert dict(text.read_catalogue("unstuck.causes.file.immutable")) == dict(
        parse_translations(page.read_text("utf-8"))
    )


@pytest.mark.parametrize(
    "name", ["file.immutable", "scheduling.insufficient-cpu", "kubelet.cannot-reach-apiserver"]
)
def test_an_answer_in_english_opens_no_catalogue(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.contract.support import load_all
    from unstuck.diagnosis.answer import Answer
    from unstuck.engine import diagnose, discover
    from unstuck.render.text import write_text as rendered

    monkeypatch.setattr(text, "read_catalogue", lambda module: pytest.fail(f"{module} is read"))
    match = next(c for c in load_all() if c.cause.id == name and c.case.expect == "proven")
    found = diagnose(match.subject, match.snapshot, discover())
    assert rendered(Answer(match.snapshot.now, (), (found,)), "en", 100, colour=False)
