"""The public interface of the library is a contract: a change of it changes a file, and is announced."""

from __future__ import annotations

import ast
import inspect
import pydoc
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.signatures import FILE, list_signatures

from unstuck import api


def test_no_signature_changes_unseen() -> None:
    assert list_signatures() == FILE.read_text("utf-8"), (
        "run `python -m scripts.signatures`, and tell the change in CHANGELOG.md"
    )


def public() -> Iterator[tuple[str, object]]:
    for name in api.__all__:
        value = getattr(api, name)
        yield name, value
        if isinstance(value, type):
            yield from (
                (f"{name}.{k}", v) for k, v in vars(value).items() if not k.startswith("_") and _written(v)
            )


def _written(member: object) -> bool:
    return isinstance(member, property) or inspect.isfunction(member)


@pytest.mark.parametrize(("name", "value"), [pytest.param(*found, id=found[0]) for found in public()])
def test_every_public_name_says_what_it_is(name: str, value: object) -> None:
    said = inspect.getdoc(value)
    assert said and said[0].isupper(), name
    assert "Record(" not in said


def test_a_type_checker_sees_what_is_there() -> None:
    """The names are written twice: where a type checker reads them, and where they are imported from when
    they are first used.
    """
    tree = ast.parse(Path(api.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name: (node.module, alias.name) for node in block.body for alias in node.names
    }
    assert seen == api._HOMES and sorted(seen) == sorted(api.__all__)


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'unstuck\.api' has no attribute 'nothing'"):
        _ = api.nothing
    assert set(dir(api)) == set(api.__all__)
    assert "connect" in pydoc.render_doc(api)
