"""Counterparts of objects that have an effect only through others: what takes, what is selected and named.

Their rows, with the sources, are in `pairs_rows.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unstuck.collect.kube.questions.pairs_rows import (
    ADMITS,
    BINDING,
    CHOICES,
    NAMES,
    TAKERS,
    LabelPick,
    Taker,
)
from unstuck.collect.kube.questions.pairs_tools import (
    labels_of,
    list_all,
    list_names,
    name_of,
    read_one,
)
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.collect.objects.targets import walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.requirements import holds, write_requirement

_MOST, _SHOWN = 12, 4
_NONE = "none"
_MAKERS = ("Deployment", "StatefulSet", "DaemonSet")
_SELECTOR_KEYS = frozenset(("matchLabels", "matchExpressions", "matchNames", "any"))
_CILIUM_KEYS = ("io.cilium.", "io.kubernetes.pod.", "reserved")


def read_takers(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield an object's name, or its labels, with what those have that give it its effect; of these also what
    they select and name, as that limits the effect.
    """
    rows = [t for t in TAKERS.get(about.kind, ()) if kind_of_ref(session, t.kind)]
    pairs = list_takers(session, rows, about.within)
    if pairs is None:
        return
    name = about.name or ""
    mine = [(t, item) for t, item in pairs if takes(t, item, labels_of(obj), about)]
    kinds = "/".join(t.kind.partition(".")[0] for t in rows)
    field = "metadata.name"
    if mine:
        to = tuple(name_of(item, t.kind) for t, item in mine[:_SHOWN])
        yield Counterpart("taken", about, field, name, kinds, to, rows[0].names, (name,))
        for t, item in mine[:_SHOWN]:
            ref = name_of(item, t.kind)
            yield from read_choices(session, ref, item)
            yield from read_names(session, ref, item)
            yield from _read_binding(session, ref, item, obj)
        return
    chosen = [(t, item, list_selectors(item, t.selectors)) for t, item in pairs if t.selectors]
    if by_labels := [row for row in chosen if row[2]]:
        yield compare_labels(about, labels_of(obj), by_labels)
        return
    given = {n: name_of(item, t.kind) for t, item in pairs for n in _list_texts(item, t.names)}
    near = pick_nearest(name, given)
    yield Counterpart(
        "taken", about, field, name, kinds, tuple(given[n] for n in near), rows[0].names, tuple(near)
    )


def list_takers(
    session: Session, rows: Sequence[Taker], space: str | None
) -> list[tuple[Taker, doc.Doc]] | None:
    """Return the objects of these kinds; None if there are no such kinds, or not all could be listed."""
    lists = [list_all(session, t.kind, space) for t in rows]
    if not rows or any(found is None for found in lists):
        return None
    return [(t, item) for t, found in zip(rows, lists, strict=True) for item in found or ()]


def takes(taker: Taker, item: doc.Doc, labels: Mapping[str, str], about: Ref) -> bool:
    """Tell whether an object takes one of these labels, by its name or them."""
    if taker.kind == "RoleBinding" and doc.text(item, "roleRef", "kind") != about.kind:
        return False
    names = _list_texts(item, taker.names) if taker.names else []
    selectors = list_selectors(item, taker.selectors)
    if not names and not selectors:
        return taker.all
    return about.name in names or any(_meets(one, labels) for one in selectors)


def _meets(selector: tuple[Requirement, ...], labels: Mapping[str, str]) -> bool:
    return all(holds(r, labels) for r in selector)


def _list_texts(item: doc.Doc, path: str) -> list[str]:
    """Return the texts at a path such as `spec.peers[]` or `spec.rows[].name`."""
    return [text for _, text in _find_texts(item, path)]


def _find_texts(
    item: doc.Doc, path: str, where: tuple[tuple[str, str], ...] = ()
) -> Iterator[tuple[str, str]]:
    """Yield each text at a path, with its place. where: the values that the mapping around it has."""
    above, _, last = path.rpartition(".")
    field = last.removesuffix("[]")
    for at, row in walk(item, above):
        if any(doc.text(row, key) != value for key, value in where):
            continue
        found = doc.strings(row, field) if field != last else (doc.text(row, field),)
        for i, text in enumerate(found):
            if text:
                yield f"{at}.{field}[{i}]" if field != last else f"{at}.{field}", text


def list_selectors(item: doc.Doc, path: str) -> list[tuple[Requirement, ...]]:
    """Return the selectors at a path that ask for anything; none without a path."""
    return [asked for _, asked in _find_selectors(item, path)] if path else []


def _find_selectors(item: doc.Doc, path: str) -> Iterator[tuple[str, tuple[Requirement, ...]]]:
    """Yield each selector at a path that asks for anything, with its place."""
    for at, row in walk(item, path):
        by = read_selector({"it": row}, "it")
        found = by.requirements if by else ()
        if not found and not _SELECTOR_KEYS.intersection(row):
            # A plain mapping of labels, perhaps below `labels` (istio's WorkloadSelector).
            found = tuple(Requirement(k, "In", (v,)) for k, v in doc.pairs(row, "labels") or doc.pairs(row))
        # Cilium's own labels, and those with the name of their source, are of no object.
        if found and not any(":" in r.key or r.key.startswith(_CILIUM_KEYS) for r in found):
            yield at, found


def _write(selector: tuple[Requirement, ...]) -> str:
    return ",".join(write_requirement(r) for r in selector)


