"""The effect of printed lines in a POSIX shell: the started programs and their arguments, with stubs for all
programs.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from tests.contract.templates import list_templates

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# The shell's own words, and the programs of the recording.
_RESERVED = frozenset(
    (
        *(
            "for",
            "do",
            "done",
            "while",
            "in",
            "read",
            "time",
            "printf",
            "sh",
            "if",
            "then",
            "fi",
            "case",
            "esac",
            "until",
            "else",
        ),
        *(
            "break",
            "continue",
            "eval",
            "exec",
            "exit",
            "export",
            "readonly",
            "return",
            "set",
            "shift",
            "times",
            "trap",
            "unset",
        ),
    )
)
_AT_ONCE = 400
# Each program prints its arguments in one write, since piped programs run concurrently; the separator occurs
# in no argument.
_SAY = """printf '%s\\0' "$@" '\1' >&9"""


def list_programs() -> frozenset[str]:
    """List the words of templates in the place of a program, and more: all of them get stubs."""
    found = {word for text in list_templates() for word in _WORD.findall(text)}
    return frozenset(word for word in found if re.fullmatch(r"[a-z][a-z0-9_-]+", word)) - _RESERVED


def run_lines(lines: Sequence[str], directory: Path) -> list[list[tuple[str, ...]]]:
    """Return for each line the argv of every started program. Errors: AssertionError for a foreign program,
    or if nothing ran.
    """
    for line in lines:
        _check_redirections(line)
    own = sorted(list_programs())
    stubs = directory / "stubs"
    stubs.mkdir(exist_ok=True)
    functions = []
    for name in own:
        if "-" in name:
            (stubs / name).write_text(f'#!/bin/sh\nset -- {name} "$@"\n{_SAY}\n')
            (stubs / name).chmod(0o755)
        else:
            functions.append(f'{name}() {{ set -- {name} "$@"; {_SAY}; }}')
    for name in ("time", "sh"):
        (stubs / name).write_text(f'#!/bin/sh\nset -- {name} "$@"\n{_SAY}\n')
        (stubs / name).chmod(0o755)
    script = "\n".join(
        [
            *functions,
            'exec 9>"$LOG"; unset LOG',
            "for line; do ( set -f; eval \"$line\" ) </dev/null >/dev/null; printf '\\2' >&9; done",
        ]
    )
    ran: list[list[tuple[str, ...]]] = []
    for i in range(0, len(lines), _AT_ONCE):
        ran += _run(script, lines[i : i + _AT_ONCE], stubs, directory)
    return ran


def _run(script: str, lines: Sequence[str], stubs: Path, directory: Path) -> list[list[tuple[str, ...]]]:
    log = directory / "log"
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *lines],
        env={"PATH": str(stubs), "LOG": str(log)},
        cwd=stubs,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert not done.stderr, done.stderr[:2000]
    told = log.read_text("utf-8").split("\2")[:-1]
    assert len(told) == len(lines)
    return [[tuple(one.split("\0")[:-1]) for one in each.split("\1\0")[:-1]] for each in told]


def _check_redirections(line: str) -> None:
    """Refuse redirections other than those in templates: a broken line must not write anywhere."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    tokens = list(words)
    for operator, target in pairwise(tokens):
        assert not re.fullmatch(r"[<>&|]*[<>][<>&|]*", operator) or target == "/dev/null", line


def list_options() -> frozenset[str]:
    """List every option in templates, up to its `=`."""
    parsed = [_list_words(text) for text in list_templates()]
    return frozenset(word.partition("=")[0] for words in parsed for word in words if word.startswith("-"))


def _list_words(template: str) -> list[str]:
    """List the words of a template, including those of an embedded script."""
    words = re.split(r"[\s;|&'\"()]+", template)
    return [word for word in words if word]
