"""YAML within limits that no input can exceed.

It is parsed to events first and counted: depth, nodes, aliases (kubectl's output has none; a bomb is made of
them). Nothing is constructed but strings, numbers, booleans, lists and mappings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Times stay strings, as in JSON; nothing is resolved to a date, and `on`/`off` stay words."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in rows if tag not in ("tag:yaml.org,2002:timestamp",)]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def resolve(text: str) -> Any:
    """Resolve a plain scalar: a number, a truth value, None, else the text itself. Errors: ValueError for
    `<<` and `=`.
    """
    for tag, regex in (
        *_Loader.yaml_implicit_resolvers.get(text[:1], ()),
        *_Loader.yaml_implicit_resolvers.get(None, ()),
    ):
        if regex.match(text):
            if tag in ("tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"):
                raise ValueError("no scalar")
            return yaml.load(text, Loader=_Loader)  # noqa: S506 - the safe one with fewer tags
    return text


def load(text: str, deepest: int, most: int) -> Iterator[Any]:
    """Yield the documents of a text. Errors: ValueError for a deeper text, for more nodes or aliases, or for
    text that is not YAML.
    """
    try:
        _check_bounds(text, deepest, most)
        yield from yaml.load_all(text, Loader=_Loader)
    except yaml.YAMLError as e:
        raise ValueError("no YAML") from e


def _check_bounds(text: str, deepest: int, most: int) -> None:
    deep = 0
    for nodes, event in enumerate(yaml.parse(text, Loader=_Loader)):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("an alias")
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            deep += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            deep -= 1
        if deep > deepest or nodes > most:
            raise ValueError("too deep or too many nodes")
