"""Every cause, found by walking the package: adding one edits nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from unstuck import causes
from unstuck.diagnosis.cause import Cause


@cache
def discover() -> tuple[Cause, ...]:
    """All causes by id. A module of the package without a `CAUSE` is a helper of its family (its name begins with `_`)."""
    found = [cause for family in pkgutil.iter_modules(causes.__path__, causes.__name__ + ".") for cause in _family(family.name)]
    return tuple(sorted(found, key=lambda c: c.id))


def _family(name: str) -> Iterator[Cause]:
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__, name + "."):
        if not module.name.rpartition(".")[2].startswith("_"):
            yield importlib.import_module(module.name).CAUSE


def home(cause: Cause) -> Path:
    """The path of a cause's module; its pages and cases lie beside it."""
    module = importlib.import_module(cause.rule.__module__)
    return Path(str(module.__file__))


def find(causes_: tuple[Cause, ...], id_: str) -> Cause | None:
    """By id or by an alias."""
    return next((c for c in causes_ if c.id == id_ or id_ in c.aliases), None)
