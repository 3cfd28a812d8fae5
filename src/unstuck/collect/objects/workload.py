"""Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs: wanted and actual replicas.

Sources: `DeploymentStatus`, `StatefulSetStatus`, `DaemonSetStatus` (staging/src/k8s.io/api/apps/v1/types.go)
and `JobStatus` (batch/v1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, condition_rows, status_facts
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.protection import Uncounted
from unstuck.facts.core import Fact
from unstuck.facts.vocabulary.kinds import CREATORS

# A CronJob has no replicas.
WORKLOADS = frozenset(CREATORS) - {"CronJob"}


def workload_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield workload and Conditions; the status' absence gives neither, its counters' absence means zero
    (they are omitted when empty).
    """
    spec, status = doc.section(seen.obj, "spec"), doc.section(seen.obj, "status")
    if status and spec:
        yield _read_workload(seen, spec, status)
        if seen.ref.kind == "Job":
            yield _read_uncounted(seen, status)
    yield from status_facts(seen)


def _read_workload(seen: SeenObject, spec: doc.Doc, status: doc.Doc) -> Workload:
    def count(*fields: str) -> int:
        return next((n for f in fields if (n := doc.whole_number(status, f)) is not None), 0)

    wanted, ready = _count_wanted(seen.ref.kind, spec, status), count("readyReplicas", "numberReady", "ready")
    created = count("replicas", "currentNumberScheduled", "active")
    done = (
        any(c.type in ("Complete", "Failed") and c.status == "True" for c in condition_rows(seen))
        if seen.ref.kind == "Job"
        else False
    )
    return Workload(
        about=seen.ref,
        src=seen.src(f"wanted {wanted}, created {created}, ready {ready}"),
        wanted=wanted,
        ready=ready,
        created=created,
        updated=count("updatedReplicas", "updatedNumberScheduled"),
        unavailable=count("unavailableReplicas", "numberUnavailable"),
        deadline=doc.whole_number(spec, "progressDeadlineSeconds"),
        finished=done,
        suspended=doc.flag(spec, "suspend"),
        service_name=doc.text(spec, "serviceName"),
        strategy=doc.text(doc.section(spec, "updateStrategy"), "type"),
        requirements=_read_requirements(spec) if seen.ref.kind == "DaemonSet" else None,
        chosen=doc.pairs(spec, "template", "spec", "nodeSelector") if seen.ref.kind == "DaemonSet" else (),
        rolls=seen.ref.kind == "Deployment" and not doc.flag(spec, "paused"),
        surge=doc.scalar(_rolling_update(spec), "maxSurge"),
        unavailable_at_most=doc.scalar(_rolling_update(spec), "maxUnavailable"),
        ordered=seen.ref.kind == "StatefulSet" and _is_ordered(spec),
        revision=doc.text(status, "updateRevision"),
        first=doc.whole_number(spec, "ordinals", "start") or 0,
    )


def _is_ordered(spec: doc.Doc) -> bool:
    by_itself = doc.text(spec, "updateStrategy", "type") == "RollingUpdate" and not doc.whole_number(
        _rolling_update(spec), "partition"
    )
    return by_itself and doc.text(spec, "podManagementPolicy") in ("", "OrderedReady")


def _rolling_update(spec: doc.Doc) -> doc.Doc:
    """Return the bounds of a rolling update; a Deployment has them under `strategy`, the others under
    `updateStrategy`.
    """
    return doc.section(spec, "strategy", "rollingUpdate") or doc.section(
        spec, "updateStrategy", "rollingUpdate"
    )


def _read_uncounted(seen: SeenObject, status: doc.Doc) -> Uncounted:
    waiting = doc.section(status, "uncountedTerminatedPods")
    uids = tuple(u for how in ("succeeded", "failed") for u in doc.strings(waiting, how))
    return Uncounted(
        about=seen.ref, src=seen.src(f"uncountedTerminatedPods {', '.join(uids) or 'none'}"), uids=uids
    )


def _read_requirements(spec: doc.Doc) -> tuple[tuple[str, str, tuple[str, ...]], ...] | None:
    """Return the template's requirements on Node labels; None without a template."""
    if "template" not in spec:
        return None
    required = doc.at(
        spec, "template", "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"
    )
    terms = doc.rows(required, "nodeSelectorTerms") if isinstance(required, Mapping) else ()
    return tuple(
        (doc.text(e, "key"), doc.text(e, "operator"), tuple(doc.strings(e, "values")))
        for t in terms
        for e in doc.rows(t, "matchExpressions")
    )


def _count_wanted(kind: str, spec: doc.Doc, status: doc.Doc) -> int:
    """Return the number of Pods that the controller works towards: a DaemonSet's own count, a Job's
    remaining Pods at once.
    """
    if kind == "DaemonSet":
        return doc.whole_number(status, "desiredNumberScheduled") or 0
    if kind == "Job":
        parallel = doc.whole_number(spec, "parallelism")
        completions = doc.whole_number(spec, "completions")
        at_once = 1 if parallel is None else parallel
        left = at_once if completions is None else completions - (doc.whole_number(status, "succeeded") or 0)
        return max(0, min(at_once, left))
    replicas = doc.whole_number(spec, "replicas")
    return 1 if replicas is None else replicas
