"""`--help` in both languages: every command and option has its Chinese, with the same commands to type."""

from __future__ import annotations

import importlib
import inspect
import re

import click
import pytest

from unstuck.cli import app as english
from unstuck.cli.bilingual_help import HELP_OPTION, BilingualCommand, Option
from unstuck.cli.run import run
from unstuck.render.cells import count_cells

HAN = re.compile(r"[一-鿿]")
NAMES = ["", *english.COMMANDS]


def command(name: str) -> click.Command:
    if not name:
        return english.app
    found: click.Command = importlib.import_module(f"unstuck.cli.commands.{name}").command
    return found


def typed(text: str) -> list[str]:
    """Return the lines of examples, without their descriptions."""
    lines = re.findall(r"^ +((?:unstuck|kubectl|source|check-jsonschema) .*)$", text, re.M)
    return [re.split(r" {3,}|  #", line)[0].strip() for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_has_both(name: str) -> None:
    told = command(name)
    assert isinstance(told, BilingualCommand)
    assert HAN.search(told.text.zh) and not HAN.search(told.text.en)
    assert typed(inspect.cleandoc(told.text.zh)) == typed(inspect.cleandoc(told.text.en))
    for param in told.params:
        if isinstance(param, click.Option):
            assert isinstance(param, Option), f"declared with click's own decorator: {param.name}"
            assert param.text.en and HAN.search(param.text.zh) and not HAN.search(param.text.en)


def test_the_list_of_commands_is_in_both() -> None:
    for line in (*english.COMMANDS.values(), HELP_OPTION):
        assert not HAN.search(line.en) and (HAN.search(line.zh) or "JSON Schema" in line.zh)


@pytest.mark.parametrize("name", NAMES)
def test_help_comes_in_the_language_asked_for(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    args = [*filter(None, [name]), "--help"]
    assert run(args, "unstuck") == 0
    plain = capsys.readouterr().out
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert run(args, "unstuck") == 0
    out = capsys.readouterr().out
    assert plain.startswith("Usage: unstuck") and not HAN.search(plain)
    assert out.startswith("用法：unstuck") and "显示此帮助并退出。" in out
    assert "Usage" not in out and "Options" not in out and "Show" not in out
    assert set(re.findall(r"--[a-z-]+", plain.partition("Options:")[2])) == set(
        re.findall(r"--[a-z-]+", out.partition("选项：")[2])
    )
    assert max(map(count_cells, out.splitlines())) <= 110
    # Commands stand on separate lines, in both languages.
    assert "\\b" not in plain + out
    assert [line.split()[:2] for line in plain.splitlines() if line.startswith("    unstuck ")] == [
        line.split()[:2] for line in out.splitlines() if line.startswith("    unstuck ")
    ]
    monkeypatch.delenv("LC_ALL")
    assert run(args, "unstuck") == 0
    assert capsys.readouterr().out == plain
