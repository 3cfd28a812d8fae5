"""Arbitrary texts: no traceback, no hang, every line accounted for, no control characters for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.text.support import DESCRIBE, NOW, UID, YAML, read
from tests.text.test_lines import EVENT_FORMS, TEARDOWN
from unstuck.collect.text import ReadResult, read_text
from unstuck.collect.text.cutting.split import parse_command, split_lines
from unstuck.facts.codec import read_fact, to_json
from unstuck.facts.core import find_refs
from unstuck.facts.snapshot import Snapshot
from unstuck.wording.match import CALLS

LINES = [
    *DESCRIBE.splitlines(),
    *YAML.splitlines(),
    *(line for form in EVENT_FORMS for line in form.splitlines()),
    TEARDOWN.format(second=1, uid=UID),
    "[root@lab-1 ~]# lsattr /x",
    f"----i---------e------- /var/lib/kubelet/pods/{UID}/volumes/x",
    "/proc/1/mountinfo:1 2 0:3 / /x rw - overlay overlay rw",
    "root 1 2 0.0 0.0 cmd",
    '{"kind": "Pod",',
    '"metadata": {"name": "x"}}',
    "---",
    "...",
    "```",
    "$ kubectl get cm x -n f",
    'Error from server (NotFound): configmaps "x" not found',
    "NAME   READY   STATUS   RESTARTS   AGE",
    "web-0  0/1  Pending  0  5m",
    *(e.text for c in CALLS for e in c.examples),
]
mangled = st.builds(
    lambda line, cut, junk: line[:cut] + junk + line[cut:],
    st.sampled_from(LINES),
    st.integers(0, 60),
    st.sampled_from(["", "", "", "\x00", "\x1b[2J", "\u202e", "  ", "\t", '"', ":"]),
)
pastes = st.lists(st.one_of(st.sampled_from(LINES), mangled, st.text(max_size=40)), max_size=25).map(
    "\n".join
)


def accounted(text: str, result: ReadResult) -> None:
    """Check that every line other than blanks, prompts and fences is in exactly one span."""
    lines = split_lines(text)
    seen: list[int] = []
    for start, end in [*((a, b) for a, b, _ in result.understood), *result.not_understood]:
        seen += [n for n in range(start, end + 1) if lines[n - 1].strip()]
    assert len(seen) == len(set(seen))
    expected = {
        n
        for n, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("```") and parse_command(line) is None
    }
    assert set(seen) == expected


@settings(max_examples=scale_examples(250), deadline=None)
@given(pastes)
def test_no_paste_raises_and_every_line_is_accounted_for(text: str) -> None:
    result = read_text(text, "paste.txt", NOW)
    accounted(text, result)
    seen = Snapshot(result.facts, NOW)
    for fact in result.facts:
        assert not any(ord(c) < 32 and c not in "\n\t" for c in f"{fact.src.quote}{fact.src.where}")
        assert read_fact(to_json(fact)) == fact
        for ref in find_refs(fact):
            seen.canon(ref)


@settings(max_examples=scale_examples(100), deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    read_text(data.decode("utf-8", "replace"), "x", NOW)


@pytest.mark.parametrize("size", [1_000_000, pytest.param(100_000_000, marks=pytest.mark.slow)])
def test_one_enormous_line_ends(size: int) -> None:
    assert read("x" * size).facts == []
    assert read(" " * (size // 100)).facts == []


@pytest.mark.parametrize("lines", [5_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_very_many_short_lines_end(lines: int) -> None:
    assert len(read("a\n" * lines).not_understood) == 1


def test_a_long_log_gives_few_facts() -> None:
    text = "\n".join(TEARDOWN.format(second=n % 60, uid=UID) for n in range(5_000))
    result = read(text)
    assert len(result.facts) == 1
    assert result.not_understood == []


@pytest.mark.parametrize(
    "fill", [" ", "\t", "a ", "a.", "-", "(", ":", "x=", "5m ", "# ", "<none>", "Normal "]
)
@pytest.mark.parametrize(
    "head",
    [
        "",
        "Name:  x\nNamespace:  f\nStatus: ",
        "Containers:\n  c:\n    State: Running\n    Liveness: exec ",
        "  Warning  FailedMount  10s  ",
        "NAME  READY  STATUS  RESTARTS  AGE\n",
        "E1121 00:07:16.100000    4242 a.go:1] ",
        "[root@",
        "kind: Pod\napiVersion: ",
    ],
)
def test_no_line_takes_time_beyond_its_length(head: str, fill: str) -> None:
    """A pattern that backtracks without bound would not end here within the suite's time-out."""
    read_text(head + fill * (60_000 // len(fill)) + "b", "x", NOW)