def _write_own(labels: Mapping[str, str], selectors: list[tuple[Requirement, ...]]) -> str:
    """Return the labels of the keys that selectors ask for; `none` without any of them."""
    keys = dict.fromkeys(r.key for one in selectors for r in one)
    return ",".join(f"{key}={labels[key]}" for key in keys if key in labels) or _NONE


def compare_labels(
    about: Ref, labels: Mapping[str, str], rows: list[tuple[Taker, doc.Doc, list[tuple[Requirement, ...]]]]
) -> Counterpart:
    """Return labels with the selectors of those that would take them."""
    selectors = [one for _, _, found in rows for one in found]
    return Counterpart(
        "taken-labels",
        about,
        "metadata.labels",
        _write_own(labels, selectors),
        rows[0][0].kind,
        tuple(name_of(item, t.kind) for t, item, _ in rows[:_SHOWN]),
        rows[0][0].selectors,
        tuple(dict.fromkeys(map(_write, selectors))),
    )


def read_admitted(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the labels of an object's Namespace with those of the Namespaces that the object which it names
    takes from.
    """
    row = ADMITS.get(about.kind)
    name = doc.text(obj, *row.names.split(".")) if row else ""
    if row is None or not name:
        return
    to, space = Ref(row.kind, None, name), Ref("Namespace", None, about.within)
    admits = read_one(session, to) or {}
    yield from read_names(session, to, admits)
    asked = list_selectors(admits, row.selectors)
    own = read_one(session, space) if asked else None
    if own is None:
        return
    labels, there = labels_of(own), tuple(map(_write, asked))
    fits = any(_meets(one, labels) for one in asked)
    value = there[0] if fits else _write_own(labels, asked)
    yield Counterpart("admitted", space, "metadata.labels", value, row.kind, (to,), row.selectors, there)


def read_choices(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each selector of an object with the labels of what it may select."""
    return read_picks(session, about, obj, CHOICES.get(about.kind, ()), "selected")


def read_picks(
    session: Session, about: Ref, obj: doc.Doc, picks: Sequence[LabelPick], relation: str
) -> Iterator[Counterpart]:
    """Yield the selectors at these places with the labels of what they may select."""
    for pick in picks:
        asked = list(_find_selectors(obj, pick.field))[:_MOST]
        there = _list_labels(session, pick.of, about.within if pick.own else None) if asked else None
        # Of several selectors one that matches is enough.
        if there is None or any(_meets(one, labels) for _, one in asked for labels in there):
            continue
        for at, one in asked:
            # A label that nothing has may be one of objects still to come; any other value is worth a look.
            shown = dict.fromkeys(_write_own(labels, [one]) for labels in there)
            yield Counterpart(
                relation,
                about,
                at,
                _write(one),
                pick.of,
                (),
                "metadata.labels",
                tuple(label for label in shown if label != _NONE)[:_MOST],
            )


def _list_labels(session: Session, kind: str, space: str | None) -> list[dict[str, str]] | None:
    """Return the labels of all objects of a kind; of Pods also those that workloads would give them."""
    lists = [list_all(session, k, space) for k in (kind, *(_MAKERS if kind == "Pod" else ()))]
    if any(found is None for found in lists):
        return None
    own, *made = lists
    return [
        *(labels_of(i) for i in own or ()),
        *(labels_of(i, "spec", "template") for items in made for i in items or ()),
    ]


def read_names(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each name of an object that another one has, with those that are there."""
    for row in NAMES.get(about.kind, ()):
        asked = list(_find_texts(obj, row.field, row.where))[:_MOST]
        there = list_names(session, row.of, about.within) if asked else None
        if there is None:
            continue
        relation = "named-too" if any(name in there for _, name in asked) else "named"
        for at, name in asked:
            yield compare_name(relation, about, at, name, row.of, there)


def compare_name(
    relation: str, about: Ref, field: str, name: str, kind: str, there: tuple[str, ...]
) -> Counterpart:
    """Return a name with those that are there."""
    shown = (name,) if name in there else there[:_MOST]
    return Counterpart(relation, about, field, name, kind, (), "metadata.name", shown)


def _read_binding(session: Session, about: Ref, obj: doc.Doc, policy: doc.Doc) -> Iterator[Counterpart]:
    """Yield what a binding does with what a policy finds, and the parameters that it names."""
    if not about.kind.endswith(BINDING):
        return
    of = name_of(policy, about.kind.removesuffix("Binding"))
    actions = doc.strings(obj, "spec", "validationActions")
    if actions:
        yield Counterpart(
            "binding-denies",
            about,
            "spec.validationActions",
            ", ".join(actions),
            of.kind,
            (of,),
            "spec.validations",
            actions,
        )
    given = doc.section(policy, "spec", "paramKind")
    named = doc.section(obj, "spec", "paramRef")
    group, _, _ = doc.text(given, "apiVersion").rpartition("/")
    kind = f"{doc.text(given, 'kind')}.{group}" if group else doc.text(given, "kind")
    name = doc.text(named, "name")
    space = doc.text(named, "namespace") or None
    served = kind_of_ref(session, kind) if name else None
    # Without a Namespace, that of the object in question is meant.
    known = served and (space or not served.namespaced)
    there = list_names(session, kind, space) if known else None
    if there is not None:
        yield compare_name("parameters", about, "spec.paramRef.name", name, kind, there)


def read_binding(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield what a binding of a policy selects, does and names."""
    yield from read_choices(session, about, obj)
    policy = read_one(
        session, Ref(about.kind.removesuffix("Binding"), None, doc.text(obj, "spec", "policyName"))
    )
    if policy is not None:
        yield from _read_binding(session, about, obj, policy)
