"""The objects named in words about a subject (its containers' last lines, failures, its own conditions),
which the investigation follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.diagnosis.objects_named import (
    CLUSTER_DNS,
    find_address_of_host,
    find_name_server,
    find_objects_in_line,
)
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.objects import Events, Failure, Owners, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatus, LastLines, Needs
from unstuck.facts.aspects.references import Makers, Owned, Reference
from unstuck.facts.aspects.services import AddressHolders, ServicePods, ServicesAt
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.hold import find_queue
from unstuck.stages.lifting import find_deciders, find_hold_field
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.references import WRITTEN, find_references
from unstuck.stages.reported_state import (
    find_deletion_words,
    find_ill_words,
    find_outright_conditions,
    find_telling_words,
    find_waiting_words,
)
from unstuck.stages.switches import find_setting

# The limit of objects to look at for one subject.
_MOST = 3
# The number of last lines that count in a log without a known complaint, while the container runs and is
# unhealthy.
_LAST = 2
_LATEST = 3
_REFERRED = 4
# Kubernetes' own kinds with a health of their own.
_JUDGED = (
    *(
        "Pod",
        "Job",
        "CronJob",
        "Deployment",
        "ReplicaSet",
        "StatefulSet",
        "DaemonSet",
        "Service",
        "Ingress",
        "APIService",
    ),
    *("PersistentVolumeClaim", "PersistentVolume", "Node", "CertificateSigningRequest"),
)
_SCALED = ("caleTargetRef", ".targetRef")
# Kinds to which a message about a Pod does not lead: it names its own author, or was followed already.
_PLACES = ("Pod", "Node", "Namespace")


@record()
class NamedObject(Record):
    """An object, and the fact whose words name it."""

    to: Ref
    by: Fact


def find_named_objects(subject: Ref, snap: Facts) -> tuple[NamedObject, ...]:
    """Return the objects named in words about the subject, those named by its own program first; never the
    subject itself.
    """
    found: dict[Ref, Fact] = {
        snap.canon(ref): fact for fact in _list_makers(subject, snap) for ref in fact.refs
    }
    space = subject.name if subject.kind == "Namespace" else subject.within
    for fact, words in _list_words(subject, snap):
        for ref in find_objects_in_line(words, space):
            to = snap.canon(ref)
            if to != snap.canon(subject) and not (subject.kind == "Pod" and to.kind in _PLACES):
                found.setdefault(to, fact)
    if subject.kind == "Pod":
        for service, fact in _find_by_address(subject, snap):
            found.setdefault(snap.canon(service), fact)
    others = (
        *_list_controllers(subject, snap),
        *_find_referred(subject, snap),
        *_find_queue(subject, snap),
        *_find_claims(subject, snap),
        *_find_deciders(subject, snap),
        *_find_beside(subject, snap),
        *_find_down_controllers(subject, snap),
    )
    further = {snap.canon(ref): fact for ref, fact in others}
    ways = {**further, **dict([*found.items()][:_MOST])}
    return tuple(NamedObject(to, by) for to, by in ways.items() if to != snap.canon(subject))


def _list_controllers(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the CustomResource behind a Service that selects no Pods: its operator has not made the Pods yet.

    Existing Pods fail for their own reasons, which the CustomResource only reports.
    """
    if subject.kind != "Service" or not any(f.whole and not f.matched for f in snap.of(ServicePods, subject)):
        return
    for owners in snap.of(Owners, subject):
        if owners.controller and "." in owners.controller.kind:
            yield owners.controller, owners


