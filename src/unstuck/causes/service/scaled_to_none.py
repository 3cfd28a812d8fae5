"""A Service has no Pods because its workload is scaled to zero

## How it happens

The Deployment or StatefulSet was scaled to 0: by hand, to save cost over the night, for a migration, to
silence it; or by a manifest or an autoscaler (KEDA). Service and selector are correct, and clients are
refused.

## How to tell

The Service selects no Pod, and in its Namespace there is a workload whose Pods' template has all labels of
its selector and that is to have no Pods. `managedFields` name the last writer of the number of replicas.

## Known limits

Deployments and StatefulSets of the same Namespace are looked at. If more than one of them fits and one is to
have Pods, the reason for their absence is reported instead. Only the author of the change knows the intent.
If ready Pods have all of these labels except one that distinguishes versions (`version`, `track`, `color`),
the Service was probably left behind when the other version took over, and its selector comes first.

## References

- Kubernetes documentation "Service"; pkg/controller/endpointslice
"""

from __future__ import annotations

from unstuck.causes._scaling import scale_up
from unstuck.causes.service._beside import find_empty, may_select_nobody
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Backends, Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Owners, Touches
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Reported, Switches
from unstuck.facts.aspects.services import Nearly, ServicePods, ServiceSpec, ServiceWorkloads, TemplateMatch
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.stages.hold import find_hold

say = Messages(__name__)

# Labels that distinguish versions of one thing, as opposed to its parts (role, component).
_VERSION = regex(
    r"(?i)(?:^|[/._-])(?:version|ver|release|track|colou?r|slot|rev|revision|generation|variant|stage|canary|deploy"
    r"(?:ment)?|active|live)$"
)


def _rule(service: Ref, snap: Facts) -> Signs:
    selects: Sign[ServiceSpec] = some(
        snap, ServiceSpec, service, lambda f: [f] if f.selector and not f.outside else []
    )
    none: Sign[ServicePods] = some(
        snap, ServicePods, service, lambda f: [f] if f.whole and not f.matched else []
    )
    # The Pods' creator matters only for a Service without any.
    scaled: Sign[TemplateMatch] = (
        some(snap, ServiceWorkloads, service, _find_all_scaled_to_none) if none.value else Sign(None)
    )
    return Signs(
        applies=may_select_nobody(service, snap),
        necessary={
            "it selects Pods by their labels": selects,
            "no Pod of its Namespace has these labels": none,
        },
        decisive={"the workload whose Pods would have them is to have none": scaled},
        supporting={"it has no endpoints": find_empty(service, snap)},
        finding=lambda: _make_finding(service, scaled.hits[0].workload, none.hits[0], selects.hits[0], snap),
    )


def _find_all_scaled_to_none(f: ServiceWorkloads) -> list[TemplateMatch]:
    return [] if any(m.wanted for m in f.items) else [*f.items]


def _make_finding(service: Ref, workload: Ref, pods: ServicePods, spec: ServiceSpec, snap: Facts) -> Finding:
    held = find_hold(workload, snap)
    notes = (held.says,) if held else ()
    near = next((n for n in pods.nearly if n.ready and len(n.differs) == 1), None)
    if near and near.differs[0][1] and _VERSION.search(near.differs[0][0]):
        return _left_behind(service, workload, near, spec, notes)
    others = (_name_near(near),) if near else ()
    return Finding(
        say(
            "Service {service} has no Pods: {workload}, whose Pods it selects, is scaled to 0",
            service=service.name,
            workload=who(workload),
        ),
        culprit=snap.canon(workload),
        blocks=(service,),
        notes=(*notes, *others),
        help=(
            scale_up(
                workload,
                1,
                say("find out who scaled it to 0, and scale it up again if it should serve"),
                say("the Service has a ready Pod"),
            ),
        ),
        # Changing the selector is wrong only if no other ready Pods could be intended.
        do_not=()
        if near
        else (
            DoNot(
                say("change the Service's selector"),
                say("it is right: these Pods come back with the labels that it selects"),
            ),
        ),
    )


def _left_behind(
    service: Ref, workload: Ref, near: Nearly, spec: ServiceSpec, notes: tuple[Text, ...]
) -> Finding:
    """Return the finding for a Service that selects a switched-off version, while another one is ready."""
    key, value = near.differs[0]
    here = dict(spec.selector).get(key, "")
    return Finding(
        say(
            "Service {service} still selects {key}={here}: {workload}, whose Pods have that, is scaled to 0, "
            "and Pod {pod}, which has {key}={value}, is ready",
            service=service.name,
            key=key,
            here=here,
            workload=who(workload),
            pod=near.name,
            value=value,
        ),
        culprit=service,
        blocks=(),
        notes=notes,
        help=(
            Step(
                say(
                    "set {key} to {value} in the Service's selector, if that version is the one to serve",
                    key=key,
                    value=value,
                ),
                where="source",
                verify=say("the Service has a ready Pod"),
            ),
            scale_up(
                workload,
                1,
                say("or scale the other one up again, if that one should serve"),
                say("the Service has a ready Pod"),
            ),
        ),
    )


def _name_near(near: Nearly) -> Text:
    key, value = near.differs[0]
    if not value:
        return say("Pod {pod} is ready, and lacks the label {key} alone", pod=near.name, key=key)
    return say(
        "Pod {pod} is ready, and differs in one label: {key}={value}", pod=near.name, key=key, value=value
    )


CAUSE = Cause(
    id="service.scaled-to-none",
    title=say("a Service has no Pods because its workload is scaled to zero"),
    subjects=("Service",),
    reads=frozenset(
        {
            *(
                Backends,
                ServiceSpec,
                ServicePods,
                ServiceWorkloads,
                Deletion,
                Workload,
                Switches,
                Touches,
                Owners,
                Conditions,
                Reported,
            ),
            *(Labels, References),
        }
    ),
    rule=_rule,
)
