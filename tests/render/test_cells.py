"""The width of text on a terminal."""

from __future__ import annotations

from wcwidth import wcwidth

from unstuck.render.cells import count_cells


def test_usual_characters_are_as_wide_as_the_tables_say_that_are_not_loaded_for_them() -> None:
    latin = (chr(code) for code in range(0x20, 0x300) if chr(code).isprintable())
    usual = [*latin, *map(chr, range(0x4E00, 0xA000)), *"✓✗…·●◐○⏎→↳—–“”‘’×≥≤，。；：、（）！？《》「」"]
    assert [char for char in usual if count_cells(char) != wcwidth(char)] == []
