"""Kubernetes quantities as exact integers (resource.Quantity:
staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from unstuck.facts.regex import regex

_FORM = regex(
    r"^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$", re.ASCII
)
_SUFFIX: dict[str, Fraction] = {
    **{s: Fraction(1024) ** i for i, s in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    **{s: Fraction(1000) ** i for i, s in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    "m": Fraction(1, 1000),
    "u": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
}


def parse_quantity(text: str) -> Fraction | None:
    """Return `"100m"` → 1/10, `"1Gi"` → 1073741824; None if the text is no quantity."""
    match = _FORM.match(text.strip()) if len(text) < 64 else None
    if not match:
        return None
    number, exponent, suffix = match.groups()
    value = Fraction(number)
    if exponent:
        return value * Fraction(10) ** int(exponent[1:])
    return value * _SUFFIX[suffix] if suffix else value


@lru_cache(4096)
def parse_amount(resource: str, text: str) -> int | None:
    """Return the amount in the scheduler's unit: milli-CPU for cpu, else whole units, rounded up like the
    scheduler.
    """
    value = parse_quantity(text)
    if value is None:
        return None
    if resource == "cpu":
        value *= 1000
    return -((-value.numerator) // value.denominator)


def format_quantity(size: int) -> str:
    """Return bytes in the form of manifests: `5Gi`, or the plain number if no binary unit divides it."""
    units = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))
    return next((f"{size // of}{unit}" for unit, of in units if size and not size % of), str(size))


def format_amount(resource: str, amount: int) -> str:
    """Return `2.5 CPU`, `100 GiB of memory`, `1 nvidia.com/gpu`."""
    if resource == "cpu":
        return f"{amount / 1000:g} CPU"
    if resource in ("memory", "storage", "ephemeral-storage") or resource.startswith("hugepages-"):
        unit, size = next(
            (
                (u, s)
                for u, s in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
                if amount >= s
            ),
            ("bytes", 1),
        )
        return f"{round(amount / size, 1):g} {unit} of {resource}"
    return f"{amount} {resource}"
