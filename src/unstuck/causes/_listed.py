"""What pasted lists say beside words that an object was not found: which name is nearest to it, or which are
there.
"""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.derive.listed import find_pasted, pick_alike
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# So many names say something.
_FEW = 5


def tell_listed(kind: str, name: str, namespace: str | None, snap: Facts) -> Text:
    """Return what the lists of this kind show in place of a name, to be put after a sentence; no text if
    none was pasted, or this name is in one.
    """
    there = find_pasted(kind, namespace, snap)
    if not there or name in there:
        return NO_TEXT
    if near := pick_alike(name, there):
        return say("; the list that was pasted has {near} in its place", near=list_names(near))
    if len(there) <= _FEW:
        return say("; the list that was pasted has {there} alone", there=list_names(there))
    return say("; the list that was pasted, of {n} names, does not have it", n=len(there))
