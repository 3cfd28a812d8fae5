"""An API answers, but the API server cannot read which types it has, so no Namespace can be emptied with
certainty

## How it happens

From 1.26 on the API server keeps one list of all types and reads the part of an aggregated API from its
backend (`/apis`, else `/apis/GROUP/VERSION`). A small API of its own make may answer its calls and the check
of its APIService (any status 2xx will do), and yet fail on these paths: with 404, with an answer that is no
list of types, or after more than 5 s. Its APIService reads Available=True, its group and version are marked
stale, and the namespace controller treats a stale version as a failed one. Every Namespace in deletion waits.

## How to tell

The Namespace's condition NamespaceDeletionDiscoveryFailure has `stale GroupVersion discovery: GROUP/VERSION`,
the list of all types still marks that version `Stale`, and its APIService is available. Where the APIService
is not available, that is the cause (namespace.api-discovery-failed): its version is marked stale, too.

## Known limits

After a start of the API server versions read stale for a moment. With several API servers each keeps its own
list: if the queried one marks no version stale, another one may, or the fault is over and the controller
tries again within a minute; that stays undecided.

## References

- staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go (fetchFreshDiscoveryForService,
  syncAPIService)
- staging/src/k8s.io/client-go/discovery/aggregated_discovery.go (StaleGroupVersionError)
- kubernetes/kubernetes issue 119662 (an APIService that does not implement aggregated discovery)
"""

from __future__ import annotations

from unstuck.causes.namespace._discovery import CLUSTER, GO_ON, find_backend, make_hold_finding
from unstuck.causes.namespace.pods_remain import NAMESPACE_AFTER
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import ApiService, Discovery, Terminating
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_STALE = regex(
    r"stale GroupVersion discovery: (?P<gv>[a-z0-9][a-z0-9.-]{0,252}/v\d[a-z0-9]{0,15})(?![a-z0-9])"
)


def _rule(ns: Ref, snap: Facts) -> Signs:
    said = some(
        snap,
        Conditions,
        ns,
        lambda f: [gv for c in f.items if c.status == "True" for gv in _list_versions(c.type, c.message)],
    )
    marked = some(snap, Discovery, CLUSTER, lambda f: f.stale)
    both = unique((*marked.hits, *said.hits))
    available = any_of([_find_available(gv, snap) for gv in both])
    stands = any_of([all_of([_find_stale_groups(gv, snap), _find_available(gv, snap)]) for gv in both])
    return Signs(
        necessary={
            "the deletion should be through": is_overdue(ns, snap, NAMESPACE_AFTER),
            "a group's types are marked stale": _is_stale(said, marked),
        },
        decisive={"the server marks it stale now, and its APIService is available": stands},
        supporting={"its APIService reads available": available},
        finding=lambda: _make_finding(ns, unique((*stands.hits, *available.hits)), snap),
    )


def _list_versions(type_: str, message: str) -> list[str]:
    return [m["gv"] for m in _STALE.finditer(message)] if type_ == "NamespaceDeletionDiscoveryFailure" else []


def _is_stale(said: Sign[str], marked: Sign[str]) -> Sign[str]:
    """Tell whether the list is stale; open if only the controller saw that: it may have asked another API
    server, or it may be over.
    """
    if said.value and marked.value is False:
        return Sign(None, seen=(*said.seen, *marked.seen))
    return any_of([said, marked])


def _find_stale_groups(gv: str, snap: Facts) -> Sign[str]:
    """Find it among the groups that this API server marks as stale; never no: another server may mark it."""
    sign = some(snap, Discovery, CLUSTER, lambda f: [gv] if gv in f.stale else [])
    return sign if sign.value is not False else Sign(None, seen=sign.seen)


def _find_available(gv: str, snap: Facts) -> Sign[str]:
    return some(snap, ApiService, _make_registration_ref(gv), lambda f: [gv] if f.available else [])


def _make_registration_ref(gv: str) -> Ref:
    group, _, version = gv.partition("/")
    return Ref("APIService", None, f"{version}.{group}")


def _make_finding(ns: Ref, versions: tuple[str, ...], snap: Facts) -> Finding:
    gv = versions[0]
    ref = _make_registration_ref(gv)
    _, target = find_backend(ref, snap, say("its backend"))
    says = say(
        "APIService {ref} is available, but the list of its types cannot be read from {target}",
        ref=ref.name,
        target=target,
    )
    because = say(
        "this API's objects in the Namespace were never listed and would be orphaned; every other Namespace "
        "keeps waiting"
    )
    also = [say("also stale: {other}", other=other) for other in versions[1:4]]
    return make_hold_finding(
        Finding(says, culprit=ref, blocks=(ns,), help=_help(gv, target)), also, because, snap
    )


def _help(gv: str, target: Text) -> tuple[Step, ...]:
    return (
        Step(
            say("see its response for its resource types; it should be a JSON APIResourceList"),
            command=command("kubectl get --raw=/apis/{version}", version=given.group_version(gv)),
        ),
        Step(
            say(
                (
                    "upgrade or fix {target} so that it answers /apis/{gv} within 5 s, also "
                    "for user system:kube-aggregator"
                ),
                target=target,
                gv=gv,
            ),
            where="source",
            verify=GO_ON,
        ),
    )


CAUSE = Cause(
    id="namespace.stale-discovery",
    title=say("an API is available but its resource types cannot be read"),
    subjects=("Namespace",),
    stages=("discovery-works",),
    reads=frozenset({Conditions, Deletion, Discovery, ApiService, Terminating}),
    rule=_rule,
)
