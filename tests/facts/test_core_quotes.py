"""Truncation of a long quote: the component at its beginning and the decisive words stay."""

from unstuck.facts.core import LONGEST_QUOTE, shorten, shorten_around

_LONG = "MountVolume.SetUp failed: " + "a" * 300 + " unknown filesystem type 'xfs' " + "b" * 300


def test_a_long_quote_keeps_the_words_that_tell() -> None:
    said = shorten_around(_LONG, "unknown filesystem type 'xfs'")
    assert said.startswith("MountVolume.SetUp failed")
    assert "unknown filesystem type 'xfs'…" in said
    assert len(said) <= LONGEST_QUOTE


def test_words_that_are_shown_or_not_there_change_nothing() -> None:
    assert (
        shorten_around(_LONG, "MountVolume")
        == shorten_around(_LONG, "c")
        == shorten_around(_LONG, "")
        == shorten(_LONG)
    )
    assert shorten_around("short", "ort") == "short"


def test_words_that_are_too_long_themselves_are_cut() -> None:
    said = shorten_around("x" * 300 + "y" * 900, "y" * 900)
    assert len(said) == LONGEST_QUOTE
    assert said.endswith("y…")
