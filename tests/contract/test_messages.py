"""The findings of the message check: the release's gate on translations (`scripts/messages.py --check`)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from scripts import messages

MODULE = """from unstuck.diagnosis.text import Messages

say = Messages(__name__)

A = say("{node} is gone", node="n")
B = say("it comes back")
"""
PAGE = "# 标题\n\n## 译文\n\n{node} is gone\n: {node} 已不存在\n\nit comes back\n: 它会恢复\n"


def problems(tmp_path: Path, module: str = MODULE, page: str = PAGE) -> list[str]:
    path = tmp_path / "lost.py"
    path.write_text(module, "utf-8")
    path.with_suffix(".zh.md").write_text(page, "utf-8")
    return messages.find_problems(path)


def test_a_whole_translation_is_quiet(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("was", "is_", "told"),
    [
        ("\n\nit comes back\n: 它会恢复", "", "no Chinese in lost.zh.md"),
        (": 它会恢复", ":", "no Chinese in lost.zh.md"),
        ("{node} 已不存在", "{name} 已不存在", "other values in Chinese: name"),
        ("{node} 已不存在", "已不存在", "other values in Chinese: none"),
        ("它会恢复", "it comes back", "English where Chinese belongs"),
        ("它会恢复", "它 comes back within a minute after that", "English where Chinese belongs"),
        ("it comes back", "it came back", "no message uses 'it came back'"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, was: str, is_: str, told: str) -> None:
    assert any(told in line for line in problems(tmp_path, page=PAGE.replace(was, is_)))


def test_a_value_that_is_not_given_is_told(tmp_path: Path) -> None:
    assert any("its values are what" in line for line in problems(tmp_path, MODULE.replace("node=", "what=")))


def test_a_template_is_a_message_without_values(tmp_path: Path) -> None:
    module = MODULE.replace('say("{node} is gone", node="n")', 'say.template("{node} is gone")')
    assert problems(tmp_path, module) == []
    assert any(
        "other values in Chinese: name" in line
        for line in problems(tmp_path, module, PAGE.replace("{node} 已", "{name} 已"))
    )


def test_names_alone_need_no_chinese() -> None:
    assert not messages.is_untranslated("kubelet：{message}")
    assert not messages.is_untranslated("PVC {claim}")
    assert not messages.is_untranslated("在节点上运行 `kubectl get pods`，并查看 kubelet 的日志")


def test_pages_are_laid_out_in_the_order_of_the_source(tmp_path: Path) -> None:
    problems(tmp_path, page="# 标题\n\n## 译文\n\nit comes back\n: 它会恢复\n\nold\n: 旧\n")
    assert messages.lay_out(tmp_path / "lost.py") == (
        "# 标题\n\n## 译文\n\n{node} is gone\n: \n\nit comes back\n: 它会恢复\n\nold\n: 旧\n".replace(
            ": \n", ":\n"
        )
    )


# Their sentences are messages: a message makes a `Text`, which is constructed only in the mechanism itself.
CONVERTED = (
    "api",
    "causes",
    "cli",
    "collect",
    "diagnosis",
    "engine",
    "facts",
    "render",
    "scheduling",
    "stages",
)
MECHANISM = messages.SOURCE / "facts" / "text.py"
# Exceptions: readers of Chinese output of programs, the bilingual page in a bundle, and measuring characters.
CHINESE = (
    "collect/text/node/cni_directories.py",
    "collect/text/node/container_gone.py",
    "collect/text/node/disk.py",
    "collect/bundle/write.py",
    "render/cells.py",
)


@pytest.mark.parametrize("package", CONVERTED)
def test_no_module_writes_a_sentence_in_two_languages(package: str) -> None:
    found = [
        f"{path}:{node.lineno}"
        for path in sorted((messages.SOURCE / package).rglob("*.py"))
        if path != MECHANISM
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (
            isinstance(node, ast.Constant)
            and re.search(r"[\u4e00-\u9fff]", str(node.value))
            and path.relative_to(messages.SOURCE).as_posix() not in CHINESE
        )
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Text")
    ]
    assert not found, "\n".join(found)
