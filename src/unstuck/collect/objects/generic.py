"""Facts of any object's metadata, and of the conditions and phase in most objects' status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import target_of
from unstuck.facts.aspects.objects import (
    Condition,
    Conditions,
    Deletion,
    Failure,
    Finalizers,
    Labels,
    Owners,
    Phase,
    Presence,
    Touch,
    Touches,
)
from unstuck.facts.codec import format_time
from unstuck.facts.core import LONGEST_QUOTE, Fact, Ref, Source, shorten
from unstuck.facts.record import Record, record
from unstuck.wording.match import find_failures
from unstuck.wording.reasons import TELLS_ALONE

# Annotations that a cause reads; the values of all others stay behind.
ANNOTATIONS = frozenset(
    {
        "kubernetes.io/config.mirror",
        "kubernetes.io/config.source",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        "deployment.kubernetes.io/revision",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
        "volume.beta.kubernetes.io/storage-provisioner",
        "volume.beta.kubernetes.io/storage-class",
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
        "argocd.argoproj.io/tracking-id",
        "ingressclass.kubernetes.io/is-default-class",
        "kubernetes.io/ingress.class",
        # The author of a Pod's requests and limits: the admission plugin LimitRanger
        # (plugin/pkg/admission/limitranger), a VerticalPodAutoscaler's admission controller
        # (pkg/admission-controller/resource/pod/patch).
        "kubernetes.io/limit-ranger",
        "vpaUpdates",
    }
)


@record()
class SeenObject(Record):
    """One object under reading. observed: a server filled it in (else it is a manifest, which proves
    nothing about a cluster).
    """

    obj: doc.Doc
    ref: Ref
    where: str
    at: datetime | None
    observed: bool

    def src(self, quote: str = "", at: datetime | None = None) -> Source:
        """Return the place of this object, with a quote."""
        return Source(self.where, shorten(quote), at or self.at)


def is_observed(obj: doc.Doc) -> bool:
    """Tell whether a server wrote this object: it has a field that only a server fills in."""
    meta = doc.section(obj, "metadata")
    return any(
        meta.get(k)
        for k in ("uid", "creationTimestamp", "resourceVersion", "deletionTimestamp", "managedFields")
    ) or bool(doc.section(obj, "status"))


def metadata_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Presence, Deletion, Finalizers, Touches, Owners and Labels of any object."""
    meta = doc.section(seen.obj, "metadata")
    if seen.observed:
        yield Presence(
            about=seen.ref, src=seen.src(), exists=True, created=doc.time(meta, "creationTimestamp")
        )
    yield from _read_deletion(seen, meta)
    names = doc.strings(meta, "finalizers")
    yield Finalizers(
        about=seen.ref,
        src=seen.src(f"finalizers {', '.join(names) or 'none'}"),
        names=names,
        whole=seen.observed,
    )
    # kubectl leaves managedFields out unless asked, so their absence says nothing.
    if touches := tuple(_read_touch(row) for row in doc.rows(meta, "managedFields")):
        yield Touches(about=seen.ref, src=seen.src("managedFields"), items=touches)
    yield _read_owners(seen, meta)
    kept = tuple((k, v) for k, v in doc.pairs(meta, "annotations") if k in ANNOTATIONS)
    yield Labels(
        about=seen.ref,
        src=seen.src("labels"),
        items=doc.pairs(meta, "labels"),
        annotations=kept,
        whole=seen.observed,
    )


def _read_deletion(seen: SeenObject, meta: doc.Doc) -> Iterator[Fact]:
    if meta.get("deletionTimestamp") is not None:
        due, grace = doc.time(meta, "deletionTimestamp"), doc.whole_number(meta, "deletionGracePeriodSeconds")
        src = seen.src(f"deletionTimestamp {format_time(due) if due else '?'}")
        yield Deletion(about=seen.ref, src=src, requested=True, due=due, grace=grace)
    elif seen.observed:
        yield Deletion(about=seen.ref, src=seen.src("no deletionTimestamp"), requested=False)


