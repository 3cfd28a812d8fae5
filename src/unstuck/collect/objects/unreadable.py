"""Objects that the API server finds in etcd and cannot read: from its own answers, and from quotes in a
Namespace's conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unstuck.collect.objects.kinds import find_kind, ref_kind
from unstuck.facts.aspects.objects import Condition
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Source
from unstuck.wording.stored import UnreadObject, find_unread_keys, find_unread_object

# Keys whose plural differs from the API's (pkg/registry/core/*/storage,
# pkg/controlplane/storageversionhashdata).
_PLURALS = {
    "minions": "nodes",
    "specs": "services",
    "controllers": "replicationcontrollers",
    "ingress": "ingresses",
}


def parse_answer(message: str, about: Ref, src: Source) -> list[Unreadable]:
    """Return the unreadable object in the server's answer to a GET of one object or to a list; [] for any
    other error.

    about: the object, or the list. If the answer names a key, the fact is about the object of that key.
    """
    found = find_unread_object(message)
    if found is None:
        return []
    return [
        _make_fact(
            found,
            about if not about.kind.endswith("List") else _make_ref_in_list(found, about),
            src,
            whole=True,
        )
    ]


def parse_quotes(rows: Iterable[Condition], src: Source) -> Iterator[Unreadable]:
    """Yield the unreadable objects that conditions quote from a failed list or deletion."""
    for row in rows:
        for found in find_unread_keys(row.message) if row.status == "True" else ():
            if ref := ref_of_key(found.key):
                yield _make_fact(
                    found, ref, Source(src.where, f"{row.type}: {row.message}"[:300], src.at), whole=False
                )


def _make_ref_in_list(found: UnreadObject, listing: Ref) -> Ref:
    named = ref_of_key(found.key) if found.key else None
    kind = listing.kind.removesuffix("List")
    # The list's own kind is sure; of a key only the names are needed.
    return Ref(kind, named.within or listing.within, named.name) if named else listing


def _make_fact(found: UnreadObject, about: Ref, src: Source, *, whole: bool) -> Unreadable:
    return Unreadable(about=about, src=src, error=found.error, key=found.key, message=found.why, whole=whole)


def ref_of_key(key: str) -> Ref | None:
    """Parse a key: `/registry/secrets/shop/db` → Secret shop/db, `/registry/example.com/widgets/shop/a` →
    widgets.example.com shop/a.

    The prefix may be another one (`--etcd-prefix`), so the key is read from its end.
    """
    parts = [p for p in key.split("/") if p]
    if len(parts) < 3:
        return None
    *before, space, name = parts
    namespaced = find_kind(_PLURALS.get(before[-1], before[-1]))
    if namespaced and namespaced.namespaced and len(before) > 1:
        return Ref(namespaced.ref_kind, space, name)
    alone = find_kind(_PLURALS.get(space, space))
    if alone and not alone.namespaced:
        return Ref(alone.ref_kind, None, name)
    if len(before) > 2 and "." in before[-2]:
        return Ref(ref_kind(before[-2], before[-1]), space, name)
    return Ref(ref_kind(before[-1], space), None, name) if "." in before[-1] else None
