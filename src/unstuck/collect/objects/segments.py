"""Escapes names in the paths and selectors of requests: always one segment, one value.

Source: k8s.io/apimachinery pkg/api/validation/path/name.go (no object is called `.` or `..`, or has `/` or
`%` in its name); pkg/fields/selector.go, EscapeValue.
"""

from __future__ import annotations

from urllib.parse import quote, unquote


def escape_segment(name: str) -> str:
    """Escape a name as one segment of a path. An impossible name stays one: see `leads_elsewhere`."""
    return quote(name, safe=":", errors="replace")


def leads_elsewhere(path: str) -> bool:
    """Tell whether a segment of this path could lead a server or a proxy to another path. path: without
    its query.
    """
    return any(
        plain in (".", "..") or "/" in plain or "%" in plain
        for part in path.split("/")
        for plain in [unquote(part)]
    )


def field_requirement(field: str, value: str) -> str:
    """Return a fieldSelector's requirement that a field has this value, with special characters escaped."""
    return f"{field}=" + "".join(f"\\{c}" if c in "\\,=" else c for c in value)
