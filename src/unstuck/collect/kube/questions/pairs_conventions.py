"""Counterparts of custom kinds by the API conventions: fields and labels that name objects of their own API
group, and selectors whose fields say what they select.

Sources: kubernetes/community api-conventions.md; strimzi documentation ("strimzi.io/cluster"); Cluster API
("cluster.x-k8s.io/cluster-name"); keda v1alpha1 TriggerAuthentication.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.kube.questions.pairs_effects import read_picks
from unstuck.collect.kube.questions.pairs_rows import LabelPick
from unstuck.collect.kube.questions.pairs_tools import labels_of, list_names, read_one
from unstuck.collect.kube.questions.resources import resources
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.targets import walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.regex import regex

_DEEPEST, _MOST, _SHOWN = 4, 8, 4
_NAME = regex(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
# A part of a kind's name has to be of two words: `storageLocation` for BackupStorageLocation.
_TWO_WORDS = regex(r"[a-z0-9]+[A-Z][A-Za-z0-9]+")
# Objects that stand for those of a cloud name these as the cloud does (ACK, Config Connector, Azure Service
# Operator, Crossplane's providers).
_CLOUDS = (".aws", "cnrm.cloud.google.com", ".azure.com", ".upbound.io")
_OUTSIDE = ".forProvider."
# What each field with a selector selects, and whether of the object's own Namespace only.
_PICKED = (
    *(("podSelector", "Pod", True), ("endpointSelector", "Pod", True), ("workloadSelector", "Pod", True)),
    *(("nodeSelector", "Node", False), ("serviceSelector", "Service", False)),
)
# Labels with the name of the object that handles this one: the kinds with the label, and that kind.
_LABELS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "strimzi.io/cluster": MappingProxyType(
            {
                **dict.fromkeys(("KafkaTopic", "KafkaUser", "KafkaNodePool"), "Kafka.kafka.strimzi.io"),
                "KafkaConnector": "KafkaConnect.kafka.strimzi.io",
            }
        ),
        "cluster.x-k8s.io/cluster-name": MappingProxyType(
            dict.fromkeys(("MachineDeployment", "MachineSet", "Machine"), "Cluster.cluster.x-k8s.io")
        ),
    }
)


def read_custom(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield what a custom object names and selects, by the names of its fields and labels."""
    yield from _read_labels(session, about, obj)
    yield from _read_fields(session, about, obj)
    picks = [LabelPick(f"spec.{field}", of, own and bool(about.within)) for field, of, own in _PICKED]
    yield from read_picks(session, about, obj, picks, "selected-like")


def _read_labels(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    own = about.kind.partition(".")[0]
    for label, name in labels_of(obj).items():
        kind = _LABELS.get(label, {}).get(own)
        there = list_names(session, kind, about.within) if kind else None
        if kind and there is not None:
            shown = (name,) if name in there else there[:_SHOWN]
            yield Counterpart(
                "labelled", about, f"metadata.labels[{label}]", name, kind, (), "metadata.name", shown
            )


def _read_fields(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each field that is named after a kind of the object's own group, with that kind's names."""
    group = about.kind.partition(".")[2]
    if group.endswith(_CLOUDS):
        return
    kinds = {k.name: k.ref_kind for k in resources(session).kinds if k.group == group and "list" in k.verbs}
    asked = list(_find_named(doc.section(obj, "spec")))[:_MOST]
    for at, word, name in asked:
        kind = next((ref for own, ref in sorted(kinds.items()) if _is_named_after(word, own)), "")
        there = list_names(session, kind, about.within) if kind else None
        if not there:
            continue
        near = pick_nearest(name, there)
        fits = name in there
        relation = "named-alike" if fits or near else "named-like"
        shown = (name,) if fits else near or there[:_SHOWN]
        yield Counterpart(relation, about, at, name, kind, (), "metadata.name", shown)


def _find_named(spec: doc.Doc) -> Iterator[tuple[str, str, str]]:
    """Yield each field that may hold a name: its place, the word that tells of what, and the name."""
    for key, at, text in doc.find_fields(spec, "spec", _DEEPEST, _MOST):
        above = at.rpartition(".")[0].rpartition(".")[2].partition("[")[0]
        word = above if key == "name" else key.removesuffix("Name")
        # `fooRef` is read as a reference, and with a kind or a Namespace beside it another object is meant.
        if word and _OUTSIDE not in at and not word.endswith(("Ref", "Refs")) and _NAME.fullmatch(text):
            holder = _find_holder(spec, at)
            if key != "name" or not ("kind" in holder or "namespace" in holder):
                yield at, word, text


def _find_holder(spec: doc.Doc, at: str) -> doc.Doc:
    """Return the mapping with the field at a place below the spec; an empty one for an item of a list."""
    path = at.split(".")[1:-1]
    return {} if any("[" in part for part in path) else doc.section(spec, *path)


def _is_named_after(word: str, kind: str) -> bool:
    low = word.lower()
    return low == kind.lower() or (bool(_TWO_WORDS.fullmatch(word)) and kind.lower().endswith(low))


def read_login(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the keys that the credentials of a scaler's triggers need with those of their Secrets."""
    for _, row in walk(obj, "spec.triggers[].authenticationRef"):
        to = Ref("TriggerAuthentication.keda.sh", about.within, doc.text(row, "name"))
        login = read_one(session, to) if doc.text(row, "kind") in ("", "TriggerAuthentication") else None
        yield from read_keys(session, to, login or {})


def read_keys(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each key that credentials name with the keys of its Secret."""
    for at, row in walk(obj, "spec.secretTargetRef[]"):
        to = Ref("Secret", about.within, doc.text(row, "name"))
        secret, key = read_one(session, to), doc.text(row, "key")
        if secret is not None and key:
            there = doc.keys(secret, "data")
            yield Counterpart("secret-key", about, f"{at}.key", key, "Secret", (to,), "data", there)
