"""Sentences that name their own subject: a condition's message, an Event's, a server's about an API or a
webhook.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from unstuck.collect.text.cutting.piece import Piece, TextContext
from unstuck.collect.text.cutting.shown_objects import find_shown_object
from unstuck.facts.aspects.cluster import ApiService
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Event, Events
from unstuck.facts.aspects.refusals import ForbiddenRequests, Refusal, Refusals
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.event_words import find_sentence
from unstuck.wording.names import find_pod
from unstuck.wording.namespace import find_condition, find_unserved
from unstuck.wording.refused import find_forbidden_accounts, parse_refusals, was_let_through

_LONGEST, _SHORT = 1000, 300
# Names of webhooks and policies that the API server accepts: any other word in a name's place is not one.
_NAME = regex(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_NO_SOURCE = Source("")
_NOWHERE = Piece((), 1, None, TextContext("", datetime(2000, 1, 1, tzinfo=UTC)))


def is_sentence(text: str) -> bool:
    """Tell whether a text holds such a sentence."""
    return find_condition(text) is not None or find_sentence(text) is not None or bool(find_unserved(text))


def read_sentences(text: str, piece: Piece, src: Source, node: Ref | None = None) -> Iterator[Fact]:
    """Yield the facts in the sentences of a text, about the object that the text or the command above it
    names, else an unnamed one.

    node: the Node where the text was written, if known.
    """
    if told := find_condition(text):
        yield from _list_namespace(*told, _find_subject("Namespace", piece), src)
    if found := find_sentence(text):
        sentence, message = found
        event = Event(
            reason=sentence.reason, message=message[:_LONGEST], warning=True, first=src.at, last=src.at
        )
        about = (
            node if sentence.kind == "Node" else find_pod(text) if sentence.kind == "Pod" else None
        ) or _find_subject(sentence.kind, piece)
        yield Events(about=about, src=src, items=(event,), whole=False)
    for group, version in find_unserved(text):
        api = Ref("APIService", None, f"{version}.{group}")
        yield ApiService(about=api, src=src, service=None, available=False, message="", whole=False)


def read_refusals(text: str, src: Source) -> Iterator[Fact]:
    """Yield a server's refusals: a write denied by a webhook or a policy, one whose webhook could not be
    called, and a request that RBAC forbids a ServiceAccount. Each is about the webhook, the policy or the
    account.
    """
    for error, kind, name, why in parse_refusals(text):
        if kind and _NAME.fullmatch(name):
            by = Ref(kind, None, name)
            passed = was_let_through(text, name) if error == "webhook-unreachable" else None
            told = Refusal(error, by, None, why[:_SHORT], src.at, passed)
            yield Refusals(about=by, src=src, items=(told,), whole=False)
    for space, name, why in find_forbidden_accounts(text):
        account = Ref("ServiceAccount", space, name)
        yield ForbiddenRequests(about=account, src=src, items=(why[:_SHORT],), whole=False)


def list_keys(text: str) -> frozenset[tuple[str, str]]:
    """Return the facts in the sentences of a text, in a short form for comparison."""
    told = [*read_sentences(text, _NOWHERE, _NO_SOURCE)] or read_refusals(text, _NO_SOURCE)
    return frozenset(key for fact in told for key in make_keys(fact))


def make_keys(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the keys of a fact."""
    if isinstance(fact, Events):
        yield from (("event", e.reason) for e in fact.items)
    elif isinstance(fact, Conditions):
        yield from (("condition", c.type) for c in fact.items)
    elif isinstance(fact, ApiService):
        yield "api", fact.about.name or ""
    elif isinstance(fact, Refusals):
        yield from ((r.error, (r.by.name if r.by else None) or "") for r in fact.items)
    elif isinstance(fact, ForbiddenRequests):
        yield "forbidden", fact.about.name or ""


def _list_namespace(type_: str, reason: str, message: str, about: Ref, src: Source) -> Iterator[Fact]:
    """Yield a condition that a Namespace has only while it is being deleted."""
    yield Deletion(about=about, src=src, requested=True, whole=False)
    yield Conditions(
        about=about,
        src=src,
        items=(Condition(type_, "True", reason, message[:_LONGEST], src.at),),
        whole=False,
    )


def _find_subject(kind: str, piece: Piece) -> Ref:
    named = find_shown_object(piece)
    if kind == "Node" and piece.node:
        return piece.node
    return named if named and named.kind == kind else piece.block(kind)
