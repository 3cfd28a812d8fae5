"""The records that come with the package, and their answers."""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable

from unstuck.api.replaying import replay_saved
from unstuck.api.report import Report
from unstuck.api.saved_files import parse_saved
from unstuck.cli.answers import OutputOptions, answer, printed
from unstuck.cli.misuse import Misuse
from unstuck.cli.terminal import emit
from unstuck.errors import NotFound
from unstuck.facts.text import Messages
from unstuck.render.words import in_lang

say = Messages(__name__)

_END = ".json.gz"


def records() -> dict[str, Traversable]:
    """Return every record by its name, in the order of names."""
    folder = files("unstuck") / "demo"
    if not folder.is_dir():
        return {}
    return {f.name.removesuffix(_END): f for f in sorted(folder.iterdir(), key=lambda f: f.name) if f.name.endswith(_END)}


def print_names() -> int:
    """Return one name a line."""
    emit("".join(f"{name}\n" for name in records()))
    return 0


def play_one(name: str, shape: OutputOptions) -> int:
    """Return one record's answer and its exit status. Errors: NotFound with the nearest names."""
    return answer(_load(name), shape)


FIRST = "file-immutable"
OTHERS = say("Others (unstuck demo NAME; all of them: unstuck demo --all):")


def play_first(shape: OutputOptions) -> int:
    """Print one record's answer, and for people the names of the others."""
    found = list(records())
    name = FIRST if FIRST in found or not found else found[0]
    if not shape.read_by_people:
        answer(_load(name), shape)
        return 0
    others = "".join(f"  {other}\n" for other in found if other != name)
    emit(f"── {name} ──\n\n{printed(_load(name), shape)}\n{in_lang(OTHERS, shape.lang)}\n{others}")
    return 0


def play_all(shape: OutputOptions) -> int:
    """Return every record's answer, one after the other, below its name."""
    found = records()
    if shape.output not in ("text", "wide", "json", "yaml"):
        raise Misuse(say("-o {output} holds one answer: name a record of --list", output=shape.output))
    if not found:
        raise NotFound(
            say("no records come with this installation"),
            say("make record records them from the lab"),
        )
    for i, name in enumerate(found):
        body = printed(_load(name), shape)
        if shape.read_by_people:
            emit(("\n" if i else "") + f"── {name} ──  (unstuck demo {name})\n\n{body}")
        else:
            emit(("---\n" if shape.output == "yaml" and i else "") + body)
    return 0


def _load(name: str) -> Report:
    found = records()
    if name not in found:
        near = difflib.get_close_matches(name, found, 3, 0.4)
        named = ", ".join(near)
        hint = say("unstuck demo --list names them")
        hint = say("nearest: {named}", named=named) if near else hint
        raise NotFound(say("no record is called {name!r}", name=name), hint)
    return replay_saved(parse_saved(found[name].read_bytes(), name))
