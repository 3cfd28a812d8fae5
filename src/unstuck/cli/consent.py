"""Asks for consent at the terminal, with a description, before anything is created on a node."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unstuck.cli.lang import Lang
from unstuck.diagnosis.text import Messages, Text
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api import LeftPod, Plan
    from unstuck.cli.progress import Spinner

say = Messages(__name__)

ASK = say("Create it? [y/N] ")
# Answers in either language: the Chinese text has both.
YES = say("y yes")


class TerminalConsent:
    """Describes the planned Pod once for each node and asks once, unless --probe agreed in advance."""

    def __init__(self, lang: Lang, spinner: Spinner, *, agreed: bool) -> None:
        """Store the spinner, which is hidden during the question."""
        self._lang, self._spinner = lang, spinner
        self._answer = True if agreed else None
        self._described_nodes: set[str] = set()

    def __call__(self, plans: Sequence[Plan], /) -> bool:
        """Ask as any `Consent` does."""
        with self._spinner.hide():
            for plan in plans:
                if plan.node not in self._described_nodes:
                    sys.stderr.write(visible(self._describe(plan)) + "\n")
                    self._described_nodes.add(plan.node)
            if self._answer is None:
                sys.stderr.write(in_lang(ASK, self._lang))
                sys.stderr.flush()
                self._answer = sys.stdin.readline().strip().lower() in YES.zh.split()
            sys.stderr.flush()
        return self._answer

    def tell_left(self, left: Sequence[LeftPod], /) -> None:
        """Report leftover Pods of killed clients."""
        with self._spinner.hide():
            for one in left:
                sys.stderr.write(visible(in_lang(_leftover_text(one), self._lang)) + "\n")
            sys.stderr.flush()

    def _describe(self, plan: Plan) -> str:
        return in_lang(_plan_text(plan), self._lang) + (
            "" if plan.guarded else " " * (self._lang != "zh") + in_lang(_exposure_text(plan), self._lang)
        )


def _plan_text(plan: Plan) -> Text:
    capabilities, mounts = ", ".join(plan.capabilities), ", ".join(plan.mounts)
    return say(
        "On {node}, for at most 30 s, a Pod that looks: in Namespace {namespace}, image {image}; "
        "capabilities {capabilities}, not privileged, no token, no host PID or network; from the node "
        "{mounts}, read-only. It is deleted afterwards; if unstuck itself is killed, the Pod ends within 30 "
        "s, and the next --probe in this Namespace deletes it, as this one does with what earlier ones left.",
        node=plan.node,
        namespace=plan.namespace,
        image=plan.image,
        capabilities=capabilities,
        mounts=mounts,
    )


def _exposure_text(plan: Plan) -> Text:
    return say(
        "Whoever may run commands in Pods of Namespace {namespace} has these rights on the node as long as "
        "it runs: no policy of the chart that forbids it was found.",
        namespace=plan.namespace,
    )


def _leftover_text(one: LeftPod) -> Text:
    pod = f"{one.namespace}/{one.name}"
    if one.why:
        return say(
            "a killed unstuck has left Pod {pod}, and it cannot be deleted: {why}", pod=pod, why=one.why
        )
    return say("deleted what a killed unstuck had left: Pod {pod}", pod=pod)
