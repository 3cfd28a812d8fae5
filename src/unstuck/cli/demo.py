"""`demo`: prints the answers of the packaged Snapshots."""

from __future__ import annotations

from unstuck.api.demo import FIRST, demo_names, replay_demo
from unstuck.cli.answers import OutputOptions, answer, format_report
from unstuck.cli.misuse import Misuse
from unstuck.cli.terminal import emit
from unstuck.errors import NotFound
from unstuck.facts.text import Messages
from unstuck.render.words import in_lang

say = Messages(__name__)

OTHERS = say("Others (unstuck demo NAME; all of them: unstuck demo --all):")


def print_names() -> int:
    """Print one name per line."""
    emit("".join(f"{name}\n" for name in demo_names()))
    return 0


def play_one(name: str, shape: OutputOptions) -> int:
    """Print one answer and return its exit status. Errors: NotFound with the nearest names."""
    return answer(replay_demo(name), shape)


def play_first(shape: OutputOptions) -> int:
    """Print one answer, and in text output the names of the others."""
    names = demo_names()
    first = FIRST if FIRST in names or not names else names[0]
    if not shape.is_for_people:
        answer(replay_demo(first), shape)
        return 0
    others = "".join(f"  {name}\n" for name in names if name != first)
    emit(
        f"── {first} "
        f"──\n\n{format_report(replay_demo(first), shape)}\n{in_lang(OTHERS, shape.lang)}\n{others}"
    )
    return 0


def play_all(shape: OutputOptions) -> int:
    """Print every answer below its name."""
    names = demo_names()
    if shape.output not in ("text", "wide", "json", "yaml"):
        raise Misuse(say("-o {output} holds one answer: name a record of --list", output=shape.output))
    if not names:
        raise NotFound(
            say("no records come with this installation"),
            say("make record records them from the lab"),
        )
    for i, name in enumerate(names):
        body = format_report(replay_demo(name), shape)
        if shape.is_for_people:
            emit(("\n" if i else "") + f"── {name} ──  (unstuck demo {name})\n\n{body}")
        else:
            emit(("---\n" if shape.output == "yaml" and i else "") + body)
    return 0
