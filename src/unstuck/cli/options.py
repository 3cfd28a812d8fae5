"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from unstuck.cli.lang import Duration, language

C = TypeVar("C", bound=Callable[..., Any])


def shape(f: C) -> C:
    """How an answer is printed: -o and --lang."""
    f = click.option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=lambda: language(os.environ),
        help="Language; else as LC_ALL, LC_MESSAGES, LANG say.",
    )(f)
    return click.option(
        "-o", "--output", type=click.Choice(["text", "json", "yaml"]), default="text", help="text (default), json or yaml."
    )(f)


def explained(f: C) -> C:
    """--explain instead of the answer."""
    return click.option("--explain", is_flag=True, help="Every sign of every cause, its facts and the judgement.")(f)


def cluster(f: C) -> C:
    """Which cluster, as kubectl has it."""
    f = click.option("--kubeconfig", metavar="FILE", help="As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account.")(f)
    f = click.option("--context", metavar="NAME", help="A context of the kubeconfig.")(f)
    return click.option("-n", "--namespace", metavar="NS", help="The Namespace; else the context's.")(f)


def after(f: C) -> C:
    """--after: one threshold for all states."""
    return click.option("--after", type=Duration(), metavar="D", help="Call it stuck after D (30s, 5m) instead of the usual times.")(f)


def saved(f: C) -> C:
    """--save: the Snapshot of the answer."""
    return click.option(
        "--save", type=click.Path(dir_okay=False), metavar="FILE", help="Save what was seen (.gz: compressed), for replay."
    )(f)
