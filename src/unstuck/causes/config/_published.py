"""A missing object that a controller creates automatically: writing it by hand is no remedy; the obstacle
to its controller is.
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_quantity
from unstuck.knowledge.published import PublishedObject

say = Messages(__name__)


def make_published_finding(
    pod: Ref, missing: Ref, maker: PublishedObject, says: Text, snap: Facts
) -> Finding:
    """Return the finding about an object that is missing despite its controller; if a quota refuses it, the
    quota is the culprit.

    says: the sentence that it does not exist.
    """
    quotas = Ref("ResourceQuotaList", missing.within)
    by_itself = say("; {by} creates it in every Namespace automatically", by=maker.by)
    by_hand = DoNot(
        say("write {kind} {name} by hand", kind=missing.kind, name=missing.name),
        say(
            "its content is the cluster's own, and whatever keeps {by} from making it may refuse yours, too",
            by=maker.by,
        ),
    )
    again = say("{by} makes it within seconds, and the kubelet retries within about 2 min", by=maker.by)
    if full := _find_full_quota(missing, snap):
        quota, resource, used, hard = full
        room = say(
            ", and ResourceQuota {quota} has no room for it: {resource} {used} of {hard} used",
            quota=quota.name,
            resource=resource,
            used=used,
            hard=hard,
        )
        mend = Step(
            say(
                "raise {resource} in ResourceQuota {quota}, or remove a {kind} that is no longer needed",
                resource=resource,
                quota=quota.name,
                kind=missing.kind,
            ),
            where="source",
            verify=again,
        )
        return Finding(says + by_itself + room, quota, (missing, pod), help=(mend,), do_not=(by_hand,))
    look = Step(
        say(
            (
                "see whether a quota of the Namespace refuses it; if none does, {by} does not run or its "
                "log says why"
            ),
            by=maker.by,
        ),
        command=command("kubectl get resourcequota {space}", space=given.space(missing)),
        verify=again,
    )
    asked = () if snap.of(Names, quotas) else (Want(Names, quotas),)
    return Finding(says + by_itself, missing, (pod,), help=(look,), do_not=(by_hand,), enrich=asked)


def _find_full_quota(missing: Ref, snap: Facts) -> tuple[Ref, str, str, str] | None:
    """Return a quota of the Namespace whose number of such objects is used up: with the resource, its use
    and its limit.
    """
    plural = f"{missing.kind.lower()}s"
    for quota in (q for q in snap.every(Quota) if q.about.within == missing.within and q.whole):
        taken = dict(quota.used)
        for resource, hard in quota.hard:
            used = taken.get(resource, "")
            most, now = parse_quantity(hard), parse_quantity(used)
            if (
                resource in (plural, f"count/{plural}")
                and most is not None
                and now is not None
                and now >= most
            ):
                return quota.about, resource, used, hard
    return None
