"""The read rights for each fact type from the API server: `observables.py` declares them, this module turns
them into RBAC.

Resources and verbs are RBAC's. A ClusterRole is generated from this for the causes' `reads` (scripts/rbac.py,
charts/unstuck). Left out on purpose: `list` on Secrets (it would give every value; only names near a missing
one are lost), and kinds of Kubernetes that are never asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast, get_args

from unstuck.collect.kube.observables import API_OBSERVABLES
from unstuck.collect.objects.kinds import BUILTIN, Kind, builtin
from unstuck.facts.aspects import cluster, objects
from unstuck.facts.core import Fact

Verb = Literal["get", "list"]
ANY = "*"


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One verb on one resource of an API group ("" is the core group)."""

    group: str
    resource: str
    verb: Verb


def _list_rights(verb: Verb, *kinds: str) -> frozenset[Right]:
    return frozenset(Right(k.group, k.plural, verb) for k in map(_kind, kinds))


def _kind(name: str) -> Kind:
    found = builtin(name)
    if found is None:
        raise KeyError(name)
    return found


def parse_rights(said: str) -> frozenset[Right]:
    """Return the rights of one line of a declaration: a verb, and its resource. Errors: ValueError,
    KeyError for an unknown name.
    """
    verb, *kinds = said.split()
    if verb not in get_args(Verb):
        raise ValueError(f"{said!r} begins with no verb that is granted")
    return frozenset().union(*(_make_rights(cast(Verb, verb), kind) for kind in kinds))


def _make_rights(verb: Verb, kind: str) -> frozenset[Right]:
    if kind == ANY:
        return _list_rights(verb, *(k.name for k in BUILTIN if k.name not in ("Secret", "Event")))
    if kind[0].isupper():
        return _list_rights(verb, kind)
    resource, _, group = kind.partition(".")
    return frozenset((Right(group, resource, verb),))


RIGHTS: Mapping[type[Fact], frozenset[Right]] = MappingProxyType(
    {o.fact: frozenset().union(*map(parse_rights, o.rights or ())) for o in API_OBSERVABLES}
)

# Read in every cluster before any cause asks: the lists of `scan`, a subject's Events, a Node's heartbeat.
ALWAYS = (
    _list_rights(
        "list",
        "Pod",
        "PersistentVolumeClaim",
        "Job",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Node",
        "Namespace",
        "Lease",
        "Event",
    )
    | RIGHTS[objects.Below]
    | RIGHTS[cluster.Lease]
    | RIGHTS[cluster.Workload]
)


def subject_rights(kinds: Iterable[str]) -> frozenset[Right]:
    """Return `get` on the subjects. kinds: the causes' `subjects`; `*` is every kind of Kubernetes itself."""
    names = set(kinds)
    return _list_rights("get", *(k.name for k in BUILTIN)) if ANY in names else _list_rights("get", *names)


def rules(rights: Iterable[Right]) -> list[dict[str, list[str]]]:
    """Return RBAC rules that grant exactly these: one for each group and set of verbs, and a separate one for
    Secrets.

    Keys: apiGroups, resources, verbs; in an order that depends only on the rights.
    """
    verbs: dict[tuple[str, str], set[str]] = {}
    for right in rights:
        verbs.setdefault((right.group, right.resource), set()).add(right.verb)
    together: dict[tuple[bool, str, tuple[str, ...]], set[str]] = {}
    for (group, resource), some in verbs.items():
        together.setdefault((resource == "secrets", group, tuple(sorted(some))), set()).add(resource)
    return [
        {"apiGroups": [group], "resources": sorted(resources), "verbs": list(some)}
        for (_, group, some), resources in sorted(together.items())
    ]
