"""An object's own reports beside its conditions, and the fields that may have stopped it on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.doubts import read_doubts
from unstuck.collect.objects.generic import SeenObject, conditions_of
from unstuck.collect.objects.kind_status import read_status_words
from unstuck.collect.objects.leaves import find_innermost, list_named, read_complaints, read_rows
from unstuck.collect.objects.said_values import find_said_values
from unstuck.facts.aspects.reported import PartCondition, Remarks, Reported, Setting, StatusWord, Switches
from unstuck.facts.core import Fact
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import WRITTEN_BY_THE_MANAGER

# Each with the field that says more.
_WORDS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("status", "phase"), ("status", "message")),
    (("status", "state"), ("status", "message")),
    (("status", "health"), ()),
    (("status", "health", "status"), ("status", "health", "message")),
    (("status", "sync", "status"), ()),
    (("status", "operationState", "phase"), ("status", "operationState", "message")),
    (("status", "robustness"), ()),
    (("status", "printableStatus"), ()),
    (("status", "ceph", "health"), ()),
    (("status", "applicationState", "state"), ("status", "applicationState", "errorMessage")),
)
# An object with a phase or a state without a message may give the reason beside it (cert-manager's Challenge;
# cloudnative-pg's Cluster).
_TOP, _REASON = (("status", "phase"), ("status", "state")), ("status", "reason")
_ERRORS: tuple[tuple[str, ...], ...] = (
    ("status", "failureMessage"),
    ("status", "failureReason"),
    ("status", "errorMessage"),
    ("status", "error"),
    ("status", "error", "message"),
    ("status", "attachError", "message"),
)
# Parts with conditions of their own, and the field that names one (kubernetes-sigs/gateway-api apis/v1:
# Listener, RouteParentStatus).
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("listeners", ("name",)),
    ("parents", ("parentRef", "name")),
    ("ancestors", ("ancestorRef", "name")),
)
_MOST_PARTS = 20
# Any other entry of a list or a map with conditions is a part, too (prometheus-operator WorkloadBinding,
# longhorn DiskStatus, resource/v1 AllocatedDeviceStatus).
_PARTS_DEPTH = 2
# How annotations for people end: a note, a reason, a change by its number. Programs describe their own kinds
# in `description`.
_REMARK = regex(
    r"(?i)(?:^|[/.-])(?:notes?|remarks?|reason|comments?|change|ticket|maintenance|window|why|until|purpose)$"
)
_MOST_ANNOTATIONS, _LONGEST_REMARK = 60, 160
# Fields that can stop an object; knowledge/standstills.py has the meaning of each.
SWITCHES = (
    "suspend",
    "suspended",
    "paused",
    "pause",
    "replicas",
    "parallelism",
    "runStrategy",
    "running",
    "unschedulable",
    "persistentVolumeReclaimPolicy",
    "managedBy",
    "approved",
    "approval",
    "installPlanApproval",
    "approvalMode",
    "manualApproval",
    "stopPolicy",
)
# Names of such fields (batch/v1 JobSpec, apps/v1 DeploymentSpec, flux HelmReleaseSpec, tekton
# PipelineRunSpec, argo RetryStrategy).
_BOUNDS = regex(
    r"(?i)deadline|time-?out|expir|^max(?:Retries|Attempts|Duration)$|retries$|backoffLimit|^retry(?:Limit"
    r"|Count)?$|^limit$"
)
_OF_OTHERS, _BOUNDS_DEPTH = frozenset({"template", "jobTemplate", "podTemplate", "values"}), 3
# The controller's reason for a pause (argo-rollouts).
PAUSE = "status.pauseConditions[0].reason"
# Pods of a StatefulSet with a lower number keep the template that they have (apps/v1,
# RollingUpdateStatefulSetStrategy).
PARTITION = "spec.updateStrategy.rollingUpdate.partition"
ANNOTATIONS = (
    "cluster.x-k8s.io/paused",
    "crossplane.io/paused",
    "autoscaling.keda.sh/paused",
    "autoscaling.keda.sh/paused-replicas",
    "strimzi.io/pause-reconciliation",
    "kustomize.toolkit.fluxcd.io/reconcile",
    "cnpg.io/hibernation",
    "eck.k8s.elastic.co/managed",
)


def reported_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Remarks, Reported and Switches of an observed object; a Pod's status has a reader of its own."""
    if not seen.observed:
        return
    if remarks := tuple(_read_remarks(seen.obj)):
        yield Remarks(
            about=seen.ref, src=seen.src("; ".join(f"{i.field}: {i.value}" for i in remarks)), items=remarks
        )
    if seen.ref.kind == "Pod":
        return
    generation, observed = doc.whole_number(seen.obj, "metadata", "generation"), _read_observed(seen.obj)
    words, errors, parts = (
        (*_read_words(seen), *read_status_words(seen)),
        (*_read_errors(seen), *read_complaints(doc.section(seen.obj, "status"))),
        tuple(_read_parts(seen)),
    )
    rows, doubts = _read_of_custom(seen) if "." in seen.ref.kind else ((), ())
    unwritten = is_unwritten(seen.obj)
    if generation is not None or words or errors or parts or rows or doubts or unwritten:
        told = [f"{w.field} {w.value}" for w in (*words, *errors, *rows, *doubts)]
        told += [
            f"{p.part} {p.condition.type}={p.condition.status} {p.condition.reason}".rstrip() for p in parts
        ]
        if generation is not None and observed is not None and observed != generation:
            told.append(f"generation {generation}, observedGeneration {observed}")
        yield Reported(
            about=seen.ref,
            src=seen.src("; ".join(told) or _describe_silence(seen, unwritten)),
            generation=generation,
            observed=observed,
            words=words,
            errors=errors,
            parts=parts,
            rows=rows,
            doubts=doubts,
            unwritten=unwritten,
            bounds=tuple(_read_bounds(doc.section(seen.obj, "spec"), "spec", _BOUNDS_DEPTH))[:_MOST_PARTS],
            said=tuple(find_said_values(seen)) if "." in seen.ref.kind else (),
        )
    if items := tuple(_read_settings(seen.obj)):
        yield Switches(
            about=seen.ref, src=seen.src(", ".join(f"{i.field}: {i.value}" for i in items)), items=items
        )


