"""The objects that a line of any component or program names, by kind and name or by a Service's host and
port. Pure.

A named object need not be at fault, nor even exist: the caller asks the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import ip_address

from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS, NO_HOSTS
from unstuck.knowledge.names import find_rule

LONGEST = 4000
# Installers of a cluster's DNS mostly give its Service this name (documentation "DNS for Services and Pods").
CLUSTER_DNS = Ref("Service", "kube-system", "kube-dns")
# A cluster's own API server has this name in the settings of most programs.
_API_SERVER = Ref("Service", "default", "kubernetes")
_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"


def _join_alternatives(words: Iterable[str]) -> str:
    return "|".join(sorted(set(words), key=lambda w: (-len(w), w)))


# Text between the kind and the name: its group, and words that announce a name.
_KIND = rf"(?<![\w./-])(?P<kind>{_join_alternatives(KIND_WORDS)})(?:\.(?P<group>[a-z0-9.-]{{1,100}}))?"
_AS_WRITTEN = rf"(?<![\w./-])(?P<kind>{_join_alternatives(KIND_WORDS.values())})"
# Each with characters of which its line must have one: compiling an expression of all kinds takes a
# millisecond.
_FORMS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    # job/migrate, deployment.apps/web
    (("/",), regex(rf"{_KIND}/(?P<name>{_NAME})(?![\w/:])", re.I | re.A)),
    # configmap "x" not found, the PriorityClass object named "y", Secret 'shop/z'
    (
        ('"', "'", "“", "`"),
        regex(
            (
                rf"{_KIND}:?(?: object)?(?: named| with name| called)? ?[\"'“`](?:(?P<space>{_NAME})/)?"
                rf"(?P<name>{_NAME})[\"'”`]"
            ),
            re.I | re.A,
        ),
    ),
    # leader lease tickets/lock, service tickets/v2
    (("/",), regex(rf"{_KIND}:? {{1,2}}(?P<space>{_NAME})/(?P<name>{_NAME})(?![\w/-]|[:.]\w)", re.I | re.A)),
    # Job nightly-2026 failed: a kind as Kubernetes writes it, and a name that is no word.
    ((" ",), regex(rf"{_AS_WRITTEN} (?P<name>(?=\S{{0,80}}[-\d]){_NAME})(?![\w/:-]|\.\w)")),
    # The disruption budget web needs 2 healthy pods (pkg/registry/core/pod/storage/eviction.go)
    (("disruption budget",), regex(rf"\b(?P<kind>disruption budget) (?P<name>{_NAME})(?= needs | does )")),
    (
        ("system:serviceaccount:",),
        regex(rf"\bsystem:(?P<kind>serviceaccount):(?P<space>{_NAME}):(?P<name>{_NAME})"),
    ),
)
# TriggerAuthentication.keda.sh "rabbit-auth" not found, issuers.cert-manager.io shop/ca: the group shows that
# the first word is a type (k8s.io/apimachinery, pkg/api/errors: NewNotFound; runtime/schema: GroupResource,
# GroupKind).
_QUALIFIED = regex(
    r"(?<![\w./-])(?P<kind>[A-Za-z]{2,60})\.(?P<group>[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,6})(?: |: |/)"
    rf"(?:[\"'“`](?:(?P<space>{_NAME})/)?(?P<name>{_NAME})[\"'”`]|(?P<of>{_NAME})/(?P<one>{_NAME})(?![\w/-]"
    r"|[:.]\w))",
    re.A,
)
# Groups of the kinds that are known by their word alone.
_OWN_GROUPS = frozenset(
    {
        "apps",
        "batch",
        "policy",
        "autoscaling",
        "networking.k8s.io",
        "storage.k8s.io",
        "coordination.k8s.io",
        "certificates.k8s.io",
    }
    | {"core", "extensions", "apiextensions.k8s.io", "apiregistration.k8s.io"}
)
# Prefixes that turn a word into its opposite; the scheduler and the volume controllers write both with a
# slash.
_OPPOSITES = ("anti-", "non-", "un", "un-", "de", "re-")
_HOST = regex(
    r"(?<![\w.:@%-])(?P<host>[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,63}){0,8}):\d{2,5}(?!\w"
    r"|[.:]\w)"
)
# A URL without a port.
_URL = regex(r"\bhttps?://(?P<host>[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,63}){0,8})(?![\w.:@-])")

# Go: `lookup a on 10.96.0.10:53: …`, `read udp 10.1.0.5:4242->10.96.0.10:53: …`; others write the words.
_NAME_SERVER = regex(
    (
        r"(?:\bon |\bname ?server:? |->|@)(?P<server>(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]{2,45}\])(?![\w.]"
        r"|:(?!53\b)\d)"
    ),
    re.I,
)


def find_objects_in_line(line: str, within: str | None) -> tuple[Ref, ...]:
    """Return the objects that a line names, in its order. within: the speaker's Namespace, for names
    without one.
    """
    line = line[:LONGEST]
    found = sorted(
        (*_find_by_kind(line, within), *_find_qualified(line, within), *_find_by_host(line, within)),
        key=lambda one: one[0],
    )
    return tuple(dict.fromkeys(ref for _, ref in found))


def _find_by_kind(line: str, within: str | None) -> Iterator[tuple[int, Ref]]:
    for form in (form for marks, form in _FORMS if any(mark in line for mark in marks)):
        for m in form.finditer(line):
            kind, groups = _name_kind(m["kind"]), m.groupdict()
            if (groups.get("group") or "apps") not in _OWN_GROUPS:
                continue
            space = None if kind in CLUSTER_SCOPED else groups.get("space") or within
            if _are_opposites(groups.get("space") or "", m["name"]):
                continue
            if (space or kind in CLUSTER_SCOPED) and find_rule(kind).allows(m["name"]):
                yield m.start(), Ref(kind, space, m["name"])


def _find_qualified(line: str, within: str | None) -> Iterator[tuple[int, Ref]]:
    """Yield the objects of types of other groups; only the server knows whether such a type is namespaced."""
    for m in _QUALIFIED.finditer(line):
        kind, name = f"{m['kind']}.{m['group']}", m["name"] or m["one"]
        if m["group"] not in _OWN_GROUPS and find_rule(kind).allows(name):
            yield m.start(), Ref(kind, m["space"] or m["of"] or within, name)


def _are_opposites(one: str, other: str) -> bool:
    """Tell whether a slash separates two words, not a Namespace and a name: `pod affinity/anti-affinity`."""
    return bool(one) and other in {f"{prefix}{one}" for prefix in _OPPOSITES}


def _name_kind(word: str) -> str:
    return "PodDisruptionBudget" if word == "disruption budget" else KIND_WORDS[word.lower()]


def _find_by_host(line: str, within: str | None) -> Iterator[tuple[int, Ref]]:
    for m in (*_HOST.finditer(line), *_URL.finditer(line)):
        service = None if m["host"] in NO_HOSTS else find_service_of_host(m["host"], within)
        if service and service != _API_SERVER:
            yield m.start(), service


def find_service_of_host(host: str, within: str | None) -> Ref | None:
    """Return the Service that a host name denotes inside the cluster; None for an address, this machine, or a
    name that may be outside of it.

    `NAME` is looked up in the Namespace `within`, `NAME.NAMESPACE.svc` and longer in the named one.
    `NAME.NAMESPACE` may be inside or outside of the cluster (documentation "DNS for Services and Pods").
    """
    parts = host.rstrip(".").split(".")
    if host.startswith("[") or host == "localhost" or all(p.isdigit() for p in parts):
        return None
    if len(parts) == 1:
        found = Ref("Service", within, parts[0]) if within else None
    else:
        at = parts.index("svc") if "svc" in parts else 0
        # A Pod's own name may precede its Service's.
        found = Ref("Service", parts[at - 1], parts[at - 2]) if at >= 2 else None
    return found if found and find_rule("Service").allows(found.name or "") else None


def find_address_of_host(host: str) -> Ref | None:
    """Return `Ref("Address", None, IP)` for a host that is a private address, as the Services and Pods of
    a cluster have; else None.
    """
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return None
    reached_from_here = address.is_private and not (
        address.is_loopback or address.is_unspecified or address.is_link_local
    )
    return Ref("Address", None, str(address)) if reached_from_here else None


def find_name_server(line: str) -> str:
    """Return the name server's address in a resolver's message, "" if there is none."""
    found = _NAME_SERVER.search(line[:LONGEST])
    return found["server"] if found else ""
