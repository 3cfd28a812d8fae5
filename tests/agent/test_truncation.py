"""An answer is cut to a NodeReport's size, and lists the cut parts."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unstuck.agent.reporter import FORMAT as REPORTED
from unstuck.agent.truncation import fit
from unstuck.facts.codec import FORMAT, read_fact
from unstuck.facts.core import Refused


def _doc(kind: str, count: int, width: int = 20) -> dict[str, Any]:
    items = [["1" * width, "c", "none"] for _ in range(count)]
    return {
        "type": kind,
        "about": {"kind": "Node", "name": "n"},
        "src": {"where": "n x", "quote": "q"},
        "items": items,
    }


def _size(docs: list[dict[str, Any]]) -> int:
    return len(json.dumps(docs, ensure_ascii=False).encode())


def test_what_fits_is_left_alone() -> None:
    docs = [_doc("OomKills", 5), _doc("KubeletPods", 9)]
    assert fit(docs, "n") == docs


def test_the_longest_list_is_cut_and_says_so() -> None:
    small, large = _doc("OomKills", 5), _doc("OomKills", 5000)
    kept, cut = fit([small, large], "n", 20_000)
    assert kept == small
    assert 8 <= len(cut["items"]) < 5000
    assert cut["whole"] is False
    assert cut["src"]["quote"] == f"q [cut: {len(cut['items'])} of 5000 items]"
    assert _size([kept, cut]) <= 20_000
    assert _size([kept, cut]) > 8_000


def test_what_cannot_be_cut_is_left_out_and_that_is_told() -> None:
    docs = [
        _doc("OomKills", 3),
        {
            "type": "Failure",
            "about": {"kind": "Node", "name": "n"},
            "src": {"where": "n"},
            "message": "x" * 50_000,
        },
    ]
    out = fit(docs, "n", 10_000)
    assert out[0] == docs[0]
    told = read_fact(out[1])
    assert isinstance(told, Refused)
    assert (told.want, told.why) == ("Failure", "not-offered")


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 300)), max_size=30),
    st.integers(4_000, 60_000),
)
def test_it_always_fits(shapes: list[tuple[int, int]], largest: int) -> None:
    docs = [_doc("OomKills", count, width) for count, width in shapes]
    out = fit(docs, "n", largest)
    assert _size(out) <= largest + 500
    for doc in out:
        if "[cut:" in doc["src"].get("quote", ""):
            assert doc["whole"] is False


def test_the_reporter_writes_the_format_that_is_read() -> None:
    assert REPORTED == FORMAT