def _find_referred(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    own = find_ill_words(subject, snap) or find_waiting_words(subject, snap)
    yield from ((r.to, own[0].fact) for r in find_awaited_resources(subject, snap))


def find_awaited_resources(subject: Ref, snap: Facts) -> tuple[Reference, ...]:
    """Return the objects that an unhealthy CustomResource refers to (`sourceRef`, `dependsOn`): it may only
    wait for these.

    None for an object whose message names its own trouble, and no target whose kind only holds data.
    """
    told = "." in subject.kind and (find_ill_words(subject, snap) or find_waiting_words(subject, snap))
    # The rows of its status are its own parts; it only counts their failures.
    own = bool(find_outright_conditions(subject, snap))
    others = sorted(
        (
            r
            for r in find_references(subject, snap)
            if ("." in r.to.kind or r.to.kind in _JUDGED) and (not own or _is_status_row(r.field))
        ),
        # Its status shows for which of them it waits.
        key=lambda r: not r.field.startswith("status"),
    )
    # A target without replicas waits for its scaler, not the other way round.
    return (
        tuple(r for r in others if not (r.field.endswith(_SCALED) and find_hold_field(r.to, snap)))[
            :_REFERRED
        ]
        if told
        else ()
    )


def _is_status_row(field: str) -> bool:
    return field.startswith("status.") and field.endswith("]")


def _find_claims(pod: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the claims of a Pod that are not bound and refer to something, such as a snapshot, and the
    CustomResources that fill them.
    """
    for need in (n for f in snap.of(Needs, pod) for n in f.items if n.by == "claim"):
        for phase in (f for f in snap.of(Phase, need.object) if f.phase == "Pending"):
            if find_references(need.object, snap):
                yield need.object, phase
            for owners in snap.of(Owners, need.object):
                if owners.controller and "." in owners.controller.kind:
                    yield owners.controller, phase


def _find_queue(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the queue that a suspended object waits in."""
    if find_setting(subject, snap, "spec.suspend", "true") and (found := find_queue(subject, snap)):
        yield found


def _find_deciders(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the objects that should end the hold of a held object."""
    if field := find_hold_field(subject, snap):
        deciders = find_deciders(subject, field, snap)
        yield from ((d.ref, fact) for fact in snap.of(Deciders, subject) for d in deciders[:_MOST])


def _find_beside(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the unhealthy parts of the whole that a CustomResource belongs to, unless it is being deleted."""
    for fact in () if is_being_deleted(subject, snap) else snap.of(Owned, subject):
        yield from ((ref, fact) for ref in fact.beside)


def _find_down_controllers(subject: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the workloads that should serve the class of the subject or of a Pod's claims, or clear its
    finalizer, if none of them has a Ready Pod.
    """
    claims = [n.object for f in snap.of(Needs, subject) for n in f.items if n.by == "claim"]
    works: tuple[ClassWork | FinalizerOwner, ...] = (
        *(f for ref in (subject, *claims) for f in snap.of(ClassWork, ref)),
        *snap.of(FinalizerOwner, subject),
    )
    for work in works:
        if not any(c.ready for c in work.candidates):
            yield from ((c.ref, work) for c in work.candidates if c.ready == 0 and not c.weak)


def _find_by_address(pod: Ref, snap: Facts) -> Iterator[tuple[Ref, Fact]]:
    """Yield the Services whose cluster IP a program could not reach; the cause that explains the failure asks
    for the owner of the address.
    """
    for status in list_statuses(pod, snap):
        for fact in snap.of(LastLines, make_container_ref(pod, status.name)):
            if fact.complaint is None:
                continue
            unanswered = fact.complaint.error == "name-unanswered"
            address = find_address_of_host(
                find_name_server(fact.complaint.line) if unanswered else fact.complaint.name
            )
            port = Ref("NodePort", None, str(fact.complaint.port))
            at = [*snap.of(ServicesAt, address)] if address else []
            of_node = address is not None and any(f.nodes for f in snap.of(AddressHolders, address))
            for known in (*at, *(snap.of(ServicesAt, port) if of_node else ())):
                yield from ((service, fact) for service in known.services)
            if unanswered and address is None and not any(f.host_network for f in snap.of(Containers, pod)):
                yield CLUSTER_DNS, fact


def _list_makers(subject: Ref, snap: Facts) -> Iterator[Makers]:
    """Yield the expected writers of the objects that the subject needs; only asked for missing objects."""
    for need in (n for f in snap.of(Needs, subject) for n in f.items if not n.optional):
        yield from snap.of(Makers, need.object)
    for reference in find_references(subject, snap):
        if reference.to.kind in WRITTEN:
            yield from snap.of(Makers, reference.to)


def _list_words(subject: Ref, snap: Facts) -> Iterator[tuple[Fact, str]]:
    if subject.kind == "Pod":
        for status in list_statuses(subject, snap):
            yield from _find_in_log(subject, status, snap)
    for failure in snap.of(Failure, subject):
        yield failure, failure.message
    for own in (*find_telling_words(subject, snap), *find_deletion_words(subject, snap)):
        yield own.fact, own.message
    for events in snap.of(Events, subject):
        for event in [e for e in events.items if e.warning][-_LATEST:]:
            yield events, event.message


def _find_in_log(pod: Ref, status: ContainerStatus, snap: Facts) -> Iterator[tuple[Fact, str]]:
    """Yield the line with a program's reason for not continuing; for a running, unhealthy program without
    such a line, its last lines.
    """
    for fact in snap.of(LastLines, make_container_ref(pod, status.name)):
        if fact.complaint and fact.complaint.error == "name-unanswered":
            # The name server got no answer for the name: the fault is behind the name server.
            continue
        if fact.complaint:
            yield fact, _add_host(fact.complaint.line, fact.complaint.name, fact.complaint.port)
        elif status.state == "running" and not status.ready:
            for line in reversed(fact.lines[-_LAST:]):
                yield fact, line


def _add_host(line: str, name: str, port: int) -> str:
    """Return the line, with the server recognised in it as host and port."""
    return f"{line} {name}:{port or '00'}" if name else line
