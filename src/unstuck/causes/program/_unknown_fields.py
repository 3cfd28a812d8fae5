"""A field that the served version of its kind lacks: a custom kind depends on its definition, Kubernetes' own
on its release.
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS

say = Messages(__name__)

_VERSION = regex(r"^v\d{1,3}(?:(?:alpha|beta)\d{1,3})?$")
_ELEMENT = regex(r"\[[^\]]{0,200}\]")
# The names of the definitions in OpenAPI: kube-openapi pkg/util (ToRESTFriendlyName), the packages of
# Kubernetes' own kinds.
_OWN = ("io.k8s.api.", "io.k8s.apimachinery.", "io.k8s.kube-aggregator.", "io.k8s.apiextensions-apiserver.")


# Fields often put one level too high: of a Pod's spec, and of a container (core/v1).
_OF_POD = frozenset(
    {
        *(
            "volumes",
            "containers",
            "initContainers",
            "nodeSelector",
            "tolerations",
            "affinity",
            "serviceAccountName",
            "imagePullSecrets",
        ),
        *(
            "hostNetwork",
            "dnsPolicy",
            "dnsConfig",
            "restartPolicy",
            "priorityClassName",
            "topologySpreadConstraints",
            "hostAliases",
        ),
    }
)
_OF_CONTAINER = frozenset(
    {
        *(
            "image",
            "imagePullPolicy",
            "command",
            "args",
            "env",
            "envFrom",
            "ports",
            "volumeMounts",
            "livenessProbe",
            "readinessProbe",
        ),
        *("startupProbe", "lifecycle", "resources"),
    }
)
_POD_SPECS = ("spec.template.spec", "spec.jobTemplate.spec.template.spec")


@record()
class _Kind(Record):
    """A kind, as an error names it. own: whether it is Kubernetes' own; None: unknown."""

    name: str
    group: str = ""
    version: str = ""
    own: bool | None = None


def make_unknown_field_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a field that the schema of the kind lacks."""
    c = one.complaint
    kind, place = _kind(c.resource, c.group), _ELEMENT.sub("", c.place)
    name = place.partition(".")[0] or kind.name
    inner = _ELEMENT.sub("", c.path)
    within = place.partition(".")[2] or inner.rpartition(".")[0]
    path = ".".join(part for part in (c.place.partition(".")[2], c.path) if part)
    means = say(
        "{kind} has no field {field} in the version that the cluster serves",
        kind=name or say("the kind"),
        field=path,
    )
    asked = ".".join(part for part in (name.lower(), within) if part)
    look = (
        (
            Step(
                say("see which fields it has there"),
                command=command("kubectl explain {field}", field=given.explained(asked)),
            ),
        )
        if name
        else ()
    )
    if kind.own and not _level_of(path):
        step = mend(
            say(
                "correct the field's name or its indentation; where a later Kubernetes has it, upgrade the "
                "cluster or leave the field out"
            )
        )
        return make_finding(pod, one, means, (*look, step))
    if level := _level_of(path):
        means += say(": {level}", level=level)
        return make_finding(
            pod, one, means, (*look, mend(say("move the field to the level where it is known")))
        )
    if not name:
        step = mend(
            say(
                "correct the field's name, or its level; for a custom kind, apply the "
                "CustomResourceDefinition of the same release first"
            )
        )
        return make_finding(pod, one, means, (step,))
    if kind.own is False:
        means += say(
            ": the CustomResourceDefinition in the cluster is of another release than the applied object, "
            "usually an older one: helm upgrade leaves definitions as they are"
        )
    step = mend(
        say(
            "apply the CustomResourceDefinitions of the release that is to be installed first (kubectl apply "
            "--server-side), by its own notes on upgrades; or take the field out"
        )
    )
    return make_finding(pod, one, means, (*look, step))


def _level_of(path: str) -> Text | None:
    """Return the right level of a field of a workload; None if its path shows no such mistake."""
    within, _, field = _ELEMENT.sub("", path).rpartition(".")
    if field in _OF_POD and within in (
        "spec",
        "spec.template",
        "spec.jobTemplate.spec",
        "spec.jobTemplate.spec.template",
    ):
        return say("it belongs to the spec of the Pod template (spec.template.spec.{field})", field=field)
    if field in _OF_CONTAINER and within in (*_POD_SPECS, "spec", "spec.template"):
        return say("it belongs to a container (spec.template.spec.containers[].{field})", field=field)
    return None


def _kind(called: str, version: str) -> _Kind:
    """Return the kind that OpenAPI's name of a definition, or the decoder's name of a kind, means."""
    parts = called.split(".")
    at = next((n for n, part in enumerate(parts[:-1]) if _VERSION.match(part)), None)
    if at is None:
        own = True if called in CLUSTER_SCOPED or called in KIND_WORDS.values() else None
        return _Kind(parts[0], version=version, own=own)
    return _Kind(parts[at + 1], ".".join(reversed(parts[:at])), parts[at], called.startswith(_OWN))
