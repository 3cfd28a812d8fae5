"""The pages of causes, read from where each cause lives."""

from __future__ import annotations

import difflib
import inspect
import sys
from typing import Any

from unstuck.cli import terminal
from unstuck.cli.answers import Output
from unstuck.cli.lang import Lang
from unstuck.diagnosis.cause import Cause
from unstuck.engine import discover
from unstuck.engine.discover import find, home
from unstuck.errors import NotFound
from unstuck.facts.text import Text
from unstuck.render.explain import cause_page, causes_list


def explain_cause(id_: str, output: Output, lang: Lang) -> int:
    """Prints one cause's page. Errors: NotFound with the nearest ids."""
    causes = discover()
    cause = find(causes, id_)
    if cause is None:
        raise _unknown(id_, causes)
    if output != "text":
        return _document(_record(cause), output)
    terminal.emit(cause_page(cause.id, page_of(cause, lang), terminal.colour()))
    return 0


def list_causes(output: Output, lang: Lang) -> int:
    """Prints every cause by family."""
    if output != "text":
        return _document([_record(c) for c in discover()], output)
    rows = [(c.id, c.title.zh if lang == "zh" else c.title.en) for c in discover()]
    terminal.emit(causes_list(rows, terminal.colour()))
    return 0


def page_of(cause: Cause, lang: Lang) -> str:
    """The page in Markdown: the module's docstring, or the Chinese page beside it."""
    if lang == "zh":
        path = home(cause).with_suffix(".zh.md")
        if path.is_file():
            return path.read_text("utf-8")
    return inspect.cleandoc(sys.modules[_module(cause)].__doc__ or cause.title.en)


def _module(cause: Cause) -> str:
    return cause.rule.__module__


def _record(cause: Cause) -> dict[str, Any]:
    return {
        "id": cause.id,
        "family": cause.family,
        "title": {"en": cause.title.en, "zh": cause.title.zh},
        "subjects": list(cause.subjects),
        "stages": list(cause.stages),
        "reads": sorted(f.__name__ for f in cause.reads),
        "aliases": list(cause.aliases),
        "page": {"en": page_of(cause, "en"), "zh": page_of(cause, "zh")},
    }


def _document(doc: object, output: Output) -> int:
    if output == "yaml":
        from unstuck.render.yaml import dumped  # noqa: PLC0415
    else:
        from unstuck.render.json import dumped  # noqa: PLC0415
    terminal.emit(dumped(doc))
    return 0


def _unknown(id_: str, causes: tuple[Cause, ...]) -> NotFound:
    ids = [c.id for c in causes]
    near = difflib.get_close_matches(id_, ids, 3, 0.5) or [i for i in ids if id_ and (i.startswith(id_) or id_ in i)][:3]
    named = ", ".join(near)
    hint = Text(f"nearest: {named}", f"最接近的是：{named}") if near else Text("unstuck explain lists them", "unstuck explain 列出全部原因")
    return NotFound(Text(f"no cause is called {id_!r}", f"没有名为 {id_!r} 的原因"), hint)