def _read_observed(obj: doc.Doc) -> int | None:
    """Return the newest generation that the status, or else one of its conditions, is about."""
    numbers = [doc.whole_number(row, "observedGeneration") for row in doc.rows(obj, "status", "conditions")]
    whole = doc.whole_number(obj, "status", "observedGeneration")
    return whole if whole is not None else max((n for n in numbers if n is not None), default=None)


def _read_of_custom(seen: SeenObject) -> tuple[tuple[StatusWord, ...], tuple[StatusWord, ...]]:
    """Return the entries of a CustomResource's status, and what its numbers and flags say against it."""
    spec, status = doc.section(seen.obj, "spec"), doc.section(seen.obj, "status")
    told = {".".join(path) for path, _ in _WORDS}
    return read_rows(status), tuple(d for d in read_doubts(spec, status) if d.field not in told)


def _read_remarks(obj: doc.Doc) -> Iterator[Setting]:
    """Yield the annotations with a sentence for people, not single words or documents."""
    for key, value in doc.pairs(obj, "metadata", "annotations")[:_MOST_ANNOTATIONS]:
        said = " ".join(value.split())
        if _REMARK.search(key) and " " in said and not said.startswith(("{", "[")):
            yield Setting(
                f"metadata.annotations[{key}]",
                mask_message(said if len(said) <= _LONGEST_REMARK else f"{said[:_LONGEST_REMARK]}…"),
            )


def _read_bounds(section: doc.Doc, path: str, depth: int) -> Iterator[Setting]:
    """Yield the fields of a spec that limit time or tries, without the fields of templates."""
    for key, value in section.items():
        if not isinstance(key, str) or key in _OF_OTHERS:
            continue
        if isinstance(value, Mapping) and depth:
            yield from _read_bounds(value, f"{path}.{key}", depth - 1)
        elif _BOUNDS.search(key) and (text := doc.scalar(section, key)):
            yield Setting(f"{path}.{key}", text)


