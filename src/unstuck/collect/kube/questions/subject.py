"""Reads the first facts about the subject of a question, or raises an error that suggests an existing one."""

from __future__ import annotations

from unstuck.collect.kube.questions.below import list_below
from unstuck.collect.kube.questions.missing import make_not_found
from unstuck.collect.kube.questions.objects import (
    LEASE,
    event_facts,
    events_named,
    lease_facts,
    make_unreadable_facts,
    node_lease,
    read_object,
)
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Session, cannot_ask
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.errors import AccessError, NotFound, Unreachable, UnstuckError
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Below, Events
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.text import Messages
from unstuck.facts.vocabulary.kinds import CREATORS

say = Messages(__name__)

# Kinds whose Events are read at once with the object: they report things that the object does not.
_WITH_EVENTS = frozenset((*CREATORS, "Pod", "PersistentVolumeClaim"))


def first_facts(session: Session, kind: Kind, subject: Ref) -> tuple[Ref, list[Fact]]:
    """Return the subject with its uid, its facts and its Events; for a workload also the objects below it,
    for a Node its Lease.

    Errors: NotFound, AccessError, Unreachable: only if the subject itself cannot be read. All else becomes a
    `Refused`.
    """

    def ask(what: str) -> ApiRead:
        if what == "events":
            return events_named(session, subject).read
        return (
            session.object(LEASE, node_lease(subject)) if what == "lease" else session.object(kind, subject)
        )

    extras = ["events"] if subject.kind in _WITH_EVENTS else ["lease"] if subject.kind == "Node" else []
    read, *_ = run_each(ask, ["object", *extras], 2)
    if not read.reply.ok:
        # A stored object that cannot be read is an answer, and the only possible one.
        if told := make_unreadable_facts(read, subject):
            return subject, told
        raise _error(session, kind, subject, read)
    full = ref_of(read.reply.doc) or subject
    if subject.uid and full.uid != subject.uid:
        raise NotFound(
            say("{subject} with uid {uid} is gone", subject=subject, uid=subject.uid),
            say("another {kind} of this name exists, uid {uid}", kind=subject.kind, uid=full.uid),
        )
    facts = read_object(session, read, full)
    # Both have been answered by now; the object's own Events are known only by its uid.
    if "events" in extras:
        facts += event_facts(session, Want(Events, full))
    if "lease" in extras:
        facts += lease_facts(session, Want(Lease, full))
    if subject.kind in CREATORS:
        facts += list_below(session, Want(Below, full))
    return full, facts


def _error(session: Session, kind: Kind, subject: Ref, read: ApiRead) -> UnstuckError:
    reply = read.reply
    whole = cannot_ask(session, reply)
    if whole is not None:
        return whole
    if reply.status == 404:
        return make_not_found(session, kind, subject)
    said = (reply.detail or reply.message or f"HTTP {reply.status}").rstrip(".")
    if reply.status == 403 or reply.why == "denied":
        return AccessError(
            say("not allowed to read {subject}: {said}", subject=subject, said=said),
            say("ask for the right to get it"),
        )
    if reply.why == "too-large":
        return Unreachable(
            say("{subject} was not read, the answer is too large: {said}", subject=subject, said=said)
        )
    return Unreachable(
        say("{subject} could not be read: {said}", subject=subject, said=said), say("try again")
    )
