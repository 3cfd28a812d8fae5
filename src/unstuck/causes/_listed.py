"""Compare a missing object's name with pasted lists: the nearest name, or the listed names."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.derive.listed import find_pasted, pick_alike
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# More names than this are only counted.
_FEW = 5


def tell_listed(kind: str, name: str, namespace: str | None, snap: Facts) -> Text:
    """Return a clause that compares a missing name with the pasted lists of this kind; empty if none was
    pasted, or one contains the name.
    """
    there = find_pasted(kind, namespace, snap)
    if not there or name in there:
        return NO_TEXT
    if near := pick_alike(name, there):
        return say("; the list that was pasted has {near} in its place", near=list_names(near))
    if len(there) <= _FEW:
        return say("; the list that was pasted has {there} alone", there=list_names(there))
    return say("; the list that was pasted, of {n} names, does not have it", n=len(there))
