"""The references of an object of an unlisted type, by the API conventions and by its own words.

Sources: kubernetes/community, api-conventions.md: "Naming of the reference field" (`fooRef`), "Typical status
properties" (messages are sentences for people).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, find_kind, group_of, ref_kind
from unstuck.collect.objects.plain_names import find_bare, find_plain, find_rows
from unstuck.collect.objects.spelt_out import find_spelt_out
from unstuck.collect.objects.targets import MOST, make_reference, make_target, read_target
from unstuck.facts.aspects.references import Reference
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_DEEPEST = 6
# Limits: characters of a sentence that are read, and names in it that are believed.
_READ, _FEW = 2000, 3
_POINTING = ("name", "namespace", "kind", "apiVersion", "apiGroup", "group", "optional", "uid")
_BESIDE, _SHORT = 3, 64
_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
# `GitRepository flux-system/fleet`, `HelmChart 'web'`, `widget e`. Without a mark of a name a verb has to
# follow.
_NAMED = regex(
    rf"\b(?P<kind>[A-Za-z]{{3,40}})(?=[ /] ?(?P<quote>[\"'`]?)(?:(?P<space>{_NAME})/)?"
    rf"(?P<name>{_NAME})(?P=quote)(?![\w/]))"
)
_SAYS = regex(r" (?:is|are|was|were|has|had|does|did|cannot|could|failed|not) ")
_NO_NAMES = frozenset(
    (
        "is",
        "are",
        "was",
        "were",
        "has",
        "had",
        "does",
        "did",
        "cannot",
        "could",
        "failed",
        "not",
        "which",
        "that",
        "it",
    )
)
_HUMPS = regex(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+")
# Of a lock that others wait for (argo-workflows pkg/apis/workflow/v1alpha1: MutexHolding, SemaphoreHolding;
# leases of operators).
_HOLDERS = ("holder", "holders", "lockholder", "heldby", "lockedby", "blockedby")
_IN_A_NAMESPACE = regex(rf"(?P<space>{_NAME})/(?P<name>{_NAME})")
_HOLDER = regex(rf"(?:(?P<space>{_NAME})/)?(?P<name>{_NAME})(?:/[\w.-]{{1,253}})?")
# By the field's own name, if it gives no kind.
_BY_FIELD = {
    "secretRef": "Secret",
    "secretKeyRef": "Secret",
    "configMapRef": "ConfigMap",
    "configMapKeyRef": "ConfigMap",
    "serviceAccountRef": "ServiceAccount",
    "serviceRef": "Service",
}
# `apiTokenSecretRef`, `secretAccessKeySecretRef`, `valuesConfigMapKeyRef`.
_BY_END = (
    ("SecretRef", "Secret"),
    ("SecretKeyRef", "Secret"),
    ("ConfigMapRef", "ConfigMap"),
    ("ConfigMapKeyRef", "ConfigMap"),
)
# Kinds of a project that other groups of it refer to without the group (cert-manager pkg/apis/acme/v1:
# ChallengeSpec.IssuerRef).
_OF_THE_PROJECT = {
    ("acme.cert-manager.io", "Issuer"): "cert-manager.io",
    ("acme.cert-manager.io", "ClusterIssuer"): "cert-manager.io",
}


def read_order(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects of its own kind that an object waits for by `spec.dependsOn`: their readiness is
    asked before it is worked on.
    """
    for i, row in enumerate(doc.rows(seen.obj, "spec", "dependsOn")[:MOST]):
        to = (
            read_target(row, seen, "", "")
            if doc.text(row, "kind")
            else make_target(seen.ref.kind, seen, doc.text(row, "name"), doc.text(row, "namespace"))
        )
        if to:
            yield Reference(f"spec.dependsOn[{i}]", to, required=False)


def read_by_convention(seen: SeenObject) -> Iterator[Reference]:
    """Yield the `fooRef` targets of a CustomResource of an unknown type, and the objects that its status
    names.

    Whether the spec's targets are required is unknown; the status' objects may not exist yet, or be gone for
    good.
    """
    yield from read_order(seen)
    yield from (replace(r, required=False) for r in _find_refs(seen.obj.get("spec"), "spec", seen, 0))
    yield from (replace(r, required=False) for r in find_bare(seen))
    yield from _find_by_words(seen)
    yield from read_told(seen)
    yield from (replace(r, required=False, needed=False) for r in find_plain(seen))


