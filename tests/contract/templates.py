"""Every command template in the source, found by the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import unstuck
from unstuck.facts.codec import find_fact_types

SOURCE = Path(unstuck.__file__).parent
# The templates of these modules are defined elsewhere: in `ask` of every fact, which has its own test.
INDIRECT = {"engine/manual_commands.py"}
BUILDERS = {"command", "built"}


class NotLiteralError(Exception):
    """A template composed at run time."""


# Packages for nodes, servers and texts run programs themselves, or read about them; they print no commands.
LEFT_OUT = ("collect/", "agent/", "wording/", "scheduling/")


@cache
def list_modules() -> tuple[tuple[str, ast.Module, tuple[ast.AST, ...]], ...]:
    """Return each module of the product that may make a command, with its path and all its syntax nodes."""
    names = [(str(path.relative_to(SOURCE)), path) for path in sorted(SOURCE.rglob("*.py"))]
    trees = [
        (name, ast.parse(path.read_text("utf-8"))) for name, path in names if not name.startswith(LEFT_OUT)
    ]
    return tuple((name, tree, tuple(ast.walk(tree))) for name, tree in trees)


def has_builder(nodes: tuple[ast.AST, ...]) -> bool:
    """Tell whether this module imports the function for making commands."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "unstuck.diagnosis.command"
        and any(a.name == "command" for a in node.names)
        for node in nodes
    )


def in_module(tree: ast.Module, nodes: tuple[ast.AST, ...]) -> Iterator[tuple[int, str]]:
    """Yield the templates passed in this module. Errors: NotLiteralError."""
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
    """List all templates."""
    made = [
        text
        for name, tree, nodes in list_modules()
        if has_builder(nodes) and name not in INDIRECT
        for _, text in in_module(tree, nodes)
    ]
    return (*made, *sorted({kind.ask for kind in find_fact_types().values() if kind.ask}))
