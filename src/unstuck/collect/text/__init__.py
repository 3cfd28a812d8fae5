"""Turns pasted text of any format into facts. One module per format; `read_text` puts them together."""

from unstuck.collect.text.read import ReadResult, read_text

__all__ = ["ReadResult", "read_text"]
