"""Every cause, found by walking the package: adding one edits nothing else.

`discover` imports them all; `list_causes` imports a cause when it is judged. See
docs/why/causes-on-demand.md.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import cast

from unstuck import causes
from unstuck.causes.index import ASKED
from unstuck.diagnosis.cause import AskableCause, Cause, Need
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.text import TRANSLATIONS
from unstuck.facts.vocabulary.stages import StageId

# The package of all names in the index.
_PACKAGE = "unstuck."


@cache
def discover() -> tuple[Cause, ...]:
    """Return all causes by id. A module of the package without a `CAUSE` is a helper of its family (its
    name begins with `_`).
    """
    packages = (p for p in pkgutil.iter_modules(causes.__path__, causes.__name__ + ".") if p.ispkg)
    return tuple(
        sorted((cause for family in packages for cause in _import_family(family.name)), key=lambda c: c.id)
    )


def _import_family(name: str) -> Iterator[Cause]:
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__, name + "."):
        if not module.name.rpartition(".")[2].startswith("_"):
            yield _load_cause(module.name)


def _load_cause(module: str) -> Cause:
    cause: Cause = importlib.import_module(module).CAUSE
    return cause


@cache
def list_causes() -> tuple[AskableCause, ...]:
    """Return the same causes in the same order, each imported only when its rule is needed.

    A cause that the index lacks is imported at once, so that it is asked about as soon as its module exists.
    """
    try:
        modules = [m for root in causes.__path__ for m in _list_modules(root)]
    except NotADirectoryError:  # inside an archive
        return discover()
    found = (
        ListedCause(id_, module, ASKED[id_]) if id_ in ASKED else _load_cause(module)
        for id_, module in modules
    )
    return tuple(sorted(found, key=lambda c: c.id))


def _list_modules(root: str) -> Iterator[tuple[str, str]]:
    """Yield each cause's id and module name, derived from the file's name: `FAMILY/SOME_FAULT.py` holds
    `family.some-fault`.
    """
    for family in os.scandir(root):
        if family.name.startswith("_") or not family.is_dir():
            continue
        for file in os.scandir(family.path):
            stem, _, end = file.name.partition(".")
            if end == "py" and not stem.startswith("_"):
                yield f"{family.name}.{stem.replace('_', '-')}", f"{causes.__name__}.{family.name}.{stem}"


class ListedCause:
    """A cause as the index has it: its id, when it is asked, and its title; the rest comes from its module.
    row: of the index.
    """

    def __init__(self, id_: str, module: str, row: str) -> None:
        self.id = id_
        self._module = module
        subjects, stages, self._needs, self._title = row.split(": ", 3)
        self.subjects = tuple(subjects.split())
        self.stages = cast(tuple[StageId, ...], tuple(stages.split()))

    @cached_property
    def cause(self) -> Cause:
        """The cause itself. Errors: RuntimeError if the index disagrees with it, which no release has."""
        cause = _load_cause(self._module)
        if (cause.id, make_row(cause)) != (self.id, make_row(self)):
            raise RuntimeError(f"the index of causes is out of date for {self.id}: run `make docs`")
        return cause

    @cached_property
    def title(self) -> Text:
        """The cause's."""
        return Messages(self._module)(self._title)

    @cached_property
    def needs(self) -> Need | None:
        """The cause's, imported without the cause."""
        return _import_need(self._needs) if self._needs else None

    @property
    def rule(self) -> Callable[[Ref, Facts], Signs]:
        """The cause's."""
        return self.cause.rule

    @property
    def fallback(self) -> bool:
        """The cause's."""
        return self.cause.fallback

    @property
    def intended(self) -> bool:
        """The cause's."""
        return self.cause.intended


@cache
def _import_need(name: str) -> Need:
    """Import the function that an index row names as `MODULE.FUNCTION`."""
    module, _, function = name.rpartition(".")
    need: Need = getattr(importlib.import_module(_PACKAGE + module), function)
    return need


def make_row(cause: AskableCause) -> str:
    """Return a cause's entry in the index: its kinds of subjects, its stages, the name of its precondition,
    and its title.
    """
    needs = _name_need(cause.needs) if cause.needs else ""
    return ": ".join((" ".join(cause.subjects), " ".join(cause.stages), needs, cause.title.en))


def _name_need(need: Need) -> str:
    return f"{need.__module__}.{need.__qualname__}".removeprefix(_PACKAGE)


def locate_module(cause: Cause) -> Path:
    """Return the path of a cause's module; its pages and cases are beside it."""
    module = importlib.import_module(cause.rule.__module__)
    return Path(str(module.__file__))


def read_chinese_page(cause: Cause) -> str:
    """Return the page beside a cause's module, without its section of translations; an empty one if there
    is none yet.
    """
    path = locate_module(cause).with_suffix(".zh.md")
    return path.read_text("utf-8").partition(TRANSLATIONS)[0] if path.is_file() else ""


def find(causes_: tuple[Cause, ...], id_: str) -> Cause | None:
    """Find a cause by id or by an alias."""
    return next((c for c in causes_ if c.id == id_ or id_ in c.aliases), None)
