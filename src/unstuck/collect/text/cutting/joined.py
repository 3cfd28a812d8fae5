"""Several errors in one line, as programs join them.

Sources: helm pkg/kube/client.go (` && `), apimachinery pkg/util/errors/errors.go (aggregate: `[a, b]`).
"""

from __future__ import annotations

from unstuck.facts.regex import regex

_LIST = regex(r"^(?P<head>.{0,600}?: )\[(?P<items>[^\[\]]{8,3000})\]\s*$")
_FIRST = regex(r"^(?P<words>[a-z]\w{1,30} [a-z]\w{1,30} [a-z]\w{1,30} )")


def split_joined(line: str) -> list[str]:
    """Return the errors of a line, each with the words before the list; the line itself if it joins none."""
    parts = line.split(" && ")
    if len(parts) > 1:
        return parts
    found = _LIST.match(line) if ": [" in line else None
    first = _FIRST.match(found["items"]) if found else None
    if found is None or first is None:
        return parts
    own = first["words"]
    items = found["items"].removeprefix(own).split(f", {own}")
    return [f"{found['head']}{own}{item}" for item in items] if len(items) > 1 else parts
