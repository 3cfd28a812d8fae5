"""A ResourceQuota has no room left for the Pods

## How it happens

The quota of the Namespace limits the sum of its Pods' requests, or the number of Pods. The existing usage
leaves less than one more Pod requests, so the API server refuses to create it. In a rollout the old Pods
count, too: with `maxUnavailable: 0` a quota that fits exactly the running Pods never lets the first new one
in.

## How to tell

There is no Pod to look at: the refusal is in the events of its ReplicaSet, StatefulSet, DaemonSet or Job, and
as the condition ReplicaFailure of a ReplicaSet and its Deployment: `exceeded quota: NAME, requested: …, used:
…, limited: …`. It is proven if the quota, read now, has no room for the request.

## Known limits

The quota's `used` is kept by its controller and may be late by seconds. A quota with scopes counts only some
of the Pods: its own numbers are taken as they are. After it was given room, the controller may need up to 17
min to try again.

## References

- Kubernetes documentation: Resource Quotas
- staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go (`CheckRequest`)
"""

from __future__ import annotations

from unstuck.causes.admission._creation import (
    CREATORS,
    READS,
    RETRIES,
    STAGES,
    find_pod_refusals,
    keep_unless_gone,
    make_finding,
    make_signs,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages, join_texts, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Failure, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_quantity
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_PART = regex(r"(requested|used|limited): ([^:]+?)(?=, (?:used|limited): |$)")
# For a class `NAME.storageclass.storage.k8s.io/persistentvolumeclaims`.
_CLAIMS = "persistentvolumeclaims"


@record()
class _Short(Record):
    """A resource of a quota that has no room. asked, used, hard: as written."""

    resource: str
    asked: str
    used: str
    hard: str


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = find_pod_refusals(subject, snap, "quota-exceeded")
    short: Sign[_Short] = any_of([_find_no_room(f, snap) for f in said.hits]) if said.hits else Sign(None)
    return make_signs(
        subject,
        snap,
        said,
        {"the quota has no room for it now": short},
        lambda: _make_finding(subject, snap, said.hits[0], short),
    )


def _find_no_room(failure: Failure, snap: Facts) -> Sign[_Short]:
    if failure.object is None:
        return Sign(None)
    asked = _list_amounts(failure, "requested")
    room = some(snap, Quota, failure.object, lambda f: [s for r, v in asked if (s := _short(f, r, v))])
    return keep_unless_gone(room, failure.object, snap)


def _short(quota: Quota, resource: str, asked: str) -> _Short | None:
    hard, used = dict(quota.hard).get(resource), dict(quota.used).get(resource, "0")
    numbers = [parse_quantity(v) for v in (asked, used, hard or "")]
    if hard is None or any(n is None for n in numbers):
        return None
    want, taken, most = (n for n in numbers if n is not None)
    return _Short(resource, asked, used, hard) if want + taken > most else None


def _list_amounts(failure: Failure, part: str) -> tuple[tuple[str, str], ...]:
    """Return the amounts of one part of the refusal: `requested: pods=1,requests.cpu=80m`."""
    text = next((m[2] for m in _PART.finditer(failure.key or "") if m[1] == part), "")
    return tuple((r, v) for r, _, v in (p.strip().partition("=") for p in text.split(",")) if v)


def _list_shortages(failure: Failure) -> tuple[_Short, ...]:
    used, hard = dict(_list_amounts(failure, "used")), dict(_list_amounts(failure, "limited"))
    return tuple(
        _Short(r, v, used.get(r, "?"), hard.get(r, "?")) for r, v in _list_amounts(failure, "requested")
    )


def _make_finding(subject: Ref, snap: Facts, failure: Failure, short: Sign[_Short]) -> Finding:
    quota = failure.object or Ref("ResourceQuota", subject.within)
    lacks = short.hits or _list_shortages(failure)
    each = join_texts(
        (
            say(
                "{resource} {used} of {hard} used, {asked} more asked",
                resource=s.resource,
                used=s.used,
                hard=s.hard,
                asked=s.asked,
            )
            for s in lacks
        ),
        ", ",
        "，",
    )
    workload = same_in_both(f"{subject.kind.lower()} {subject.name}") if subject.name else say("the workload")
    closed = tuple(s.resource for s in lacks if _is_more_than_all(s))
    if not closed:
        says = say("{quota} has no quota left for its Pods: {each}", quota=who(quota), each=each)
    elif all(parse_quantity(s.hard) == 0 for s in lacks if s.resource in closed):
        says = say("{quota} allows none to the Pods for which it holds: {each}", quota=who(quota), each=each)
    else:
        says = say("a Pod asks for more than {quota} allows in all: {each}", quota=who(quota), each=each)
    return make_finding(
        subject,
        snap,
        says,
        quota,
        help=_help(quota, lacks, closed),
        do_not=(
            DoNot(
                say("delete the quota, or scale {workload} to 0 and up again", workload=workload),
                say(
                    "the first lets this Namespace take capacity promised to others; the second stops "
                    "running Pods, and their replacements may be rejected too"
                ),
            ),
        ),
    )


def _is_more_than_all(short: _Short) -> bool:
    """Tell whether the request would not fit into the empty quota either."""
    asked, hard = parse_quantity(short.asked), parse_quantity(short.hard)
    return asked is not None and hard is not None and asked > hard


def _help(quota: Ref, lacks: tuple[_Short, ...], closed: tuple[str, ...]) -> tuple[Step, ...]:
    """Return the steps. closed: the resources of which the empty quota would not give as much either."""
    if closed:
        return (*_fit_in(quota, closed), _ask_owner(quota))
    return _free_claims(quota) if all(_CLAIMS in s.resource for s in lacks) else _free(quota)


def _ask_owner(quota: Ref) -> Step:
    return Step(say("or ask its owner to raise ResourceQuota {name}", name=quota.name or "?"), where="source")


def _free(quota: Ref) -> tuple[Step, ...]:
    return (
        Step(
            say("see what consumes it: the Namespace's Pods and their requests"),
            command=command("kubectl get pods {space} -o wide", space=given.space(quota)),
        ),
        Step(
            say(
                "if the template asks for more than its Pods use, lower its requests; if not, scale down "
                "what is not needed here"
            ),
            where="source",
            verify=RETRIES,
        ),
        _ask_owner(quota),
    )


def _free_claims(quota: Ref) -> tuple[Step, ...]:
    """Return the steps where a quota of claims is used up: no request of a Pod changes their number."""
    return (
        Step(
            say("see which PVCs there are, and which of them no Pod uses"),
            command=command("kubectl describe pvc {space}", space=given.space(quota)),
        ),
        Step(
            say("if all are needed, ask its owner to raise ResourceQuota {name}", name=quota.name or "?"),
            verify=RETRIES,
        ),
        Step(
            say("delete PVCs that are no longer needed: their data is lost"),
            risk="loses-data",
            verify=RETRIES,
        ),
    )


def _fit_in(quota: Ref, closed: tuple[str, ...]) -> tuple[Step, ...]:
    """Return the steps for a request that the empty quota would refuse: 0 Pods mostly hold for a scope."""
    change = (
        say(
            "if its scope is BestEffort, set requests and limits in the template, so that it does not count "
            "there; if it is another one, make the Pods leave that scope, or use another Namespace"
        )
        if closed == ("pods",)
        else say("lower the template's requests and limits below its limits, or use another Namespace")
    )
    return (
        Step(
            say("see its limits, and the scopes for which they hold: what others use does not matter here"),
            command=command(
                "kubectl describe {quota} {space}", quota=given.of(quota), space=given.space(quota)
            ),
        ),
        Step(change, where="source", verify=RETRIES),
    )


CAUSE = Cause(
    id="admission.quota-exceeded",
    title=say("a ResourceQuota has no room left for the Pods"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS | {Quota, Presence},
    rule=_rule,
)
