"""What a person gives in words: the language of the environment, and durations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import click

from unstuck.facts.duration import seconds_in
from unstuck.facts.text import Messages

say = Messages(__name__)

Lang = Literal["en", "zh"]


def language(environ: Mapping[str, str]) -> Lang:
    """Return the language as POSIX ranks the variables: LC_ALL, LC_MESSAGES, LANG; Chinese of any region, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def language_of(args: Sequence[str], environ: Mapping[str, str]) -> Lang:
    """Return the language of a command line that may not have been parsed yet, or cannot be: its last --lang, else the environment's."""
    said = language(environ)
    for at, word in enumerate(args):
        if word == "--":
            break
        value = args[at + 1] if word == "--lang" and at + 1 < len(args) else word.removeprefix("--lang=")
        if value in ("en", "zh") and word.startswith("--lang"):
            said = "zh" if value == "zh" else "en"
    return said


class Duration(click.ParamType[float]):
    """`90s`, `5m`, `1h30m`, or plain seconds → seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds. Errors: click's usage error for an invalid duration."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        plain = re.fullmatch(r"\d+(\.\d+)?", text)
        seconds = seconds_in(f"{text}s" if plain else text)
        if seconds is None:
            from unstuck.cli.misuse import BadValue

            said = say("{text!r} is no duration; write 90s, 5m or 1h30m", text=text)
            raise BadValue(said, param, ctx)
        return seconds
