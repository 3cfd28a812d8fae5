"""ResourceQuotas and LimitRanges (staging/src/k8s.io/api/core/v1/types.go)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.limits import Bound, Limits, Quota, Which
from unstuck.facts.core import Fact, Ref

_WHICH: tuple[tuple[str, Which], ...] = (
    *(("min", "min"), ("max", "max"), ("maxLimitRequestRatio", "ratio")),
    *(("default", "default"), ("defaultRequest", "defaultRequest")),
)


def quota_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Quota, by the status that its controller filled in; the spec alone shows no use."""
    if "status" not in seen.obj:
        return
    hard = doc.pairs(seen.obj, "status", "hard") or doc.pairs(seen.obj, "spec", "hard")
    used = doc.pairs(seen.obj, "status", "used")
    taken = dict(used)
    quote = ", ".join(f"{r}: {taken.get(r, '?')} of {v} used" for r, v in hard)
    yield Quota(
        about=seen.ref, src=seen.src(quote or "no limits"), hard=hard, used=used, whole=bool(used or not hard)
    )


def limit_range_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the bounds of this LimitRange, in its order; others in the Namespace stay unknown."""
    bounds = bounds_of(seen.obj)
    quote = ", ".join(f"{b.which} {b.resource} per {b.per} {b.value}" for b in bounds)
    about = Ref("LimitRangeList", seen.ref.within)
    yield Limits(about=about, src=seen.src(quote or "no bounds"), bounds=bounds, whole=False)


def bounds_of(obj: doc.Doc) -> tuple[Bound, ...]:
    """Return every bound of one LimitRange."""
    return tuple(
        Bound(doc.text(obj, "metadata", "name"), doc.text(row, "type"), resource, which, value)
        for row in doc.rows(obj, "spec", "limits")
        for field, which in _WHICH
        for resource, value in doc.pairs(row, field)
    )
