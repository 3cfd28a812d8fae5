"""The records that come with the package, and their answers."""

from __future__ import annotations

import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable

from unstuck.api.replaying import replayed
from unstuck.api.report import Report
from unstuck.api.saved_files import parse_saved
from unstuck.cli.answers import OutputOptions, answer, printed
from unstuck.cli.misuse import Misuse
from unstuck.cli.terminal import emit
from unstuck.errors import NotFound
from unstuck.facts.text import Text
from unstuck.render.words import in_lang

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
OTHERS = Text("Others (unstuck demo NAME; all of them: unstuck demo --all):", "其他（unstuck demo NAME；全部：unstuck demo --all）：")


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
        raise Misuse(
            Text(
                f"-o {shape.output} holds one answer: name a record of --list",
                f"-o {shape.output} 只含一个回答：请用 --list 中的名称指定记录",
            )
        )
    if not found:
        raise NotFound(
            Text("no records come with this installation", "此安装不带任何记录"),
            Text("make record records them from the lab", "make record 可从实验集群录制"),
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
        hint = Text("unstuck demo --list names them", "unstuck demo --list 列出全部记录")
        hint = Text(f"nearest: {named}", f"最接近的是：{named}") if near else hint
        raise NotFound(Text(f"no record is called {name!r}", f"没有名为 {name!r} 的记录"), hint)
    return replayed(parse_saved(found[name].read_bytes(), name))
