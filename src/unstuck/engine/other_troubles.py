"""Notes where members of one incident differ: an object with several rules may refuse each member by another
one.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

say = Messages(__name__)

# For these causes each member shows its own containers and lines, all of one trouble.
_OF_EACH = ("Pod", "Container", "Program", "Process", "Node", "Image", "Registry")
_VALUES = regex(r"\d[\w.]*|“[^”]*”")
_MOST = 2


def tell_other_troubles(root: CauseMatch, each: Sequence[tuple[Ref, CauseMatch]]) -> Text:
    """Return `; of Deployment web: …` for members that are held up by another rule of the same culprit; empty
    if all are by the same.
    """
    if root.finding.culprit.kind in _OF_EACH:
        return NO_TEXT
    names = {name for ref, told in each for name in _list_names(ref, told)}
    seen, compared = {_strip(root, names)}, set[str]()
    told_too = NO_TEXT
    for ref, told in each:
        # Most differ in their own names alone; the names of all may be thousands.
        own = _strip(told, _list_names(ref, told))
        if own in compared:
            continue
        compared.add(own)
        plain = _strip(told, names)
        if plain not in seen and len(seen) <= _MOST:
            seen.add(plain)
            told_too += say("; of {subject}: {says}", subject=who(ref), says=told.finding.says)
    return told_too


def _list_names(ref: Ref, told: CauseMatch) -> set[str]:
    return {r.name for r in (ref, *told.finding.blocks, told.finding.culprit) if r.name}


def _strip(told: CauseMatch, names: set[str]) -> str:
    """Return the cause's text without names and values, the parts in which equal troubles differ."""
    text = told.finding.says.en
    for name in sorted(names, key=lambda one: (-len(one), one)):
        text = text.replace(name, "")
    return _VALUES.sub("", text)