def _describe_silence(seen: SeenObject, unwritten: bool) -> str:
    if unwritten:
        return "no status"
    return (
        "no words beside its conditions"
        if conditions_of(doc.section(seen.obj, "status"))
        else "its status has no words of its own"
    )


def is_unwritten(obj: doc.Doc) -> bool:
    """Tell whether an object has a spec and no content in its status; a client may have sent an empty one.

    An object without a uid was not shown completely.
    """
    if not doc.text(obj, "metadata", "uid"):
        return False
    if doc.text(obj, "kind") in WRITTEN_BY_THE_MANAGER:
        # Its numbers are written as 0 on creation; autoscaling/v1 has no conditions.
        looked_at = doc.rows(obj, "status", "conditions") or doc.whole_number(
            obj, "status", "observedGeneration"
        )
        return not looked_at and doc.text(obj, "apiVersion") != "autoscaling/v1"
    return bool(doc.section(obj, "spec")) and not _says_anything(obj.get("status"))


def _says_anything(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_says_anything(inner) for inner in value.values())
    return value not in (None, "", []) and not (
        isinstance(value, list) and not any(map(_says_anything, value))
    )


def _read_words(seen: SeenObject) -> Iterator[StatusWord]:
    for path, more in _WORDS:
        if value := doc.text(seen.obj, *path):
            message = (doc.text(seen.obj, *more) if more else _read_details(seen.obj, path[:-1])) or (
                doc.text(seen.obj, *_REASON) or doc.text(seen.obj, "status", f"{path[-1]}Reason")
                if path in _TOP
                else ""
            )
            yield StatusWord(".".join(path), value, mask_message(message))


def _read_details(obj: doc.Doc, beside: tuple[str, ...]) -> str:
    """Return the messages of a map `details` of codes beside a word (rook, status.ceph.details)."""
    details = doc.section(obj, *beside, "details")
    told = [(code, doc.text(details, code, "message")) for code in list(details)[:_MOST_PARTS]]
    return "; ".join(f"{code}: {message}" for code, message in told if message)


def _read_errors(seen: SeenObject) -> Iterator[StatusWord]:
    for path in _ERRORS:
        if value := mask_message(doc.text(seen.obj, *path)):
            yield StatusWord(
                ".".join(path),
                find_innermost(value),
                since=doc.time(seen.obj, *path[:-1], "time") if path[-1] == "message" else None,
            )


def _read_parts(seen: SeenObject) -> Iterator[PartCondition]:
    for field, names in _PARTS:
        for row in doc.rows(seen.obj, "status", field)[:_MOST_PARTS]:
            part = f"status.{field}[{doc.text(row, *names)}]"
            yield from (PartCondition(part, c) for c in conditions_of(row))
    of_parts = {field for field, _ in _PARTS}
    for place, entry in list_named(doc.section(seen.obj, "status"), "status", _PARTS_DEPTH):
        if place.split(".")[1].partition("[")[0] not in of_parts:
            yield from (PartCondition(place, c) for c in conditions_of(entry)[:_MOST_PARTS])


def _read_settings(obj: doc.Doc) -> Iterator[Setting]:
    spec, annotations = doc.section(obj, "spec"), doc.section(obj, "metadata", "annotations")
    for name in SWITCHES:
        flag = doc.maybe_flag(spec, name)
        if value := doc.scalar(spec, name) if flag is None else str(flag).lower():
            yield Setting(f"spec.{name}", value)
    if partition := doc.scalar(spec, "updateStrategy", "rollingUpdate", "partition"):
        yield Setting(PARTITION, partition)
    if reason := next(
        (r for row in doc.rows(obj, "status", "pauseConditions")[:1] if (r := doc.text(row, "reason"))), ""
    ):
        yield Setting(PAUSE, reason)
    for name in ANNOTATIONS:
        if name in annotations:
            yield Setting(f"metadata.annotations[{name}]", doc.scalar(annotations, name))