def read_told(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects named in the status of a CustomResource, in fields and in sentences: for any type,
    the object waits for these.
    """
    told = (
        *_find_refs(seen.obj.get("status"), "status", seen, 0),
        *_find_holders(seen),
        *_find_by_field(seen),
        *find_rows(seen),
        *_find_in_sentences(seen),
    )
    yield from (replace(r, required=False, needed=False) for r in told)


def _find_by_field(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects that fields of its status name with their Namespace: `helmChart: shop/shop-cache`."""
    group = group_of(doc.text(seen.obj, "apiVersion"))
    for name, place, text in doc.find_fields(seen.obj.get("status"), "status", _DEEPEST, MOST):
        kind = _capitalize(name)
        if name not in _POINTING and _HUMPS.fullmatch(kind) and (m := _IN_A_NAMESPACE.fullmatch(text)):
            yield from make_reference(place, make_target(ref_kind(group, kind), seen, m["name"], m["space"]))


def _find_by_words(seen: SeenObject) -> Iterator[Reference]:
    for field, kind, name in find_spelt_out(seen.obj):
        yield from (replace(r, required=False) for r in make_reference(field, make_target(kind, seen, name)))


def _find_in_sentences(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects of its own API group, and of Kubernetes' own kinds, that the sentences of its
    status name.
    """
    for text in doc.find_texts(seen.obj.get("status"), _DEEPEST, MOST):
        yield from islice(_find_in_sentence(text[:_READ], seen), _FEW) if " " in text else ()


def _find_in_sentence(text: str, seen: SeenObject) -> Iterator[Reference]:
    group, own = group_of(doc.text(seen.obj, "apiVersion")), seen.ref.kind.partition(".")[0]
    for m in _NAMED.finditer(text):
        marked = m["space"] or m["quote"] or any(c in "-0123456789" for c in m["name"])
        kind = (
            _name_kind(m["kind"], own)
            if marked or (m["name"] not in _NO_NAMES and _SAYS.match(text, m.end("name")))
            else ""
        )
        if kind:
            yield from make_reference(
                "status",
                make_target(
                    kind if builtin(kind) else ref_kind(group, kind), seen, m["name"], m["space"] or ""
                ),
            )


def _name_kind(word: str, own: str) -> str:
    """Return the kind that a word means, "" for none: the object's own, one of Kubernetes', or a word of
    several humps in its group.
    """
    if word.lower() == own.lower():
        return own
    known = find_kind(word)
    if known and word.lower() in (known.name.lower(), known.plural):
        return known.name
    return word if _HUMPS.fullmatch(word) else ""


def _find_refs(value: object, field: str, seen: SeenObject, depth: int) -> Iterator[Reference]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                continue
            # `writeConnectionSecretToRef` and the like name an object that it creates.
            if isinstance(inner, Mapping) and key.endswith("Ref") and not key.startswith("write"):
                yield from _read_ref(f"{field}.{key}", key, inner, seen)
            elif isinstance(inner, list) and key.endswith("Refs") and not key.startswith("write"):
                for i, row in enumerate(inner[:MOST]):
                    if isinstance(row, Mapping):
                        yield from _read_ref(f"{field}.{key}[{i}]", key.removesuffix("s"), row, seen)
            else:
                yield from _find_by_kind(f"{field}.{key}", key, inner, seen)
                yield from _find_refs(inner, f"{field}.{key}", seen, depth + 1)
    elif isinstance(value, list):
        for i, inner in enumerate(value[:MOST]):
            yield from _find_refs(inner, f"{field}[{i}]", seen, depth + 1)


def _find_by_kind(field: str, key: str, inner: object, seen: SeenObject) -> Iterator[Reference]:
    """Yield the object in a field named after its kind: `dataVolume: {name: root}`."""
    kind = _capitalize(key)
    name = doc.text(inner, "name") if isinstance(inner, Mapping) else ""
    if name and not key.startswith("write") and _HUMPS.fullmatch(kind):
        own = find_kind(kind)
        group = group_of(doc.text(seen.obj, "apiVersion"))
        to = make_target(
            own.ref_kind if own else ref_kind(group, kind), seen, name, doc.text(inner, "namespace")
        )
        yield from (replace(r, needed=False) for r in make_reference(f"{field}.name", to))


def _capitalize(field: str) -> str:
    """Return the kind that a field is named after: `dataVolume` → `DataVolume`."""
    return f"{field[:1].upper()}{field[1:]}"


def _find_holders(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects of its own kind that its status names as holders: `holder: NAMESPACE/NAME`."""
    for name, place, text in doc.find_fields(seen.obj.get("status"), "status", _DEEPEST, MOST):
        if name.lower() in _HOLDERS and (m := _HOLDER.fullmatch(text)) and m["name"] != seen.ref.name:
            yield from make_reference(place, make_target(seen.ref.kind, seen, m["name"], m["space"] or ""))


def _read_ref(field: str, key: str, row: doc.Doc, seen: SeenObject) -> Iterator[Reference]:
    beside = tuple(_read_beside(row))
    api = doc.text(row, "apiVersion")
    yield from (
        replace(r, beside=beside, api=api) for r in make_reference(field, _read_pointed(key, row, seen))
    )


def _read_beside(row: doc.Doc) -> Iterator[tuple[str, str]]:
    """Yield the numbers and words beside the name of an object, which narrow the reference down."""
    for key in [k for k in row if isinstance(k, str) and k not in _POINTING][:_BESIDE]:
        if (value := doc.scalar(row, key)) and len(value) <= _SHORT:
            yield key, value


def _name_by_field(key: str) -> str:
    """Return the kind implied by a field's name alone, "" for none."""
    return _BY_FIELD.get(key) or next((kind for end, kind in _BY_END if key.endswith(end)), "")


def _read_pointed(key: str, row: doc.Doc, seen: SeenObject) -> Ref | None:
    if doc.flag(row, "optional"):
        return None
    if by_field := _name_by_field(key):
        return make_target(by_field, seen, doc.text(row, "name"), doc.text(row, "namespace"))
    kind = doc.text(row, "kind")
    grouped = any(doc.text(row, word) for word in ("apiVersion", "group", "apiGroup"))
    # A kind alone is one of Kubernetes' own, or of the object's own group (`secretStoreRef: {kind:
    # ClusterSecretStore, name: x}`).
    own = group_of(doc.text(seen.obj, "apiVersion"))
    group = "" if grouped or builtin(kind) else _OF_THE_PROJECT.get((own, kind), own)
    return read_target(row, seen, "", group) if kind else None
