"""The layout of `--help` in Chinese: click counts characters, a terminal counts cells."""

from __future__ import annotations

from collections.abc import Iterable

import click

from unstuck.facts.text import Messages
from unstuck.render.cells import count_cells, pad, wrap

say = Messages(__name__)

_USAGE = say("Usage: ")
# The translations, by click's words.
_HEADINGS = {"Options": say("Options"), "Commands": say("Commands")}
_FIRST_COLUMN = 30


class ChineseFormatter(click.HelpFormatter):
    """A formatter with click's layout, measured in terminal cells for Chinese."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage: click has its first word only in English."""
        super().write_usage(prog, args, prefix or _USAGE.zh)

    def write_heading(self, heading: str) -> None:
        """Write a heading with the colon of Chinese."""
        known = _HEADINGS.get(heading)
        self.write(f"{' ' * self.current_indent}{known.zh if known else heading}：\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs; a paragraph that begins with a backspace, click's mark, stays verbatim."""
        indent, parts = " " * self.current_indent, []
        for part in text.strip("\n").split("\n\n"):
            as_is = part.startswith("\b\n")
            lines = (
                part.split("\n")[1:]
                if as_is
                else [w for line in part.split("\n") for w in wrap(line, self.width - len(indent))]
            )
            parts.append("\n".join(f"{indent}{line}".rstrip() for line in lines))
        self.write("\n\n".join(parts) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = _FIRST_COLUMN, col_spacing: int = 2
    ) -> None:
        """Write two columns, as click does."""
        told = list(rows)
        column = min(max(count_cells(first) for first, _ in told), col_max) + col_spacing
        indent = " " * self.current_indent
        for first, second in told:
            lines = wrap(second, max(self.width - column - len(indent), 10))
            if count_cells(first) > column - col_spacing:
                self.write(f"{indent}{first}\n")
            else:
                self.write(f"{indent}{pad(first, column)}{lines.pop(0)}\n")
            self.write("".join(f"{indent}{' ' * column}{line}\n" for line in lines))
