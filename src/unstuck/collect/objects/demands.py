"""A Pod's requests and Node requirements, summed as the scheduler sums them.

Source: `PodRequests` in staging/src/k8s.io/component-helpers/resource/helpers.go (1.34) and KEP-753 for
sidecars: max(sum of main containers + all sidecars, each init container + the sidecars started before it) +
overhead; Pod-level requests (KEP-2837) override the sum for the resources that they name.
"""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.containers import rows_with_kind
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.quantity import parse_amount

Amounts = dict[str, int]


def read_demands(seen: SeenObject, spec: doc.Doc) -> Demands:
    """Return requests, node selector and required node affinity. An unreadable amount is reported, not
    counted.
    """
    unreadable: list[tuple[str, str]] = []
    total = _sum_containers(spec, unreadable)
    required = doc.at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    shown = ", ".join(f"{k} {v}" for k, v in sorted(total.items()))
    selector = doc.pairs(spec, "nodeSelector")
    wanted = "; nodeSelector " + ", ".join(f"{k}={v}" for k, v in selector) if selector else ""
    return Demands(
        about=seen.ref,
        src=seen.src(f"requests {shown or 'nothing'}{wanted}"),
        requests=tuple(sorted(total.items())),
        selector=selector,
        affinity=isinstance(required, Mapping),
        unreadable=tuple(unreadable),
        claims=tuple(doc.text(c, "name") for c in doc.rows(spec, "resourceClaims")),
    )


def _sum_containers(spec: doc.Doc, unreadable: list[tuple[str, str]]) -> Amounts:
    main: Amounts = {}
    sidecars: Amounts = {}
    peak: Amounts = {}
    for row, kind in rows_with_kind(spec):
        asked = _read_requests(row, unreadable)
        if kind == "main":
            _add(main, asked)
        elif kind == "sidecar":
            _add(sidecars, asked)
            _raise_to(peak, sidecars)
        elif kind == "init":
            _raise_to(peak, _sum(sidecars, asked))
    total = _sum(main, sidecars)
    _raise_to(total, peak)
    total.update(_read_requests(spec, unreadable))
    _add(total, _parse_amounts(doc.section(spec, "overhead"), unreadable))
    return total


def _read_requests(row: doc.Doc, unreadable: list[tuple[str, str]]) -> Amounts:
    """Return the requests of a container or a whole Pod; a limit replaces a missing request, as the API
    server defaults it.
    """
    asked = {**doc.section(row, "resources", "limits"), **doc.section(row, "resources", "requests")}
    return _parse_amounts(asked, unreadable)


def _parse_amounts(asked: doc.Doc, unreadable: list[tuple[str, str]]) -> Amounts:
    out: Amounts = {}
    for name, written in doc.pairs(asked):
        value = parse_amount(name, written)
        if value is None:
            unreadable.append((name, written))
        else:
            out[name] = value
    return out


def _sum(a: Amounts, b: Amounts) -> Amounts:
    out = dict(a)
    _add(out, b)
    return out


def _add(to: Amounts, more: Amounts) -> None:
    for name, value in more.items():
        to[name] = to.get(name, 0) + value


def _raise_to(to: Amounts, at_least: Amounts) -> None:
    for name, value in at_least.items():
        to[name] = max(to.get(name, 0), value)
