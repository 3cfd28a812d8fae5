"""Finds the readers of a field, a file or a word in `collect`, by the literals in their source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LONGEST = 100


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """One text of the source. file: below `collect`. within: its function or table. names: what the file
    imports from facts.
    """

    file: str
    within: str
    text: str
    names: frozenset[str]

    def __str__(self) -> str:
        return f"collect/{self.file}, {self.within}: {self.text[:_LONGEST]}"


def find_places(folder: Path, fits: Callable[[str], bool]) -> Iterator[ReadPlace]:
    """Yield each function or table with a matching text once, with its first such text, by file."""
    for file in sorted(folder.rglob("*.py")):
        source = file.read_text("utf-8")
        if fits(source):
            yield from _find_in_file(ast.parse(source), file.relative_to(folder).as_posix(), fits)


def _find_in_file(tree: ast.Module, file: str, fits: Callable[[str], bool]) -> Iterator[ReadPlace]:
    imported = [
        n
        for n in tree.body
        if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("unstuck.facts.aspects")
    ]
    names = frozenset(alias.name for node in imported for alias in node.names)
    for part in tree.body:
        texts = (n.value for n in ast.walk(part) if isinstance(n, ast.Constant) and isinstance(n.value, str))
        line = next((line.strip() for text in texts for line in text.splitlines() if fits(line)), None)
        if line is not None:
            yield ReadPlace(file, _find_name(part), line, names)


def _find_name(part: ast.stmt) -> str:
    """Return the name of a function, class or table; "its docstring" if it has none."""
    if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
        return part.targets[0].id
    if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
        return part.target.id
    return getattr(part, "name", "its docstring")
