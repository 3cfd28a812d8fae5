"""The line of an error in the requested language: by --lang, else by the environment; also for invalid
options.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.cli.test_process import call
from unstuck.cli.app import app
from unstuck.cli.lang import language_of
from unstuck.cli.misuse import misuse_text

HAN = re.compile(r"[一-鿿]")
ZH = {"LC_ALL": "zh_CN.UTF-8"}
# Impossible questions: errors of ours with and without a cluster, and of click before and during option
# parsing.
OFF = [
    ["why", "pod/a"],
    ["why", "web-0"],
    ["why", "pod/a", "--context", "x", "--kubeconfig", "CONFIG"],
    ["replay", "/dev/null"],
    ["explain", "no.such"],
    ["demo", "no-such"],
    ["node"],
    ["scna"],
    ["why", "--nonsense"],
    ["why", "--after", "soon"],
    ["why", "-o", "xml"],
    ["scan", "a", "b"],
    ["replay"],
    ["why", "--context"],
    ["why", "--here", "--no-node"],
]


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "config"
    path.write_text(
        json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": [{"name": "y", "context": {}}]})
    )
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("args", OFF, ids=" ".join)
def test_errors_come_in_the_language_of_the_environment(args: list[str], config: str) -> None:
    done = call(*[config if a == "CONFIG" else a for a in args], env=ZH)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (3, "", 1)
    assert done.stderr.startswith("错误：")
    assert HAN.search(done.stderr.removeprefix("错误：").partition("；请参阅")[0])


@pytest.mark.slow
def test_the_option_outranks_the_environment() -> None:
    assert call("why", "pod/a", "--lang", "zh").stderr.startswith("错误：没有 kubeconfig：")
    assert call("why", "pod/a", "--lang=en", env=ZH).stderr.startswith("error: no kubeconfig: ")
    assert (
        call("why", "--nonsense", "--lang", "zh").stderr
        == "错误：没有选项 --nonsense，最接近的是 --no-node；请参阅 unstuck why --help\n"
    )


@pytest.mark.parametrize(
    ("args", "environ", "said"),
    [
        ((), {}, "en"),
        ((), {"LANG": "zh_CN.UTF-8"}, "zh"),
        (("why", "--lang", "zh"), {}, "zh"),
        (("why", "--lang=en"), ZH, "en"),
        (("why", "--lang", "zh", "--lang", "en"), {}, "en"),
        (("why", "--lang", "de"), ZH, "zh"),
        (("why", "--lang"), ZH, "zh"),
        (("read", "--", "--lang", "zh"), {}, "en"),
        (("read", "zh"), {}, "en"),
    ],
)
def test_language_before_options_are_read(args: tuple[str, ...], environ: dict[str, str], said: str) -> None:
    assert language_of(args, environ) == said


@pytest.mark.parametrize(
    "args",
    [
        a
        for a in OFF
        if a[0] in ("scna", "node") or a == ["replay"] or a[1].startswith("-") or a == ["scan", "a", "b"]
    ],
)
def test_clicks_own_words_are_all_translated(args: list[str]) -> None:
    """A new version of click that says it with other words shows here."""
    result = CliRunner().invoke(app, args, standalone_mode=False)
    assert isinstance(result.exception, click.ClickException)
    said = misuse_text(result.exception)
    assert said.en == result.exception.format_message().rstrip(".")
    assert HAN.search(said.zh) and said.zh != said.en


@pytest.mark.slow
def test_where_chinese_cannot_be_printed_the_answer_is_readable_english() -> None:
    done = call(
        "demo",
        "killed-by-liveness",
        "--lang",
        "zh",
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert "\\u" not in done.stdout and "because its liveness probe" in done.stdout
    assert "the answer is in English" in done.stderr
