"""The bytes that a terminal sends, as keys."""

from __future__ import annotations

from unstuck.cli.keys import KeyDecoder


def test_bytes_become_keys_whatever_they_are() -> None:
    keys = KeyDecoder()
    assert list(keys.read(b"q\r\x1b[A\x1b[6~\x7f \x1b[200~\x00\x1b")) == [
        "q",
        "enter",
        "up",
        "page-down",
        "back",
        "page-down",
        "escape",
    ]
    # A character that arrives in two parts.
    assert [*keys.read("故".encode()[:1]), *keys.read("故".encode()[1:])] == ["故"]
    assert list(keys.read(b"\xff\xfe")) in ([], ["\ufffd", "\ufffd"])
