"""The places where the source reads a word of a failed call, and the compared values.

mypy refuses `f.error == "no-such-word"`. It accepts a nonexistent word inside `in (…)`, in an untyped
constant, as a key of a dict, or in a compared tuple: these places are found here, from the source alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

# The reading attributes, and the type names of values comparable with them.
READS = {"operation": ("Operation",), "error": ("ErrorWord", "RefusalWord", "UnreadableWord", "ProgramError")}


class Use(NamedTuple):
    """One comparison. reads: `operation` or `error`. word: the compared literal, "" for a value of unknown
    words.

    prefix: whether the word is only a prefix.
    """

    path: Path
    line: int
    reads: str
    word: str
    prefix: bool = False


class Names(NamedTuple):
    """The meanings of names in one file. types: from annotations. values: from assignments and loops."""

    types: dict[str, str]
    values: dict[str, ast.expr]


def find_uses(path: Path) -> Iterator[Use]:
    """Yield every comparison of a word in this file: its literals, and each value neither literal nor
    typed.
    """
    text = path.read_text("utf-8")
    if not any(f".{word}" in text for word in READS):
        return
    tree = ast.parse(text)
    names = Names(_list_types(tree), _list_values(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, other in pairwise(sides):
                yield from _find_compared(path, one, other, names)
                yield from _find_compared(path, other, one, names)
        elif isinstance(node, ast.Subscript):
            yield from _find_compared(path, node.slice, node.value, names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr == "get":
                yield from _find_compared(path, node.args[0], node.func.value, names)
            elif node.func.attr == "startswith":
                yield from (
                    use._replace(prefix=True)
                    for use in _find_compared(path, node.func.value, node.args[0], names)
                )


def _find_compared(path: Path, one: ast.expr, other: ast.expr, names: Names) -> Iterator[Use]:
    """Yield the words in `other`, if `one` reads a word."""
    if isinstance(one, ast.Tuple):
        there = names.values.get(other.id, other) if isinstance(other, ast.Name) else other
        parts = (
            there.elts
            if isinstance(there, ast.Tuple) and len(there.elts) == len(one.elts)
            else [there] * len(one.elts)
        )
        for mine, its in zip(one.elts, parts, strict=True):
            yield from _find_compared(path, mine, its, names)
    elif isinstance(one, ast.Attribute) and one.attr in READS:
        yield from (
            Use(path, other.lineno, one.attr, *found) for found in _list_words(other, one.attr, names)
        )


def _list_words(value: ast.expr, reads: str, names: Names) -> Iterator[tuple[str, bool]]:
    """Yield each literal of a value with whether it is only a prefix; ("", False) if its words are
    unknown.
    """
    if isinstance(value, ast.Constant):
        if isinstance(value.value, str):
            yield value.value, False
    elif isinstance(value, ast.JoinedStr) and isinstance(first := value.values[0], ast.Constant):
        yield str(first.value), True
    elif (parts := _list_parts(value)) is not None:
        for part in parts:
            yield from _list_words(part, reads, names)
    elif not _is_typed(value, reads, names):
        assigned = names.values.get(value.id) if isinstance(value, ast.Name) else None
        if assigned is None or isinstance(assigned, ast.Name):
            yield "", False
        else:
            yield from _list_words(assigned, reads, names)


def _list_parts(value: ast.expr) -> list[ast.expr] | None:
    """Return the elements of a display; None for other values."""
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return value.elts
    if isinstance(value, ast.Dict):
        return [key for key in value.keys if key is not None]
    if isinstance(value, ast.Starred):
        return [value.value]
    return [value.elt] if isinstance(value, ast.SetComp) else None


def _is_typed(value: ast.expr, reads: str, names: Names) -> bool:
    """Tell whether a value has a vocabulary type, so that mypy has checked its words."""
    if isinstance(value, ast.Attribute):
        # Another fact's own word, or a constant of another module.
        return value.attr in READS or value.attr.isupper()
    name = value.func if isinstance(value, ast.Call) else value
    known = names.types.get(name.id, "") if isinstance(name, ast.Name) else ""
    return any(wanted in known for wanted in READS[reads])


def _list_types(tree: ast.Module) -> dict[str, str]:
    """Return the annotated types: of parameters, assignments, functions, and constants of other modules."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            found[node.arg] = ast.unparse(node.annotation)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = ast.unparse(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            found[node.name] = ast.unparse(node.returns)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("unstuck."):
            found |= {
                (a.asname or a.name): _find_types_there(node.module, a.name)
                for a in node.names
                if a.name.isupper()
            }
    return found


def _list_values(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the values assigned to names, or iterated over by them."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.comprehension | ast.For) and isinstance(node.target, ast.Name):
            found[node.target.id] = node.iter
    return found


def _find_types_there(module: str, name: str) -> str:
    base = Path(__file__).parents[2] / "src" / Path(*module.split("."))
    path = base.with_suffix(".py") if base.with_suffix(".py").is_file() else base / "__init__.py"
    return _find_types(path).get(name, "")


@cache
def _find_types(path: Path) -> dict[str, str]:
    return _list_types(ast.parse(path.read_text("utf-8")))


def find_made(path: Path, kind: str) -> Iterator[tuple[str, str]]:
    """Yield (field, literal) of every keyword argument of this record type's constructor here:
    `Failure(operation="evict", …)`.
    """
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if f"{kind}(" in text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == kind:
            for keyword in node.keywords:
                if (
                    keyword.arg
                    and isinstance(keyword.value, ast.Constant)
                    and isinstance(keyword.value.value, str)
                ):
                    yield keyword.arg, keyword.value.value
