"""Resource lists as exact numbers, and a Pod's requests by the scheduler's sum.

Source: staging/src/k8s.io/component-helpers/resource/helpers.go (1.34), `PodRequests`: exact sums, rounded up
at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.strict import section
from unstuck.facts.aspects.placing_terms import Amounts, UnreadableField
from unstuck.facts.quantity import parse_quantity

Exact = dict[str, int | Fraction]
_CPU = "cpu"
_LARGEST = 2**63 - 1


@lru_cache(maxsize=65_536)
def _find_value(written: str) -> int | Fraction | None:
    value = parse_quantity(written)
    return value if value is None or value.denominator != 1 else int(value)


def read_list(parent: doc.Doc, path: tuple[str, ...], field: str, unread: list[UnreadableField]) -> Exact:
    """Return the resource list at this path, by resource. field: its name if one of its amounts cannot be
    read.
    """
    out: Exact = {}
    at: object = parent
    for key in path:
        at = at.get(key) if isinstance(at, Mapping) else None
        if at is not None and not isinstance(at, Mapping):
            unread.append(UnreadableField(field, repr(at)[:80], "is no mapping"))
    found = doc.section(parent, *path)
    for name, raw in found.items():
        if not isinstance(name, str):
            continue
        written = raw if isinstance(raw, str) else doc.scalar(found, name)
        value = _find_value(written)
        if value is None:
            unread.append(UnreadableField(f"{field}.{name}", written or type(raw).__name__, "is no quantity"))
        else:
            out[name] = value
    return out


def round_up(amounts: Exact) -> Amounts:
    """Return Milli-CPU for cpu, whole units for the rest, rounded up."""
    return tuple(
        sorted((name, _ceil(value * 1000 if name == _CPU else value)) for name, value in amounts.items())
    )


def _ceil(value: int | Fraction) -> int:
    whole = value if isinstance(value, int) else -((-value.numerator) // value.denominator)
    return min(whole, _LARGEST)


def pod_requests(pod: doc.Doc, unread: list[UnreadableField], *, bound: bool) -> Amounts:
    """Return the Pod's requests. bound: it may be resized in place, so the resources in its containers'
    status count too.
    """
    spec = doc.section(pod, "spec")
    status = _statuses(pod, unread) if bound else {}
    infeasible = bound and _resize_infeasible(pod)
    total: Exact = {}
    for row in doc.rows(spec, "containers"):
        _add(total, _container(row, status, infeasible, unread))
    sidecars: Exact = {}
    peak: Exact = {}
    for row in doc.rows(spec, "initContainers"):
        if doc.text(row, "restartPolicy") == "Always":
            asked = _container(row, status, infeasible, unread)
            _add(total, asked)
            _add(sidecars, asked)
            _raise(peak, sidecars)
        else:
            asked = _container(row, {}, False, unread)
            _add(asked, sidecars)
            _raise(peak, asked)
    _raise(total, peak)
    for name, value in read_list(spec, ("resources", "requests"), "spec.resources.requests", unread).items():
        if name in ("cpu", "memory") or name.startswith("hugepages-"):
            total[name] = value
    _add(total, read_list(spec, ("overhead",), "spec.overhead", unread))
    return round_up(total)


def _container(
    row: doc.Doc, status: dict[str, doc.Doc], infeasible: bool, unread: list[UnreadableField]
) -> Exact:
    field = f"containers[{doc.text(row, 'name')}]"
    asked = read_list(row, ("resources", "requests"), f"spec.{field}.resources.requests", unread)
    told = status.get(doc.text(row, "name"))
    if told is None or "resources" not in told:
        return asked
    now = read_list(told, ("resources", "requests"), f"status.{field}.resources.requests", unread)
    if not infeasible:
        _raise(now, asked)
    _raise(now, read_list(told, ("allocatedResources",), f"status.{field}.allocatedResources", unread))
    return now


def _statuses(pod: doc.Doc, unread: list[UnreadableField]) -> dict[str, doc.Doc]:
    status = section(pod, "status", unread)
    return {
        row.text("name"): row.row
        for field in ("containerStatuses", "initContainerStatuses")
        for row in status.parts(field)
    }


def _resize_infeasible(pod: doc.Doc) -> bool:
    return next(
        (
            doc.text(c, "reason") == "Infeasible"
            for c in doc.rows(pod, "status", "conditions")
            if c.get("type") == "PodResizePending"
        ),
        False,
    )


def _add(to: Exact, more: Exact) -> None:
    for name, value in more.items():
        to[name] = to.get(name, 0) + value


def _raise(to: Exact, at_least: Exact) -> None:
    for name, value in at_least.items():
        if name not in to or to[name] < value:
            to[name] = value
