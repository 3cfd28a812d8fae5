"""The API machinery's validation of labels and label requirements, with its own messages.

Sources (1.34): apimachinery pkg/labels/selector.go (`NewRequirement`), pkg/util/validation/validation.go,
pkg/util/validation/field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.derive.requirements import integer

_NAME_FORM = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE_FORM = f"({_NAME_FORM})?"
_PREFIX_FORM = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NAME, _VALUE, _PREFIX = (re.compile(form, re.ASCII) for form in (_NAME_FORM, _VALUE_FORM, _PREFIX_FORM))
_CHARACTERS = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character"
)
_NAME_EXAMPLES = f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME_FORM}')"
_BAD_NAME = f"must {_CHARACTERS} {_NAME_EXAMPLES}"
_BAD_PREFIX = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
    "must start and end with an "
    f"alphanumeric character (e.g. 'example.com', regex used for validation is '{_PREFIX_FORM}')"
)
_BAD_VALUE = (
    f"a valid label must be an empty string or {_CHARACTERS} "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE_FORM}')"
)
_NUMBERS = ("Gt", "Lt")
_OF_NODES = ("In", "NotIn", "Exists", "DoesNotExist", *_NUMBERS)


@lru_cache(maxsize=4096)
def key_faults(key: str) -> Sequence[str]:
    """Return the faults of a label's key (IsQualifiedName)."""
    parts = key.split("/")
    if len(parts) > 2:
        return (
            f"a qualified name {_BAD_NAME} with an optional DNS subdomain prefix and '/' (e.g. "
            "'example.com/MyName')",
        )
    name = parts[-1]
    found = []
    if len(parts) == 2:
        prefix = parts[0]
        if not prefix:
            found.append("prefix part must be non-empty")
        else:
            if len(prefix) > 253:
                found.append("prefix part must be no more than 253 characters")
            if not _PREFIX.fullmatch(prefix):
                found.append(f"prefix part {_BAD_PREFIX}")
    if not name:
        found.append("name part must be non-empty")
    elif len(name) > 63:
        found.append("name part must be no more than 63 characters")
    if not _NAME.fullmatch(name):
        found.append(f"name part {_BAD_NAME}")
    return tuple(found)


def value_faults(value: str) -> Sequence[str]:
    """Return the faults of a label's value (IsValidLabelValue)."""
    if len(value) <= 63 and _VALUE.fullmatch(value):
        return ()
    long = ("must be no more than 63 characters",) if len(value.encode()) > 63 else ()
    return long if _VALUE.fullmatch(value) else (*long, _BAD_VALUE)


def requirement_faults(r: Requirement, path: str = "") -> list[str]:
    """Return the faults of a requirement with a node selector operator. path: its place, such as
    `terms[0].`.
    """
    found = (
        [f"{path}key: Invalid value: {quote(r.key)}: {'; '.join(bad)}"] if (bad := key_faults(r.key)) else []
    )
    found += _count_faults(r, path)
    for i, value in enumerate(r.values):
        if bad := value_faults(value):
            found.append(f"{path}values[{i}][{r.key}]: Invalid value: {quote(value)}: {'; '.join(bad)}")
    return found


def _count_faults(r: Requirement, path: str) -> list[str]:
    """Return the faults in the number of values, or in the values of a numeric operator."""
    if r.operator in ("In", "NotIn") and r.values:
        return []
    found = []
    values = (
        f"{path}values: Invalid value: "
        f"{json.dumps(list(r.values) or None, ensure_ascii=False, separators=(',', ':'))}"
    )
    if r.operator in ("In", "NotIn") and not r.values:
        found.append(f"{values}: for 'in', 'notin' operators, values set can't be empty")
    elif r.operator in ("Exists", "DoesNotExist") and r.values:
        found.append(f"{values}: values set must be empty for exists and does not exist")
    elif r.operator in _NUMBERS:
        if len(r.values) != 1:
            found.append(f"{values}: for 'Gt', 'Lt' operators, exactly one value is required")
        for i, value in enumerate(r.values):
            if integer(value) is None:
                found.append(
                    f"{path}values[{i}]: Invalid value: {quote(value)}: for 'Gt', 'Lt' operators, the value "
                    "must be an integer"
                )
    return found


def node_faults(r: Requirement, path: str) -> list[str]:
    """Return the faults of a requirement on a Node's labels."""
    return (
        requirement_faults(r, f"{path}.")
        if r.operator in _OF_NODES
        else [unsupported_operator(r, path, _OF_NODES)]
    )


def field_faults(r: Requirement, path: str) -> list[str]:
    """Return the faults of a requirement on a Node's fields."""
    if r.operator not in ("In", "NotIn"):
        return [unsupported_operator(r, path, ("In", "NotIn"))]
    written = json.dumps(list(r.values) or None, ensure_ascii=False, separators=(",", ":"))
    return [] if len(r.values) == 1 else [f"{path}.values: Invalid value: {written}: must have one element"]


def unsupported_operator(r: Requirement, path: str, operators: Sequence[str]) -> str:
    """Return the message for an unsupported operator."""
    return (
        f"{path}.operator: Unsupported value: {quote(r.operator)}: supported values: "
        f"{', '.join(map(quote, operators))}"
    )


def join_faults(faults: Iterable[str]) -> str:
    """Join distinct errors into one; "" for none."""
    found = list(dict.fromkeys(faults))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]" if found else ""


def quote(text: str) -> str:
    """Quote as `%q` does, for text without control characters."""
    return json.dumps(text, ensure_ascii=False)
