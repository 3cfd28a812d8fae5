"""Truncation of a long quote: the component at its beginning and the decisive words stay."""

from unstuck.facts.core import LONGEST_QUOTE, quote_line, shorten, shorten_around

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


def test_a_long_line_keeps_the_value_that_it_ends_with() -> None:
    line = f"invalid document in stored settings {'of a long path ' * 30}wanted version 6, found 5.0"
    said = quote_line(line)
    assert said.startswith("invalid document in stored settings") and said.endswith("version 6, found 5.0")
    assert len(said) <= 240 and "… " in said
    assert quote_line("short") == "short" and len(quote_line("x" * 900)) <= 240
