"""An autoscaler, or `kubectl top`, gets no value for a metric

## How it happens

HorizontalPodAutoscalers and `kubectl top` ask the API server for `metrics.k8s.io`, which metrics-server
serves. There is no value if no APIService serves it, if metrics-server does not run or is unreachable, if it
cannot read the kubelets, and for Pods that have just started. An autoscaler shows `<unknown>` as well where a
container of its Pods has no request for the resource.

## How to tell

`<unknown>/70%` in TARGETS; `unable to get metrics for resource cpu: …`; `Metrics API not available`; a
refused request for `pods.metrics.k8s.io`.

## Known limits

The message is the only evidence: it is never more than likely. A row with `<unknown>` does not show which of
these it is.

## References

- kube-controller-manager pkg/controller/podautoscaler; kubectl pkg/cmd/top; metrics-server FAQ
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_INSTALL = say("no such APIService: install metrics-server, or what serves this API in its place")
_REPAIR = say(
    "it is not available: see the Pods of metrics-server, their log, and the way from the control plane to "
    "their port"
)
_READ = say(
    "it is available and has no values: the log of metrics-server says which kubelets it cannot read, and why"
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "metric-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.group:
        return _make_adapter_finding(text, one)
    api = Step(
        say("see whether the API is served and available, and whether metrics-server runs"),
        command=command(
            "kubectl get apiservices v1beta1.metrics.k8s.io; kubectl get pods -A | grep -i metrics"
        ),
    )
    steps = (api, Step(_INSTALL), Step(_REPAIR), Step(_READ))
    if c.path:
        means = say(
            "HorizontalPodAutoscaler {name} of {target} gets no value for its metric: no metrics API "
            "answers, or a container of its Pods has no request for it",
            name=c.name,
            target=c.path,
        )
        look = Step(
            say("see its conditions and Events, which say which of these it is"),
            command=command(
                "kubectl describe {it} {space}",
                it=given.obj("hpa", c.name),
                space=given.namespace(c.namespace or "NAMESPACE"),
            ),
        )
        return make_finding(text, one, means, (look, *steps))
    return make_finding(text, one, _means(c), steps)


def _make_adapter_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for an API of external or custom metrics, which an adapter serves (KEDA, Prometheus
    adapter, a cloud's).
    """
    group = one.complaint.group
    means = say(
        "the API {group}, from which the autoscaler reads its metric, does not answer: the adapter behind it "
        "is not installed, does not run, or is not reached",
        group=group,
    )
    look = Step(
        say("see which Service is behind it, and why it is not available (its condition Available)"),
        command=command("kubectl describe {served}", served=given.obj("apiservice", f"v1beta1.{group}")),
    )
    step = Step(
        say(
            "see the Pods of that Service (KEDA: keda-operator-metrics-apiserver, Prometheus adapter, or the "
            "cloud's adapter), their log, and the way from the control plane to their port"
        )
    )
    return make_finding(text, one, means, (look, step))


def _means(c: Complaint) -> Text:
    if "no metrics returned" in c.reason or "yet" in c.reason:
        return say(
            "the metrics API answers and has no values for these Pods: it cannot read their kubelets, or "
            "they have just started"
        )
    if "could not find" in c.reason:
        return say(
            "the API server does not serve metrics.k8s.io: metrics-server, or what stands "
            "in for it, is not installed"
        )
    return say(
        "the metrics API does not answer: metrics-server is not installed, does not run, or is not reached"
    )


CAUSE = Cause(
    id="controller.autoscaler-without-metrics",
    title=say("an autoscaler or kubectl top gets no value for a metric"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
