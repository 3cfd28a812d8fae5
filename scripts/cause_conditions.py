"""Finds, from their sources, the causes whose rule may say that its question does not arise
(`Signs.applies`).

Behind a shut gate that is all that an answer shows of a rule, so that no other rule runs there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from unstuck import causes

# A module, and the name of a definition in it.
_Place = tuple[str, str]


class _Definition(NamedTuple):
    """One definition of a module. used: the names in it. says: whether it sets `applies`."""

    used: frozenset[str]
    says: bool


class _SourceModule(NamedTuple):
    definitions: Mapping[str, list[_Definition]]
    imported: Mapping[str, _Place]


def find_conditional() -> frozenset[str]:
    """Return the modules of causes from which a definition can be reached that sets `applies`."""
    package = Path(causes.__path__[0])
    sources = {
        ".".join((causes.__name__, *path.relative_to(package).with_suffix("").parts)): _read(path)
        for path in package.rglob("*.py")
    }
    return frozenset(module for module in sources if any(d.says for d in _reach(module, sources)))


def _reach(module: str, sources: Mapping[str, _SourceModule]) -> Iterator[_Definition]:
    """Yield the module's definitions and those that they use, in any module of causes."""
    todo: list[_Place] = [(module, name) for name in sources[module].definitions]
    seen: set[_Place] = set()
    while todo:
        place = todo.pop()
        if place in seen or place[0] not in sources:
            continue
        seen.add(place)
        definitions, imported = sources[place[0]]
        if place[1] in imported:
            todo.append(imported[place[1]])
        # A whole module may have been imported.
        inner = ".".join(place)
        todo += [(inner, name) for name in (sources[inner].definitions if inner in sources else ())]
        for definition in definitions.get(place[1], ()):
            yield definition
            todo += [(place[0], name) for name in definition.used]


def _read(path: Path) -> _SourceModule:
    definitions: dict[str, list[_Definition]] = {}
    imported: dict[str, _Place] = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        inner = list(ast.walk(node))
        for one in (n for n in inner if isinstance(n, ast.ImportFrom)):
            imported |= {a.asname or a.name: (one.module or "", a.name) for a in one.names}
        names = [n.id for n in inner if isinstance(n, ast.Name)]
        definition = _Definition(
            frozenset(names), any(isinstance(n, ast.keyword) and n.arg == "applies" for n in inner)
        )
        own = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else names
        for name in own or [""]:
            definitions.setdefault(name, []).append(definition)
    return _SourceModule(definitions, imported)
