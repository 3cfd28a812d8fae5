"""The document of `unstuck/v1` as YAML: the same values as the JSON."""

from __future__ import annotations

from typing import Any

import yaml

from unstuck.diagnosis.answer import Answer
from unstuck.render.json import make_document
from unstuck.render.visible import is_hidden


class _Dumper(yaml.SafeDumper):
    """A dumper without anchors: a repeated reference is written out twice, as in JSON."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    # A string with a hidden character is quoted, so that the escape below has its meaning.
    style = '"' if any(is_hidden(c) for c in value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _string)


def write_yaml(report: Answer, *, members: bool = False) -> str:
    """Return the document with its keys in order and Chinese verbatim; hidden characters are escapes.
    members: as in `make_document`.
    """
    return dump(make_document(report, members=members))


def dump(doc: object) -> str:
    """Write any document of plain values."""
    text = yaml.dump(doc, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**20)
    return "".join(_escape(c) if c != "\n" and is_hidden(c) else c for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
