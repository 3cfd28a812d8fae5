"""Writes the public signatures of `unstuck.api` to tests/api/signatures.txt: `python -m scripts.signatures`.

A test compares the file with the code: a change of the public interface appears as a change of this file, and
is noted in CHANGELOG.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from unstuck import api

FILE = Path(__file__).parents[1] / "tests" / "api" / "signatures.txt"


def list_signatures() -> str:
    """List one line for each public function, class, method, property and field."""
    return "".join(
        f"{line}\n" for name in sorted(api.__all__) for line in _list_lines(name, getattr(api, name))
    )


def _list_lines(name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, type):
        yield f"{name}{_format_signature(value)}"
        return
    yield f"class {name}"
    if is_dataclass(value):
        yield from (f"{name}.{f.name}: {f.type}{_format_default(f)}" for f in fields(value))
    public = {
        k: v
        for base in reversed(value.__mro__)
        if base.__module__.startswith("unstuck.")
        for k, v in vars(base).items()
    }
    for key, member in sorted(public.items()):
        if isinstance(member, property) and not key.startswith("_"):
            yield f"{name}.{key} -> {inspect.signature(member.fget).return_annotation}"  # type: ignore[arg-type]  # a property has one
        elif inspect.isfunction(member) and (not key.startswith("_") or key in ("__call__", "_repr_html_")):
            yield f"{name}.{key}{_format_signature(member)}"


def _format_signature(value: Any) -> str:
    found = inspect.signature(value)
    words = list[str]()
    before: Any = None
    for one in found.parameters.values():
        if before == one.POSITIONAL_ONLY != one.kind:
            words.append("/")
        if one.kind == one.KEYWORD_ONLY and before not in (one.KEYWORD_ONLY, one.VAR_POSITIONAL):
            words.append("*")
        words.append(_format_parameter(one))
        before = one.kind
    if before == inspect.Parameter.POSITIONAL_ONLY:
        words.append("/")
    return f"({', '.join(words)}) -> {found.return_annotation}"


def _format_parameter(one: inspect.Parameter) -> str:
    name = "*" * (one.kind == one.VAR_POSITIONAL) + one.name
    typed = f"{name}: {one.annotation}" if one.annotation is not one.empty else name
    if one.default is one.empty:
        return typed
    # A default that is a record is written as its type: its form changes with every field.
    return (
        f"{typed} = {f'{type(one.default).__name__}()' if is_dataclass(one.default) else repr(one.default)}"
    )


def _format_default(f: Field[Any]) -> str:
    if f.default is not MISSING:
        return f" = {f.default!r}"
    return " = ..." if f.default_factory is not MISSING else ""


if __name__ == "__main__":
    FILE.write_text(list_signatures(), "utf-8")
