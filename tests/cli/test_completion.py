"""Completion as the shells load it: the printed script, sourced, completes commands and options."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BIN = str(Path(sys.executable).parent)
ENV = {
    **os.environ,
    "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    "KUBECONFIG": "/nonexistent",
    "HOME": "/nonexistent",
}


def bash(script: str) -> subprocess.CompletedProcess[str]:
    argv = ["bash", "--norc", "--noprofile", "-c", script]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60, env=ENV)


@functools.cache
def script() -> str:
    return subprocess.run(
        [f"{BIN}/unstuck", "completion", "bash"], capture_output=True, text=True, check=True, env=ENV
    ).stdout


def completed(*words: str) -> set[str]:
    """Return bash's completions of the last word, after loading the script."""
    line = " ".join(f"'{w}'" for w in words)
    done = bash(
        f"{script()}\nCOMP_WORDS=({line}) && COMP_CWORD={len(words) - 1} && _unstuck_completion unstuck"
        ' && printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


def test_bash_registers_it_for_the_command() -> None:
    done = bash("source <(unstuck completion bash) && complete -p unstuck")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.rstrip().endswith(" unstuck")


def test_commands_and_options_are_completed() -> None:
    assert completed("unstuck", "re") == {"read", "replay"}
    assert {"why", "scan", "read", "node", "replay", "explain", "demo", "schema", "completion"} <= completed(
        "unstuck", ""
    )
    assert {"--lang", "--here", "--no-node", "--save"} <= completed("unstuck", "why", "--")
    assert completed("unstuck", "why", "--lang", "") == {"en", "zh"}
    assert completed("unstuck", "completion", "z") == {"zsh"}


def test_nothing_to_complete_is_quiet() -> None:
    assert completed("unstuck", "nonsense") == set()


@pytest.mark.parametrize(("shell", "must"), [("zsh", "#compdef unstuck"), ("fish", "--command unstuck")])
def test_other_shells_get_a_script_of_their_own(shell: str, must: str) -> None:
    done = subprocess.run(
        [f"{BIN}/unstuck", "completion", shell], capture_output=True, text=True, check=False, env=ENV
    )
    assert (done.returncode, done.stderr) == (0, "") and must in done.stdout
    if program := shutil.which(shell):
        checked = subprocess.run(
            [program, "-n"], input=done.stdout, capture_output=True, text=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_a_shell_that_is_not_known_is_one_line() -> None:
    done = subprocess.run(
        [f"{BIN}/unstuck", "completion", "tcsh"], capture_output=True, text=True, check=False, env=ENV
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1) and "bash" in done.stderr
