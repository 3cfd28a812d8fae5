"""The program ends because the API server does not serve what it asks for

## How it happens

The program asks for a kind in a version that this cluster does not serve: the CustomResourceDefinition was
not installed (or later than the program), or a version was removed by an upgrade of the cluster, as a
Deployment in `extensions/v1beta1` with 1.16.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `no matches for kind …
in version …` or `the server could not find the requested resource`.

## Known limits

The versions that the cluster serves are not checked: it stays likely.

## References

- apimachinery pkg/api/meta/errors.go; documentation "Deprecated API Migration Guide"
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Names, Server
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import find_pasted
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# The group's versions that a release removed completely, or removed the last widely used kinds of. Source:
# "Deprecated API Migration Guide".
_GONE_SINCE = MappingProxyType(
    {
        "apps/v1beta1": "1.16",
        "apps/v1beta2": "1.16",
        "extensions/v1beta1": "1.22",
        "networking.k8s.io/v1beta1": "1.22",
        "rbac.authorization.k8s.io/v1beta1": "1.22",
        "apiextensions.k8s.io/v1beta1": "1.22",
        "admissionregistration.k8s.io/v1beta1": "1.22",
        "certificates.k8s.io/v1beta1": "1.22",
        "batch/v1beta1": "1.25",
        "policy/v1beta1": "1.25",
        "discovery.k8s.io/v1beta1": "1.25",
        "autoscaling/v2beta1": "1.25",
        "autoscaling/v2beta2": "1.26",
    }
)

# The kinds that a version lost in an earlier release. Source: as above.
_LOST_BEFORE = MappingProxyType(
    {
        ("extensions/v1beta1", kind): "1.16"
        for kind in ("Deployment", "DaemonSet", "ReplicaSet", "NetworkPolicy", "PodSecurityPolicy")
    }
)

# The version that serves a kind since, where it is not `v1` of the same group; "": nothing does. Source: as
# above.
_SERVED_SINCE: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        **{(f"apps/{old}", ""): "apps/v1" for old in ("v1beta1", "v1beta2")},
        ("extensions/v1beta1", ""): "apps/v1",
        ("extensions/v1beta1", "Ingress"): "networking.k8s.io/v1",
        ("extensions/v1beta1", "NetworkPolicy"): "networking.k8s.io/v1",
        ("extensions/v1beta1", "PodSecurityPolicy"): "",
        ("policy/v1beta1", "PodSecurityPolicy"): "",
        **{(f"autoscaling/{old}", ""): "autoscaling/v2" for old in ("v2beta1", "v2beta2")},
    }
)

# Groups of the API server itself whose names have a dot. Source: pkg/controlplane/instance.go,
# kube-aggregator, apiextensions-apiserver.
_OWN_GROUPS = frozenset(
    f"{name}.k8s.io"
    for name in (
        *(
            "networking",
            "rbac.authorization",
            "storage",
            "policy",
            "scheduling",
            "node",
            "coordination",
            "discovery",
            "events",
            "resource",
        ),
        *(
            "admissionregistration",
            "apiextensions",
            "apiregistration",
            "certificates",
            "authentication",
            "authorization",
        ),
        *("flowcontrol.apiserver", "internal.apiserver", "storagemigration"),
    )
)

# What controller-runtime and client-go write of a kind that they are to watch.
_OF_A_WATCHER = regex(
    r"if kind is a CRD, it should be installed|[Ff]ailed to (?:watch|list)\b|\breflector\.go"
    r"|unable to (?:create|start|setup) controller"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("api-not-served",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    kind, version = one.complaint.name, one.complaint.group
    means = say("the API server does not serve what it asks for")
    if kind and version and kind[0].isupper():
        means = say(
            "the API server does not serve kind {kind} in version {version}", kind=kind, version=version
        )
    elif version:
        means = say("the API server does not serve {version}", version=version)
    elif kind and (own := _tell_own_resource(kind)):
        means = own
    elif kind:
        means = say(
            (
                "the API server serves no resource {name}: its CustomResourceDefinition is not installed, "
                "or it is misspelt"
            ),
            name=kind,
        )
    means += _tell_definitions(kind, version, snap)
    look = _look(version or kind.partition(".")[2])
    removed = _LOST_BEFORE.get((version, kind), _GONE_SINCE.get(version)) if kind else None
    notes = (
        (
            say(
                "{kind} in {version} was removed in Kubernetes {release}",
                kind=kind,
                version=version,
                release=removed,
            ),
        )
        if removed
        else ()
    )
    if removed:
        change = _upgrade_watcher(version) if _OF_A_WATCHER.search(one.complaint.line) else None
        return make_finding(
            pod, one, means + _tell_server(snap), (look, change or _replace(kind, version)), notes=notes
        )
    if version and _is_of_kubernetes(version):
        step = mend(
            say(
                "use a version of the program or chart that is made for this cluster's version, or upgrade "
                "the cluster: no CustomResourceDefinition brings an API of Kubernetes itself"
            )
        )
        return make_finding(pod, one, means, (look, step))
    step = mend(
        say("install the CustomResourceDefinition, or a version of the program that uses a served one")
    )
    return make_finding(pod, one, means, (look, step))


def _upgrade_watcher(version: str) -> Step:
    """Return the step for a controller that watches a removed version: no object's manifest changes that."""
    return mend(
        say(
            "upgrade the controller that asks for {version} to a release for this cluster's version, and its "
            "chart and CustomResourceDefinitions with it",
            version=version,
        )
    )


