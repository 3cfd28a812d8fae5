"""Requirements on labels: their evaluation, and their form in kubectl.

Source (1.34): apimachinery pkg/labels/selector.go (`Requirement.Matches`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.regex import regex

_INTEGER = regex(r"[+-]?[0-9]{1,30}", re.ASCII)


def integer(text: str | None) -> int | None:
    """Return the integer as ParseInt reads it in base 10 and 64 bits."""
    number = int(text) if text is not None and _INTEGER.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def holds(r: Requirement, labels: Mapping[str, str]) -> bool:
    """Tell whether labels meet a valid requirement. NotIn and DoesNotExist hold if the label is missing."""
    value = labels.get(r.key)
    match r.operator:
        case "In":
            return value is not None and value in r.values
        case "NotIn":
            return value is None or value not in r.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    have, bound = integer(value), integer(r.values[0])
    if have is None or bound is None:
        return False
    return have > bound if r.operator == "Gt" else have < bound


def write_requirement(r: Requirement) -> str:
    """Return a requirement in the form of `kubectl -l`."""
    match r.operator:
        case "Exists":
            return r.key
        case "DoesNotExist":
            return f"!{r.key}"
        case "In" if len(r.values) == 1:
            return f"{r.key}={r.values[0]}"
        case "Gt" | "Lt":
            return f"{r.key}{'>' if r.operator == 'Gt' else '<'}{','.join(r.values)}"
    return f"{r.key} {r.operator.lower()} ({','.join(r.values)})"
