"""The credentials that the kubelet could offer for an image: the Pod's pull Secrets, judged one by one as the
kubelet would.
"""

from __future__ import annotations

from typing import Literal

from unstuck.causes.image._name import Name, serves
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.facts.aspects.objects import Keys, Presence
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.pulls import PullLinks, PullServers
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

Why = Literal["", "absent", "wrong-type", "unreadable", "other-server"]
READS: frozenset[type[Fact]] = frozenset({Needs, Presence, Keys, PullServers, PullLinks})
_MANY = 8


@record()
class Linked(Record):
    """One pull Secret that the Pod names. why: the reason it does not serve the image, "" if it does.
    servers: the registries it is for.
    """

    secret: Ref
    why: Why
    servers: tuple[str, ...] = ()
    type_: str = ""


def pull_secrets(pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find the pull Secrets that the Pod names, whether they exist or not; no if it names none."""
    return some(snap, Needs, pod, lambda f: [n.object for n in f.items if n.by == "pull-secret"][:_MANY])


def judge_secret(secret: Ref, name: Name, snap: Facts) -> Sign[Linked]:
    """Tell whether this Secret serves the image. If not, its hits give the reason."""
    there = snap.of(Presence, secret)
    gone = tuple(f for f in there if not f.exists)
    if gone:
        return Sign(False, (Linked(secret, "absent"),), gone)
    told = [f for f in snap.of(PullServers, secret) if f.whole]
    if not told:
        return Sign(None, wants=(Want(PullServers, secret),))
    fact = told[0]
    if fact.flaw:
        kind = next((f.secret_type for f in snap.of(Keys, secret)), "")
        return Sign(False, (Linked(secret, fact.flaw, type_=kind),), (fact,))
    if any(serves(key, name) for key in fact.servers):
        return Sign(True, (Linked(secret, "", fact.servers),), (fact,))
    return Sign(False, (Linked(secret, "other-server", fact.servers),), (fact,))


def find_serving_secret(pod: Ref, name: Name, snap: Facts) -> Sign[Linked]:
    """Tell whether a pull Secret of the Pod serves the image. On a no the hits give the fault of each; none
    if the Pod names none.

    The Node may also have its own credentials, which only the Node knows.
    """
    names = pull_secrets(pod, snap)
    if names.value is None:
        return Sign(None, wants=names.wants)
    if names.value is False:
        return Sign(False, seen=names.seen)
    each = [judge_secret(secret, name, snap) for secret in names.hits]
    yes = [s for s in each if s.value]
    seen = unique((*names.seen, *(f for s in each for f in s.seen)))
    hits = unique(h for s in each for h in s.hits)
    if yes:
        return Sign(True, unique(h for s in yes for h in s.hits), seen, sure=names.sure)
    if any(s.value is None for s in each):
        return Sign(None, hits, seen, unique(w for s in each for w in s.wants))
    return Sign(False, hits, seen)