def _replace(kind: str, version: str) -> Step:
    """Return the step from a removed version to the one that serves the kind by now."""
    now = _SERVED_SINCE.get((version, kind), _SERVED_SINCE.get((version, "")))
    if now is None:
        now = f"{version.partition('/')[0]}/v1"
    if not now:
        return mend(
            say(
                "take {kind} out of the chart and its dependencies, or switch it off there: no version "
                "serves it any more",
                kind=kind,
            )
        )
    return mend(
        say(
            "write {kind} with apiVersion {version}: in the chart and its dependencies, too",
            kind=kind,
            version=now,
        )
    )


def _tell_server(snap: Facts) -> Text:
    """Return the server's version, where the text or the cluster shows it."""
    shown = next((f.version for f in snap.of(Server, Ref("Cluster")) if f.version), "")
    return say("; the server is {version}", version=shown) if shown else NO_TEXT


def _tell_own_resource(resource: str) -> Text | None:
    """Return the sentence about an unserved resource of Kubernetes' own, by its group; else None."""
    group = resource.partition(".")[2]
    if group and _is_of_kubernetes(f"{group}/"):
        return say("the API server does not serve {name} in the version that is asked for", name=resource)
    return None


def _tell_definitions(kind: str, version: str, snap: Facts) -> Text:
    """Return the evidence of a pasted list of definitions about the requested group, and about this kind in
    others.
    """
    there, group = find_pasted("CustomResourceDefinition", None, snap), version.partition("/")[0]
    if not there or "." not in group:
        return NO_TEXT
    plain = kind.lower()
    own = [one for one in there if one.partition(".")[2] == group]
    if any(_is_plural(one, plain) for one in own):
        return say("; the list that was pasted has its definition: in another version, or not served yet")
    others = [one for one in there if _is_plural(one, plain)]
    if others:
        return say(
            "; no definition of {group} is in the list that was pasted, which has {others}",
            group=group,
            others=list_names(others),
        )
    return say("; no definition of it is in the list that was pasted")


def _is_plural(definition: str, kind: str) -> bool:
    """Tell whether a definition is of a kind, by the plural in its name."""
    plural = definition.partition(".")[0]
    return bool(kind) and plural in (kind, f"{kind}s", f"{kind}es", f"{kind[:-1]}ies")


def _is_of_kubernetes(version: str) -> bool:
    """Tell whether Kubernetes' own releases bring this group: its projects' groups
    (`gateway.networking.k8s.io`) are definitions.
    """
    group = version.partition("/")[0]
    return "/" in version and ("." not in group or group in _OWN_GROUPS)


def _look(version: str) -> Step:
    """Return the step that shows the served versions; for a custom group, those of its definitions."""
    group = version.partition("/")[0]
    if "." not in group or group.endswith(".k8s.io"):
        return Step(say("see which versions are served"), command=command("kubectl api-versions"))
    return Step(
        say("see whether its definitions are there, and in which versions"),
        command=command("kubectl api-resources --api-group={group}", group=given.resource(group)),
    )


CAUSE = Cause(
    id="program.api-version-not-served",
    title=say("the program ends because the API server does not serve what it asks for"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Names, Server},
    rule=_rule,
)
