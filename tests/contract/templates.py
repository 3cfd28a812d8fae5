"""Every template of a command in the source, found by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import unstuck
from unstuck.facts.codec import find_fact_types

SOURCE = Path(unstuck.__file__).parent
# What the templates of these are is said in another place: in `ask` of every fact, which is tried by itself.
INDIRECT = {"engine/manual_commands.py"}
BUILDERS = {"command", "built"}


class NotLiteralError(Exception):
    """A template that is put together from something."""


# Those that meet a node, a server or a text run programs themselves, or read of them; they print nothing.
LEFT_OUT = ("collect/", "agent/", "wording/", "scheduling/")


@cache
def list_modules() -> tuple[tuple[str, ast.Module, tuple[ast.AST, ...]], ...]:
    """Each module of the product that may make a command, by its path, with all its nodes."""
    names = [(str(path.relative_to(SOURCE)), path) for path in sorted(SOURCE.rglob("*.py"))]
    trees = [
        (name, ast.parse(path.read_text("utf-8"))) for name, path in names if not name.startswith(LEFT_OUT)
    ]
    return tuple((name, tree, tuple(ast.walk(tree))) for name, tree in trees)


def has_builder(nodes: tuple[ast.AST, ...]) -> bool:
    """Whether this module has the function that makes commands."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "unstuck.diagnosis.command"
        and any(a.name == "command" for a in node.names)
        for node in nodes
    )


def in_module(tree: ast.Module, nodes: tuple[ast.AST, ...]) -> Iterator[tuple[int, str]]:
    """The templates that are handed over here. Errors: NotLiteralError."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BUILDERS:
            yield node.lineno, _read_literal(node, constants)


def _read_literal(call: ast.Call, constants: dict[str, object]) -> str:
    first = call.args[0] if len(call.args) == 1 else None
    value = (
        first.value
        if isinstance(first, ast.Constant)
        else constants.get(first.id)
        if isinstance(first, ast.Name)
        else None
    )
    if not isinstance(value, str):
        raise NotLiteralError(f"line {call.lineno}: {ast.unparse(call)}")
    return value


@cache
def list_templates() -> tuple[str, ...]:
    """All of them."""
    made = [
        text
        for name, tree, nodes in list_modules()
        if has_builder(nodes) and name not in INDIRECT
        for _, text in in_module(tree, nodes)
    ]
    return (*made, *sorted({kind.ask for kind in find_fact_types().values() if kind.ask}))
