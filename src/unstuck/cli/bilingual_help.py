"""Commands and options with bilingual help: a `Text` in English and Chinese, like every message."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from unstuck.facts.text import Messages, Text, join_texts, same_in_both

say = Messages(__name__)

F = TypeVar("F", bound=Callable[..., Any])
# Combines the values of a group of options into one value.
Gather = Callable[[dict[str, Any]], dict[str, Any]]

_GATHERS = "__unstuck_gathers__"
OPTIONS = say("Options")
HELP_OPTION = say("Show this message and exit.")
VERSION_OPTION = say("Show the version and exit.")


class HelpContext(click.Context):
    """A context with help in the command line's language (`obj`)."""

    def make_formatter(self) -> click.HelpFormatter:
        """Return a formatter that counts Chinese text by its cells."""
        if self.obj == "zh":
            from unstuck.cli.chinese_help import ChineseFormatter

            self.formatter_class = ChineseFormatter
        return super().make_formatter()


class Option(click.Option):
    """An option with its help in both languages."""

    def __init__(self, *args: Any, help: Text, section: Text = OPTIONS, **attrs: Any) -> None:
        super().__init__(*args, **{**attrs, "help": help.en})
        self.text = help
        # The option's heading in `--help`.
        self.section = section

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option as typed, and its description."""
        if not (record := super().get_help_record(ctx)):
            return None
        typed, said = record
        return typed, pick_language(self.text, ctx) + said.removeprefix(self.text.en)


class BilingualCommand(click.Command):
    """A command with its help in both languages."""

    context_class = HelpContext

    def __init__(self, *args: Any, help: Text, **attrs: Any) -> None:
        super().__init__(*args, **{**attrs, "help": help.en})
        self.text = help

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help page between the usage and the options."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(inspect.cleandoc(pick_language(self.text, ctx)))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return click's own option, in the language of the context."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = pick_language(HELP_OPTION, ctx)
        return option


class GatheringCommand(BilingualCommand):
    """A command that passes each group of options as one value."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options section by section, in the order of their first declaration; options without a
        section come first.
        """
        rows: dict[Text, list[tuple[str, str]]] = {OPTIONS: []}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                rows.setdefault(getattr(param, "section", OPTIONS), []).append(record)
        for section, records in rows.items():
            with formatter.section(pick_language(section, ctx)):
                formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with each group of options combined, the outermost declared group first."""
        for gather in getattr(self.callback, _GATHERS, ()):
            ctx.params = gather(ctx.params)
        return super().invoke(ctx)


def with_heading(section: Text, *options: Callable[[F], F]) -> tuple[Callable[[F], F], ...]:
    """Put options under a separate heading."""

    def decorate(add: Callable[[F], F]) -> Callable[[F], F]:
        def declare(f: F) -> F:
            declared = add(f)
            vars(declared)["__click_params__"][-1].section = section
            return declared

        return declare

    return tuple(decorate(add) for add in options)


def option_group(options: Sequence[Callable[[F], F]], gather: Gather) -> Callable[[F], F]:
    """Declare a group of options that are passed as one value."""

    def declare(f: F) -> F:
        for add in reversed(options):
            f = add(f)
        setattr(f, _GATHERS, (gather, *getattr(f, _GATHERS, ())))
        return f

    return declare


def gather_as(name: str, make: Callable[..., object], given: dict[str, Any]) -> dict[str, Any]:
    """Replace the parameters of `make` by its result, under this name."""
    taken = {word: given.pop(word) for word in make.__annotations__ if word != "return"}
    return {**given, name: make(**taken)}


def paragraphs(*texts: Text) -> Text:
    """Join paragraphs into a page of help."""
    return join_texts(texts, "\n\n", "\n\n")


def verbatim(lines: Text) -> Text:
    """Return a paragraph exempt from click's wrapping."""
    return same_in_both("\b\n") + lines


def pick_language(text: Text, ctx: click.Context) -> str:
    """Pick the language of a context."""
    return text.zh if ctx.obj == "zh" else text.en


def option(*typed: str, help: Text, **attrs: Any) -> Callable[[F], F]:
    """Declare an option, as `click.option` does."""
    return click.option(*typed, cls=Option, help=help, **attrs)


def bilingual_command(name: str, help: Text) -> Callable[[Callable[..., Any]], BilingualCommand]:
    """Declare a command, as `click.command` does."""
    return click.command(name, cls=GatheringCommand, help=help)
