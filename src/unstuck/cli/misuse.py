"""A command line that is off: what our own commands say of it, and what click says, in both languages."""

from __future__ import annotations

import re

import click

from unstuck.facts.text import Text, same_in_both

# click's own words, as its parser has them (8.x).
_QUOTED = re.compile(r"\(([^()]*)\)\.?$")
_NEEDS, _TAKES_NONE = "requires an argument", "does not take a value"


class Misuse(click.UsageError):
    """Options or words that do not go together."""

    def __init__(self, said: Text, ctx: click.Context | None = None) -> None:
        super().__init__(said.en, ctx)
        self.said = said


class BadValue(click.BadParameter):
    """A value that is none of its type."""

    def __init__(self, said: Text, param: click.Parameter | None, ctx: click.Context | None) -> None:
        super().__init__(said.en, ctx, param)
        self.said = said


def misuse(error: click.ClickException) -> Text:
    """Return what was off, without how to go on. In Chinese click's words are replaced; a message that a later click adds stays English."""
    return Text(_one_line(error), _chinese(error))


def _one_line(error: click.ClickException) -> str:
    """Return click's words; a choice that is missing is listed on lines of its own there."""
    return " ".join(error.format_message().split()).rstrip(".")


def _chinese(error: click.ClickException) -> str:
    said = _one_line(error)
    if isinstance(error, Misuse):
        return error.said.zh
    if isinstance(error, click.NoSuchOption):
        near = ", ".join(sorted(error.possibilities or ()))
        return f"没有选项 {error.option_name}" + (f"，最接近的是 {near}" if near else "")
    if isinstance(error, click.BadOptionUsage):
        if _NEEDS in said:
            return f"选项 {error.option_name} 需要一个值"
        return f"选项 {error.option_name} 不接受值" if _TAKES_NONE in said else said
    if isinstance(error, click.BadParameter):
        return _parameter(error)
    if said.startswith("Got unexpected extra argument") and (words := _QUOTED.search(said)):
        return f"多余的参数：{words[1]}"
    return said


def _parameter(error: click.BadParameter) -> str:
    """Return the message for a missing parameter, or for one with a value that it does not take."""
    param = error.param
    name = param.get_error_hint(error.ctx) if param is not None and error.ctx is not None else ""
    kind = "选项" if isinstance(param, click.Option) else "参数"
    choices = ", ".join(param.type.choices) if param is not None and isinstance(param.type, click.Choice) else ""
    if isinstance(error, click.MissingParameter):
        return f"缺少{kind} {name}" + (f"，可为 {choices}" if choices else "")
    if isinstance(error, BadValue):
        why = error.said
    else:
        why = Text(error.message, f"只能是 {choices} 之一") if choices else same_in_both(error.message.rstrip("."))
    return f"{kind} {name} 的值无效：{why.zh}"
