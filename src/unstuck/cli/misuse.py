"""The messages for an invalid command line, our own and click's, in both languages."""

from __future__ import annotations

import re

import click

from unstuck.facts.text import Messages, Text, make_text, same_in_both

say = Messages(__name__)

# The messages of click's parser (8.x).
_QUOTED = re.compile(r"\(([^()]*)\)\.?$")
_NEEDS, _TAKES_NONE = "requires an argument", "does not take a value"


class Misuse(click.UsageError):
    """Options or words that cannot be combined."""

    def __init__(self, text: Text, ctx: click.Context | None = None) -> None:
        super().__init__(text.en, ctx)
        self.text = text


class BadValue(click.BadParameter):
    """An invalid value for its type."""

    def __init__(self, text: Text, param: click.Parameter | None, ctx: click.Context | None) -> None:
        super().__init__(text.en, ctx, param)
        self.text = text


def misuse_text(error: click.ClickException) -> Text:
    """Return the message without its hint. click's messages are translated into Chinese; messages of later
    versions of click stay English.
    """
    return make_text((_one_line(error), _our_text(error).zh))


def _one_line(error: click.ClickException) -> str:
    """Return click's message in one line: it lists the choices of a missing parameter on separate lines."""
    return " ".join(error.format_message().split()).rstrip(".")


def _our_text(error: click.ClickException) -> Text:
    """Return click's message in our wording, which has a Chinese translation."""
    said = _one_line(error)
    if isinstance(error, Misuse):
        return error.text
    if isinstance(error, click.NoSuchOption):
        near = ", ".join(sorted(error.possibilities or ()))
        none = say("no option {option_name}", option_name=error.option_name)
        return none + say(", nearest is {near}", near=near) if near else none
    if isinstance(error, click.BadOptionUsage):
        if _NEEDS in said:
            return say("option {option_name} needs a value", option_name=error.option_name)
        if _TAKES_NONE in said:
            return say("option {option_name} takes no value", option_name=error.option_name)
        return same_in_both(said)
    if isinstance(error, click.BadParameter):
        return _parameter_text(error)
    if said.startswith("Got unexpected extra argument") and (words := _QUOTED.search(said)):
        return say("unexpected arguments: {word}", word=words[1])
    return same_in_both(said)


def _parameter_text(error: click.BadParameter) -> Text:
    """Return the message for a missing parameter, or for an invalid value."""
    param = error.param
    name = param.get_error_hint(error.ctx) if param is not None and error.ctx is not None else ""
    kind = say("option") if isinstance(param, click.Option) else say("argument")
    choices = (
        ", ".join(param.type.choices) if param is not None and isinstance(param.type, click.Choice) else ""
    )
    if isinstance(error, click.MissingParameter):
        missing = say("{kind} {name} is missing", kind=kind, name=name)
        return missing + say(", one of {choices}", choices=choices) if choices else missing
    if isinstance(error, BadValue):
        why = error.text
    else:
        why = (
            say("it is one of {choices}", choices=choices)
            if choices
            else same_in_both(error.message.rstrip("."))
        )
    return say("{kind} {name} has no valid value: {why}", kind=kind, name=name, why=why)
