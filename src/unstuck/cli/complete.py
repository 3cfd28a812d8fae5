"""Shell completion of the word under the cursor; also for `kubectl unstuck`, which calls a separate
executable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

Completer = Callable[[click.Context, click.Parameter, str], list[str]]
# cobra's directive: do not complete file names.
_NO_FILES = ":4"


def contexts(ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the contexts of the kubeconfig."""
    from unstuck.api.completing import list_entries

    return _completions(list_entries("contexts", ctx.params.get("kubeconfig")), prefix)


def clusters(ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the clusters of the kubeconfig."""
    from unstuck.api.completing import list_entries

    return _completions(list_entries("clusters", ctx.params.get("kubeconfig")), prefix)


def users(ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the users of the kubeconfig."""
    from unstuck.api.completing import list_entries

    return _completions(list_entries("users", ctx.params.get("kubeconfig")), prefix)


def namespaces(ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the cluster's Namespaces."""
    return _completions(_names("namespace", ctx), prefix)


def objects(ctx: click.Context, param: click.Parameter, prefix: str) -> list[str]:
    """Offer kinds, then the names of the typed kind; `KIND/NAME` as well."""
    from unstuck.api.completing import list_kinds

    typed = [word for word in ctx.params.get(param.name or "") or () if isinstance(word, str)]
    kind, slash, name = prefix.partition("/")
    if slash:
        return [f"{kind}/{found}" for found in _completions(_names(kind, ctx), name)]
    if typed and "/" not in typed[0]:
        return [found for found in _completions(_names(typed[0], ctx), prefix) if found not in typed[1:]]
    return _completions(list_kinds(), prefix)


def causes(_ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the ids of causes."""
    from unstuck.api.completing import list_cause_ids

    return _completions(list_cause_ids(), prefix)


def records(_ctx: click.Context, _param: click.Parameter, prefix: str) -> list[str]:
    """Offer the names of the demo."""
    from unstuck.api.demo import demo_names

    return _completions(demo_names(), prefix)


def _names(kind: str, ctx: click.Context) -> Sequence[str]:
    from unstuck.api.completing import list_object_names
    from unstuck.cli.cluster_options import overrides_of

    given: dict[str, Any] = ctx.params
    place = {name: given.get(name) for name in ("context", "kubeconfig", "namespace")}
    return list_object_names(kind, **place, overrides=overrides_of(given))


def _completions(words: Sequence[str], prefix: str) -> list[str]:
    """Keep the words with this prefix that are safe on a command line: a server's names may contain
    anything.
    """
    return [
        word
        for word in words
        if word.startswith(prefix) and word.isprintable() and not set(word) & set(" '\"`$\\;&|<>()!*?")
    ]


def main() -> None:
    """Answer kubectl, which passes the words and shows the output: one word per line and a final
    directive.
    """
    from click.shell_completion import ShellComplete

    from unstuck.cli.app import app

    words = sys.argv[1:] or [""]
    try:
        found = ShellComplete(app, {}, "kubectl unstuck", "").get_completions(words[:-1], words[-1])
        lines = [item.value for item in found if item.type == "plain"]
    except Exception:
        # A shell would print a message in the middle of the line.
        lines = []
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, _NO_FILES)))
    sys.stdout.flush()
    # As after every command, threads are not waited for.
    os._exit(0)
