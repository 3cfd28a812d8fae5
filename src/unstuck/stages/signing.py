"""Finds waiting certificate requests, also among a Node's requests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.signing import NodeRequests, SigningRequest
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.kinds import OWN_SIGNERS
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

SERVING = "kubernetes.io/kubelet-serving"
# Approvers and signers are controllers that watch; they answer within seconds.
_ANSWERED = timedelta(minutes=2)


def is_request_waiting(request: Ref, snap: Facts) -> Sign[SigningRequest]:
    """Tell whether this request is unanswered for longer than an approver or a signer needs; unknown if its
    age is unknown.
    """
    open_ = some(snap, SigningRequest, request, lambda f: [] if f.settled else [f])
    if not open_.value:
        return open_
    made = _find_creation(request, snap)
    if made is None or made.created is None:
        return Sign(None, seen=open_.seen, wants=(Want(Presence, request),))
    late, seen = snap.now - made.created >= _ANSWERED, (*open_.seen, made)
    return Sign(late, open_.hits if late else (), seen, sure=open_.sure)


def find_waiting_requests(node: Ref, snap: Facts) -> Sign[SigningRequest]:
    """Find the requests of a Node's kubelet that wait; per signer only the newest counts, because the kubelet
    renews them.
    """
    told = tuple(f for f in snap.of(NodeRequests, node) if f.whole and snap.sure(f))
    if not told:
        # An unseen request may be newer than the seen ones.
        return Sign(None, seen=snap.of(NodeRequests, node), wants=(Want(NodeRequests, node),))
    refs = unique(r for f in told for r in f.refs)
    unread = tuple(Want(SigningRequest, r) for r in refs if not snap.of(SigningRequest, r))
    if unread:
        return Sign(None, seen=told, wants=unread)
    by_signer: dict[str, list[Ref]] = {}
    for f in (f for r in refs for f in snap.of(SigningRequest, r)):
        by_signer.setdefault(f.signer, []).append(f.about)
    signs = [_find_newest_waits(by_signer[signer], snap) for signer in sorted(by_signer)]
    found = any_of(signs) if signs else Sign[SigningRequest](False)
    return found._replace(seen=unique((*told, *found.seen)))


def waits_for_signer(request: Ref, snap: Facts) -> Sign[SigningRequest]:
    """Tell whether it is approved, and its signer none of Kubernetes' own; these answer within seconds."""
    return some(
        snap,
        SigningRequest,
        request,
        lambda f: [f] if f.approved and not f.settled and not f.signer.startswith(OWN_SIGNERS) else [],
    )


def _lacks_signer(request: Ref, snap: Facts) -> Sign[ClassWork]:
    """Tell whether an approved request waits for a signer that no program here serves."""
    waits = waits_for_signer(request, snap)
    if not waits.value:
        return Sign(waits.value, seen=waits.seen, wants=waits.wants)
    alone = some(snap, ClassWork, request, lambda f: [f] if f.whole and is_unserved(f) else [])
    return alone._replace(seen=unique((*waits.seen, *alone.seen)))


def is_unserved(work: ClassWork) -> bool:
    """Tell whether a class is served by nobody, as far as this cluster shows."""
    return not work.served and not work.cloud and not any(c.ready for c in work.candidates)


def judge_request(request: Ref, snap: Facts) -> State | None:
    """Judge an approved request without a certificate: signers answer within seconds, or never."""
    told = next((f for f in snap.of(SigningRequest, request) if f.approved and not f.settled), None)
    if told is None:
        return None
    alone = _lacks_signer(request, snap)
    if alone.value:
        says = say("approved, and no program that serves signer {signer} was found", signer=told.signer)
        return add_headline(request, "stuck", says, evidence=(told, *alone.seen))
    late = is_request_waiting(request, snap)
    says = say("approved, and signer {signer} has not issued the certificate", signer=told.signer)
    made = _find_creation(request, snap)
    since = made.created if made else None
    state = add_headline(request, "stuck" if late.value else "progressing", says, since, (told,))
    return replace(state, wants=unique((*state.wants, *alone.wants, *late.wants)))


def _find_newest_waits(requests: Sequence[Ref], snap: Facts) -> Sign[SigningRequest]:
    """Tell whether the newest of these requests to one signer waits; if an age is unknown, no only if all are
    settled.
    """
    facts = tuple(f for r in requests for f in snap.of(SigningRequest, r))
    if all(f.settled for f in facts):
        return Sign(False, seen=facts)
    made = {r: fact.created for r in requests if (fact := _find_creation(r, snap)) and fact.created}
    unknown = tuple(Want(Presence, r) for r in requests if r not in made)
    if unknown:
        return Sign(None, seen=facts, wants=unknown)
    return is_request_waiting(max(made, key=lambda r: (made[r], r.key)), snap)


def _find_creation(request: Ref, snap: Facts) -> Presence | None:
    return next((f for f in snap.of(Presence, request) if f.created), None)
