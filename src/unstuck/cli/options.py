"""Options shared by several commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from unstuck.cli.bilingual_help import option, option_group
from unstuck.cli.duration import Duration
from unstuck.cli.lang import Lang, choose_readable, language
from unstuck.cli.terminal import choose_colour, choose_pager
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

C = TypeVar("C", bound=Callable[..., Any])


PIPELINES = say("For pipelines")
ANSWERS = ("text", "wide", "json", "yaml", "markdown", "html", "name", "junit", "github", "proof")
_ANSWERS = say(
    "text (default), wide, json, yaml, markdown or html (a page); for pipelines name, junit or github; "
    "proof for `verify`."
)


def shape(f: C) -> C:
    """Add the output options -o and --lang."""
    return _output_options(("text", "json", "yaml"), say("text (default), json or yaml."))(f)


def answer(f: C) -> C:
    """Add the options of an answer's output: -o with all formats, and --lang."""
    return _output_options(ANSWERS, _ANSWERS)(f)


def _output_options(formats: Sequence[str], help: Text) -> Callable[[C], C]:
    """Return -o with these formats, and --lang."""

    def options(f: C) -> C:
        return option("-o", "--output", type=click.Choice(list(formats)), default="text", help=help)(
            lang(terminal_options(f))
        )

    return options


def terminal_options(f: C) -> C:
    """Add --color and --no-pager, which configure the terminal as soon as they are parsed."""
    f = option(
        "--no-pager",
        is_flag=True,
        expose_value=False,
        callback=lambda _ctx, _param, off: choose_pager(wanted=not off),
        help=say("No pager for what is longer than the screen ($UNSTUCK_PAGER, $PAGER, less)."),
    )(f)
    return option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        expose_value=False,
        callback=lambda _ctx, _param, when: choose_colour(when),
        help=say(
            "Colours: auto (default; on a terminal), always or never; NO_COLOR and CLICOLOR_FORCE are heeded."
        ),
    )(f)


def lang(f: C) -> C:
    """Return --lang."""
    return option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=lambda: language(os.environ),
        callback=_choose_language,
        help=say("Output language (default: from LC_ALL, LC_MESSAGES, LANG)."),
    )(f)


def _choose_language(ctx: click.Context, _param: click.Parameter, wanted: Lang) -> Lang:
    """Return the language of the answer, with a note if the requested one cannot be displayed."""
    shown = choose_readable(wanted)
    if shown != wanted and ctx.get_parameter_source("lang") is ParameterSource.COMMANDLINE:
        click.echo(_NO_CHINESE.en, err=True)
    return shown


_NO_CHINESE = say("standard output has no Chinese characters in this locale: the answer is in English")


def explain(f: C) -> C:
    """Add --explain, which prints the judgement instead of the answer."""
    return option(
        "--explain",
        is_flag=True,
        help=say("Print every sign of every cause, its facts and the judgement."),
    )(f)


def everything(f: C) -> C:
    """Add --all, which prints the parts otherwise only counted."""
    return option(
        "--all",
        "everything",
        is_flag=True,
        help=say("Print everything: every lead and all evidence."),
    )(f)


def after(f: C) -> C:
    """Add --after: one threshold for all states."""
    return option(
        "--after",
        type=Duration(),
        metavar="D",
        help=say("Count a state as stuck after D (30s, 5m) instead of the usual times."),
    )(f)


def settings(f: C) -> C:
    """Add --config and --no-ignore, passed as `settings`. The file's time limit and language apply if the
    command line gives none.
    """
    return option_group(
        _SETTINGS, lambda given: _add_settings(given.pop("config"), given.pop("no_ignore"), given)
    )(f)


_SETTINGS = (
    option(
        "--config",
        metavar="FILE",
        type=click.Path(),
        help=say(
            "Known troubles and defaults; else $UNSTUCK_CONFIG, else unstuck/unstuck.yaml in ~/.config."
        ),
    ),
    option("--no-ignore", is_flag=True, help=say("Show known troubles, too.")),
)


def _add_settings(config: str | None, no_ignore: bool, given: dict[str, Any]) -> dict[str, Any]:
    from unstuck.api.settings_file import find_settings_path

    path = find_settings_path(config, os.environ)
    if path is None:
        return {**given, "settings": None}
    from unstuck.api.settings_file import load_settings

    loaded = load_settings(path)
    by_default = click.get_current_context().get_parameter_source("lang") is ParameterSource.DEFAULT
    if loaded.language and by_default:
        given = {**given, "lang": choose_readable(loaded.language)}
    if given.get("after") is None:
        given = {**given, "after": loaded.after}
    return {**given, "settings": loaded.all_shown() if no_ignore else loaded}


def save(f: C) -> C:
    """Add --save: the Snapshot of the answer."""
    return option(
        "--save",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        callback=_check_save_path,
        help=say("Save what was seen (.gz: compressed), for replay."),
    )(f)


def _check_save_path(_ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
    """Check the path before the cluster is asked. Errors: InputError if the path exists and is no regular
    file.
    """
    if path is not None:
        from unstuck.collect.output_file import check_target

        check_target(path, replace=True)
    return path
