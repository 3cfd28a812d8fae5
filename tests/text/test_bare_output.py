"""A text with only a program's output, without its command."""

from __future__ import annotations

import pytest

from tests.text.support import read
from unstuck.facts.aspects.pasted import ToldErrors

TRACEBACK = """Traceback (most recent call last):
  File "/app/settings.py", line 12, in <module>
    raise KeyError(key) from None
KeyError: 'TILL_URL'
"""
RUST = """thread 'main' panicked at src/config.rs:42:14:
called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }
"""


def told(text: str) -> list[tuple[str, str]]:
    return [
        (i.complaint.error, i.complaint.name)
        for f in read(text).facts
        if isinstance(f, ToldErrors)
        for i in f.items
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KeyError: 'TILL_URL'\n", ("variable-missing", "TILL_URL")),
        (TRACEBACK, ("variable-missing", "TILL_URL")),
        (f"starting up\n\n{TRACEBACK}", ("variable-missing", "TILL_URL")),
        (
            "flag provided but not defined: -metrics-adress\nUsage of /till:\n",
            ("option-unknown", "-metrics-adress"),
        ),
        ("Segmentation fault (core dumped)\n", ("crashed", "")),
    ],
)
def test_last_words_count_without_a_mark_of_an_error(text: str, expected: tuple[str, str]) -> None:
    assert told(text) == [expected]


def test_a_panic_of_rust_quotes_source_and_is_none() -> None:
    assert [error for error, _ in told(RUST)] in (["crashed"], ["file-missing"])


@pytest.mark.parametrize(
    "text",
    [
        "The library was missing, and the old engineer had no space left.\n",
        "INFO retried, as flag provided but not defined: -x\n",
        "import os\n\nKeyError: 'TILL_URL'\n",
        "- [docs](https://example.org) say:\nKeyError: 'TILL_URL'\n",
        "ComparisonError: the manifests differ\n",
    ],
    ids=["a novel", "information", "source above it", "prose above it", "a controller's word"],
)
def test_what_is_no_output_or_no_failure_claims_nothing(text: str) -> None:
    assert told(text) == []
