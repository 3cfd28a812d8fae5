"""The type of options that take a duration."""

from __future__ import annotations

import re
from typing import Any

import click

from unstuck.facts.duration import parse_duration
from unstuck.facts.text import Messages

say = Messages(__name__)


class Duration(click.ParamType[float]):
    """`90s`, `5m`, `1h30m`, or plain seconds → seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds. Errors: click's usage error for an invalid duration."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        plain = re.fullmatch(r"\d+(\.\d+)?", text)
        seconds = parse_duration(f"{text}s" if plain else text)
        if seconds is None:
            from unstuck.cli.misuse import BadValue

            raise BadValue(say("{text!r} is no duration; write 90s, 5m or 1h30m", text=text), param, ctx)
        return seconds
