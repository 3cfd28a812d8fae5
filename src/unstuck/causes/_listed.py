"""Compare a missing object's name with pasted lists: the nearest name, or the listed names."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.aspects.objects import Presence
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
        return say("; the list that was pasted has only {there}", there=list_names(there))
    return say("; the list that was pasted, of {n} names, does not have it", n=len(there))


def find_namesake(kind: str, name: str, namespace: str | None, snap: Facts) -> Presence | None:
    """Return the presence of the only shown object of this kind and name in another Namespace; None if there
    is none, or several.
    """
    shown = {
        f.about.within: f
        for f in snap.every(Presence)
        if f.exists and (f.about.kind, f.about.name) == (kind, name) and f.about.within
    }
    return next(iter(shown.values())) if len(shown) == 1 and namespace not in shown else None
