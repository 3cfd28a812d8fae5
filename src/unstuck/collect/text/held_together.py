"""Compares the objects of one text with each other: a Service's selector with the Pods' labels, a pending
claim with the rows of the volumes.

A text never shows all objects: no fact here is whole. A match is no news; only a mismatch becomes a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.objects.services import match_pods
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.kubectl.listing import find_selector
from unstuck.collect.text.kubectl.tables import list_rows
from unstuck.facts.aspects.objects import Conditions, Labels, Names, Phase
from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.quantity import parse_amount
from unstuck.facts.regex import regex

# A volume that a provisioner has made for one claim.
_MADE = regex(r"pvc-[0-9a-f]{8}-[0-9a-f-]{27}")
_MODES = {"RWO": "ReadWriteOnce", "ROX": "ReadOnlyMany", "RWX": "ReadWriteMany", "RWOP": "ReadWriteOncePod"}
_NAME = regex(r"^Name:\s+(?P<name>[a-z0-9][a-z0-9.:-]{0,252})\s*$")
_CLAIM, _VOLUME = "PersistentVolumeClaim", "PersistentVolume"
_MOST = 200


def hold_together(pieces: Sequence[tuple[str, Piece]], facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the mismatches between the objects of a text. pieces: (format, piece), in order."""
    yield from _hold_services(facts)
    yield from _hold_custom_rows(facts)
    yield from _list_described([piece for form, piece in pieces if form == "describe"])
    yield from _hold_claims([piece for form, piece in pieces if form == "table"])


def _list_described(pieces: Sequence[Piece]) -> Iterator[Names]:
    """Yield the names of all objects of a kind that one command described: `kubectl describe nodes`."""
    asked = dict[str, tuple[Ref, Piece, list[str]]]()
    for piece in pieces:
        words = piece.command.arguments if piece.command and piece.command.program == "kubectl" else ()
        kind = find_kind(words[1]) if len(words) == 2 and words[0] in ("describe", "get") else None
        named = _NAME.match(piece.lines[0])
        if kind and named and piece.command and "|" not in piece.command.text:
            about = Ref(f"{kind.ref_kind}List", piece.namespace if kind.namespaced else None)
            asked.setdefault(piece.command.text, (about, piece, []))[2].append(named["name"])
    for text, (about, piece, names) in asked.items():
        all_ = not find_selector(piece.command)
        src = piece.src(0, text)
        yield Names(about=about, src=src, names=tuple(names), whole=False, asked_all=all_)


def _hold_services(facts: Sequence[Fact]) -> Iterator[Fact]:
    services = [f for f in facts if isinstance(f, ServiceSpec) and f.selector and not f.outside]
    if not services:
        return
    pods = _list_pods(facts)
    for spec in services[:_MOST]:
        beside = [doc for ref, doc in pods if _may_be_one_namespace(ref, spec.about)]
        found = match_pods(spec.about, spec, beside, spec.src, whole=False)
        if beside and found.nearly and not found.matched:
            yield found


def _list_pods(facts: Sequence[Fact]) -> list[tuple[Ref, dict[str, Any]]]:
    """Return the Pods whose labels were seen, as partial objects built from their facts."""
    labels = {f.about: f for f in facts if isinstance(f, Labels) and f.about.kind == "Pod" and f.about.name}
    ready = {c.about: c for c in facts if isinstance(c, Conditions)}
    phases = {f.about: f.phase for f in facts if isinstance(f, Phase)}
    return [
        (
            ref,
            {
                "metadata": {"name": ref.name, "labels": dict(fact.items)},
                "status": {
                    "phase": phases.get(ref, ""),
                    "conditions": [
                        {"type": one.type, "status": one.status}
                        for one in (ready[ref].items if ref in ready else ())
                    ],
                },
            },
        )
        for ref, fact in [*labels.items()][:_MOST]
    ]


def _hold_custom_rows(facts: Sequence[Fact]) -> Iterator[References]:
    """Yield the rows of custom objects that are not ready and name, in another column, an object that is not
    either: an ExternalSecret's STORE, a HelmRelease's chart.
    """
    rows = [f for f in facts if isinstance(f, Conditions) and "." in f.about.kind and f.about.name][:_MOST]
    named = {f.about.name: f.about for f in rows}
    for f in rows:
        cells = f.src.quote.split()[1:]
        items = tuple(
            Reference("its row", named[cell], serves=True)
            for cell in dict.fromkeys(cells)
            if cell in named and named[cell].kind != f.about.kind
        )
        if items:
            yield References(about=f.about, src=f.src, items=items, whole=False)


def _may_be_one_namespace(one: Ref, other: Ref) -> bool:
    return one.within is None or other.within is None or one.within == other.within


def _hold_claims(tables: Sequence[Piece]) -> Iterator[ClaimOffers]:
    """Yield each pending claim with the volumes of its class, unless a provisioner made one of these."""
    rows = [row for piece in tables for row in list_rows(piece, (_CLAIM, _VOLUME))]
    volumes = [_read_volume(ref, cells) for kind, ref, cells, _ in rows if kind == _VOLUME and ref.name]
    pending = {
        ref: (cells, src)
        for kind, ref, cells, src in rows
        if kind == _CLAIM and ref.name and cells.get("STATUS") == "Pending"
    }
    for ref, (cells, src) in pending.items():
        class_ = cells.get("STORAGECLASS", "")
        own = [v for v in volumes if v.storage_class == class_]
        if own and not cells.get("VOLUME") and not any(_MADE.fullmatch(v.name) for v in own):
            yield _make_offers(ref, class_, own, src)


def _make_offers(claim: Ref, class_: str, volumes: list[VolumeInput], src: Source) -> ClaimOffers:
    asked = ClaimInput(claim.within or "", claim.name or "", storage_class=class_, phase="Pending")
    return ClaimOffers(about=claim, src=src, claim=asked, volumes=tuple(volumes[:_MOST]), whole=False)


def _read_volume(ref: Ref, cells: dict[str, str]) -> VolumeInput:
    within, slash, name = cells.get("CLAIM", "").partition("/")
    return VolumeInput(
        ref.name or "",
        storage_class=cells.get("STORAGECLASS", ""),
        capacity=parse_amount("storage", cells.get("CAPACITY", "")),
        modes=tuple(_MODES[m] for m in cells.get("ACCESS MODES", "").split(",") if m in _MODES),
        claim=(within, name, "") if slash else None,
        phase=cells.get("STATUS", ""),
    )
