"""Compares an object that no controller handles with handled objects of its type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.facts.aspects.reported import Unlike
from unstuck.facts.regex import regex

_MOST, _LONGEST, _FEW = 4, 120, 3
# Keys by which controllers choose among objects of a type.
_CHOOSING = regex(r"(?i)class|cluster|instance|controller|selector|shard|environment")
# Written by tools that apply manifests, and different for each release.
_OF_TOOLS = (
    *("app.kubernetes.io", "helm.sh", "meta.helm.sh", "kubectl.kubernetes.io", "argocd.argoproj.io"),
    *("kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"),
)
_PLACES = (("metadata", "labels"), ("metadata", "annotations"), ("spec",))


def find_unlike(item: doc.Doc, others: Sequence[doc.Doc], kind: Kind) -> tuple[Unlike, ...]:
    """Return the labels, annotations and fields that all the others have, and this one lacks or has with a
    value that none of them has.
    """
    return tuple(one for place in _PLACES for one in _compare(item, others, kind, place))[:_MOST]


def _compare(
    item: doc.Doc, others: Sequence[doc.Doc], kind: Kind, place: tuple[str, ...]
) -> Iterator[Unlike]:
    own = dict(_list_pairs(item, place))
    theirs = [dict(_list_pairs(other, place)) for other in others]
    for key in sorted(set.intersection(*map(set, theirs))) if theirs else ():
        values = tuple(sorted({one[key] for one in theirs}))
        if own.get(key) not in values and _may_choose(key, values, len(others), kind, place):
            example = kind.ref(
                doc.text(others[0], "metadata", "namespace"), doc.text(others[0], "metadata", "name")
            )
            field = ".".join(place) + (f".{key}" if place == ("spec",) else f"[{key}]")
            yield Unlike(field, own.get(key, ""), values[:_FEW], example)


def _list_pairs(item: doc.Doc, place: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for key, value in doc.section(item, *place).items():
        if isinstance(key, str) and isinstance(value, str) and 0 < len(value) <= _LONGEST:
            yield key, value


def _may_choose(key: str, values: tuple[str, ...], count: int, kind: Kind, place: tuple[str, ...]) -> bool:
    """Tell whether a controller may choose by this key: by its name, by its domain, or because all others
    have the same value.
    """
    domain, slash, word = key.rpartition("/")
    if domain in _OF_TOOLS:
        return False
    if place == ("spec",):
        return _CHOOSING.search(key) is not None and len(values) == 1
    akin = bool(slash) and (kind.group == domain or kind.group.endswith(f".{domain}"))
    return akin or (len(values) == 1 and (_CHOOSING.search(word) is not None or count > 1))
