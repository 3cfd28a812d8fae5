"""Find the writer of a Pod's requests and limits that its template lacks: the fix is in the writer's object,
and not in the owner's manifest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.aspects.limits import Limits
from unstuck.facts.aspects.objects import Labels
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Labels, Limits})
# plugin/pkg/admission/limitranger/admission.go: `LimitRanger plugin set: cpu, memory request for container
# web; memory limit for …`.
_DEFAULTED = regex(
    r"(?P<resources>[\w./-]+(?:, [\w./-]+)*) (?P<what>request|limit) for (?:init )?container "
    r"(?P<name>[^\s;]+)"
)
_LIMIT_RANGER, _VPA = "kubernetes.io/limit-ranger", "vpaUpdates"
# vertical-pod-autoscaler pkg/admission-controller/resource/pod/patch: `Pod resources updated by web-vpa:
# container 0: cpu request, …`.
_UPDATED = regex(r"Pod resources updated by (?P<vpa>[a-z0-9][a-z0-9.-]*):(?P<rest>.*)")


@record()
class Writer(Record):
    """The writer of the containers' value. of: the VerticalPodAutoscaler; None for the defaults of the
    Namespace's LimitRanges.
    """

    what: str
    resource: str
    containers: tuple[str, ...]
    of: Ref | None = None


def find_writer(pod: Ref, snap: Facts, resource: str, what: str) -> Writer | None:
    """Return the writer of this request or limit in the Pod, by the annotation that it leaves; None without
    an annotation.
    """
    for fact in snap.of(Labels, pod):
        told = dict(fact.annotations)
        if (vpa := _UPDATED.match(told.get(_VPA, ""))) and f"{resource} {what}" in vpa["rest"]:
            return Writer(
                what, resource, (), Ref("VerticalPodAutoscaler.autoscaling.k8s.io", pod.within, vpa["vpa"])
            )
        rows = _DEFAULTED.finditer(told.get(_LIMIT_RANGER, ""))
        if names := tuple(
            m["name"] for m in rows if m["what"] == what and resource in m["resources"].split(", ")
        ):
            return Writer(what, resource, names)
    return None


def add_writer(
    finding: Finding, pod: Ref, snap: Facts, resource: str, what: str, container: str = ""
) -> Finding:
    """Return the finding with the value's writer, whose change replaces the first step for the manifest.

    container: the affected one, "" for any.
    """
    writer = find_writer(pod, snap, resource, what)
    if writer is None or (container and writer.containers and container not in writer.containers):
        return finding
    steps = _make_write_steps(writer, pod, snap)
    first = next((s for s in finding.help if s.where == "source"), None)
    rest = tuple(s for s in finding.help if s is not first)
    every = Ref("LimitRangeList", pod.within)
    wants = (
        (Want(Limits, every),)
        if writer.of is None and not any(f.whole for f in snap.of(Limits, every))
        else ()
    )
    return replace(
        finding,
        says=finding.says + _tell(writer, pod, snap),
        help=(*steps, *rest),
        enrich=(*finding.enrich, *wants),
    )


def _list_defaults(writer: Writer, pod: Ref, snap: Facts) -> Iterator[tuple[str, str, str]]:
    """Yield name, field and value of each default that may apply; a limit alone stands for both."""
    bounds = [
        b
        for f in snap.of(Limits, Ref("LimitRangeList", pod.within))
        for b in f.bounds
        if b.per == "Container"
    ]
    for field in ("defaultRequest", "default") if writer.what == "request" else ("default",):
        found = [(b.by, field, b.value) for b in bounds if b.which == field and b.resource == writer.resource]
        yield from found
        if found:
            return


def _tell(writer: Writer, pod: Ref, snap: Facts) -> Text:
    what, resource = writer.what, writer.resource
    if writer.of:
        return say(
            "; its {resource} {what} was set by VerticalPodAutoscaler {vpa}",
            resource=resource,
            what=what,
            vpa=writer.of.name,
        )
    found = next(iter(_list_defaults(writer, pod, snap)), None)
    of = (
        say(" of LimitRange {name} ({field}: {value})", name=found[0], field=found[1], value=found[2])
        if found
        else NO_TEXT
    )
    return say(
        "; container {names} sets no {resource} itself, and got the default{of} as its {what}",
        names=list_names(writer.containers),
        resource=resource,
        what=what,
        of=of,
    )


def _make_write_steps(writer: Writer, pod: Ref, snap: Facts) -> tuple[Step, ...]:
    again = say("the next Pod that is created has the value")
    if writer.of:
        return (
            Step(
                say(
                    (
                        "set maxAllowed for {resource} in resourcePolicy of VerticalPodAutoscaler {vpa}, "
                        "which overwrites the template"
                    ),
                    resource=writer.resource,
                    vpa=writer.of.name,
                ),
                where="source",
                verify=again,
            ),
            Step(
                say("check what it recommends"),
                command=command(
                    "kubectl get {vpa} {space} -o yaml", vpa=given.of(writer.of), space=given.space(writer.of)
                ),
            ),
        )
    own = Step(
        say(
            (
                "set {what}s of {resource} for container {names} in the Pod's template: they replace the "
                "default"
            ),
            what=writer.what,
            resource=writer.resource,
            names=list_names(writer.containers),
        ),
        where="source",
        verify=again,
    )
    found = next(iter(_list_defaults(writer, pod, snap)), None)
    if found is None:
        look = Step(
            say("see which default it is"),
            command=command("kubectl get limitranges {space} -o yaml", space=given.space(pod)),
        )
        return (own, look)
    change = Step(
        say(
            "or correct {field} of LimitRange {name}, which applies to each container without one; then "
            "restart the rollout: existing Pods keep their values",
            field=found[1],
            name=found[0],
        ),
        where="source",
        verify=again,
    )
    return (own, change)
