"""Shell completion: kinds, names, Namespaces, contexts. Bounded in time, and silent: on any error it
offers nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from unstuck.collect.kube.transport.overrides import Overrides

# The time limit for one press of Tab.
SECONDS = 1.0


def list_kinds() -> tuple[str, ...]:
    """Return Kubernetes' own kinds in their typed form."""
    from unstuck.collect.objects.kinds import BUILTIN

    return tuple(kind.name.lower() for kind in BUILTIN)


def list_cause_ids() -> tuple[str, ...]:
    """Return the ids of all causes."""
    from unstuck.engine import list_causes

    return tuple(cause.id for cause in list_causes())


def list_entries(what: Literal["contexts", "clusters", "users"], kubeconfig: str | None) -> tuple[str, ...]:
    """Return the names in the kubeconfig."""

    def ask() -> Sequence[str]:
        from unstuck.collect.kube.transport.kubeconfig import list_names

        return sorted(list_names(kubeconfig, what))

    return _call_in_time(ask)


def list_object_names(
    word: str,
    *,
    context: str | None,
    kubeconfig: str | None,
    namespace: str | None,
    overrides: Overrides | None = None,
) -> tuple[str, ...]:
    """Return the names of a kind's objects: one page of them, asked once. word: the kind, as typed."""

    def ask() -> Sequence[str]:
        from unstuck.collect.kube.questions.selecting import names
        from unstuck.collect.kube.transport.client import load_client
        from unstuck.collect.kube.transport.overrides import NOTHING
        from unstuck.collect.kube.transport.session import Session
        from unstuck.collect.objects.kinds import find_kind

        kind = find_kind(word)
        if kind is None:
            return ()
        client = load_client(context, kubeconfig, namespace, SECONDS, overrides or NOTHING)
        return names(Session(client, client.namespace), kind, client.namespace, SECONDS)

    return _call_in_time(ask)


def _call_in_time(ask: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """Return the words found within `SECONDS`. A thread still waiting then is abandoned, and its plugin is
    ended.
    """
    found: list[str] = []

    def run() -> None:
        with suppress(Exception):
            found.extend(ask())

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    asking.join(SECONDS)
    if asking.is_alive() and (loaded := sys.modules.get("unstuck.collect.kube.transport.credentials")):
        loaded.end_plugins()
    return tuple(found)