def _read_touch(row: doc.Doc) -> Touch:
    paths = []
    for first, below in doc.section(row, "fieldsV1").items():
        if isinstance(first, str) and first.startswith("f:"):
            inner = (
                [k[2:] for k in below if isinstance(k, str) and k.startswith("f:")]
                if isinstance(below, Mapping)
                else []
            )
            paths += [f"{first[2:]}.{k}" for k in inner] or [first[2:]]
    return Touch(
        doc.text(row, "manager"),
        doc.time(row, "time"),
        tuple(sorted(paths)),
        doc.text(row, "subresource") or None,
    )


def _read_owners(seen: SeenObject, meta: doc.Doc) -> Owners:
    found = [
        (row, ref) for row in doc.rows(meta, "ownerReferences") if (ref := target_of(row, seen.ref.within))
    ]
    controller = next((ref for row, ref in found if doc.flag(row, "controller")), None)
    quote = f"ownerReferences {', '.join(map(str, (r for _, r in found))) or 'none'}"
    return Owners(
        about=seen.ref,
        src=seen.src(quote),
        refs=tuple(r for _, r in found),
        controller=controller,
        whole=seen.observed,
    )


def condition_rows(seen: SeenObject) -> tuple[Condition, ...]:
    """Return `status.conditions` in the order of the object."""
    return conditions_of(doc.section(seen.obj, "status"))


def conditions_of(status: doc.Doc) -> tuple[Condition, ...]:
    """Return the conditions of an object's status, or of a part of it."""
    return tuple(
        Condition(
            doc.text(row, "type"),
            doc.text(row, "status"),
            doc.text(row, "reason"),
            mask_message(doc.text(row, "message")),
            doc.time(row, "lastTransitionTime"),
            doc.time(row, "lastUpdateTime") or doc.time(row, "lastHeartbeatTime"),
        )
        for row in doc.rows(status, "conditions")
    )


def status_facts(seen: SeenObject, speaking: str = "") -> Iterator[Fact]:
    """Yield Conditions and Phase, and the Failures in their messages.

    speaking: the status of a condition of this kind that means a problem, "" where that depends on its type.
        Those are quoted first, with their messages: a quote that is too long for its place loses the others.
    """
    status = doc.section(seen.obj, "status")
    if not status:
        return
    items = condition_rows(seen)
    told = sorted(items, key=lambda c: c.status != speaking)
    quote = "; ".join(
        f"{c.type}={c.status or '<none>'}"
        + (f" {c.reason}" if c.reason else "")
        + (f": {c.message[:LONGEST_QUOTE]}" if c.message and c.status == speaking else "")
        for c in told
    )
    yield Conditions(about=seen.ref, src=seen.src(quote or "no conditions"), items=items)
    if phase := doc.text(status, "phase"):
        reason, message = doc.text(status, "reason"), mask_message(doc.text(status, "message"))
        src = seen.src(" ".join(p for p in (f"phase {phase}", reason, message) if p))
        yield Phase(about=seen.ref, src=src, phase=phase, reason=reason, message=message)
        yield from message_failures(
            seen, message, quote=f"{reason}: {message}", reporter="status", reason=reason
        )
    for c in items:
        quote, reporter = f"{c.type}={c.status} {c.reason}: {c.message}", f"condition {c.type}"
        if seen.ref.kind == "Node" and c.reason == "KubeletNotReady":
            reporter = "kubelet"
        # A workload whose Pods are refused has only the server's message; the condition's reason names the
        # refused operation, as a Node's does.
        reason = c.reason if c.type in ("ReplicaFailure", "Ready") else ""
        yield from message_failures(
            seen, c.message, quote=quote, reporter=reporter, first=c.since, reason=reason
        )


def message_failures(
    seen: SeenObject,
    message: str,
    *,
    quote: str,
    reporter: str,
    reason: str = "",
    first: datetime | None = None,
) -> Iterator[Failure]:
    """Yield the Failures in a current message of this object. reason: the word beside the message, which
    may name the operation.
    """
    if message or reason in TELLS_ALONE:
        yield from find_failures(
            message,
            about=seen.ref,
            src=seen.src(quote),
            reporter=reporter,
            count=1,
            first=first,
            reason=reason,
        )
