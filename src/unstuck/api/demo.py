"""The Snapshots that come with the package, and their answers."""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable

from unstuck.api.replaying import replay_saved
from unstuck.api.report import Report
from unstuck.api.saved_files import parse_saved
from unstuck.errors import NotFound
from unstuck.facts.text import Messages

say = Messages(__name__)

FIRST = "file-immutable"
_SUFFIX = ".json.gz"


def demo_names() -> tuple[str, ...]:
    """Return the names of the Snapshots in alphabetical order; () if none was installed."""
    return tuple(_snapshots())


def replay_demo(name: str) -> Report:
    """Answer the question of a demo Snapshot. Errors: NotFound with the nearest names."""
    known = _snapshots()
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.4)
        named = ", ".join(near)
        hint = say("nearest: {named}", named=named) if near else say("unstuck demo --list names them")
        raise NotFound(say("no record is called {name!r}", name=name), hint)
    return replay_saved(parse_saved(known[name].read_bytes(), name))


def _snapshots() -> dict[str, Traversable]:
    folder = files("unstuck") / "demo"
    if not folder.is_dir():
        return {}
    found = sorted((f for f in folder.iterdir() if f.name.endswith(_SUFFIX)), key=lambda f: f.name)
    return {f.name.removesuffix(_SUFFIX): f for f in found}
