"""The published schema in closed form, for our own documents, which have only the listed fields and
values.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from unstuck.render.schema import make_schema


def _close(part: Any) -> Any:
    if isinstance(part, list):
        return [_close(one) for one in part]
    if not isinstance(part, dict):
        return part
    inner = {key: _close(value) for key, value in part.items()}
    if isinstance(part.get("properties"), dict):
        inner["additionalProperties"] = False
    # `examples` is a keyword here only beside `type`: a property may have that name.
    if part.get("type") == "string" and "examples" in part:
        inner["enum"] = part["examples"]
    return inner


CLOSED = Draft202012Validator(_close(make_schema()))
