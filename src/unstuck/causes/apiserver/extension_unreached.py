"""The API server gets no answer from the server behind an aggregated API

## How it happens

An APIService hands a group of the API (`metrics.k8s.io`, `custom.metrics.k8s.io`) on to a Service in the
cluster. The API server calls the Pods behind it from the control plane. It gets no answer if none of them is
ready, if the Service is missing, if the control plane cannot reach their port (a firewall, a security group,
a network policy, Pods that only the nodes' network reaches), or if they answer with an error.

## How to tell

`failing or missing response from https://ADDRESS:PORT/apis/GROUP/VERSION: …`, which gives the call's error;
`endpoints for service/… in "…" have no addresses`; `service/… in "…" is not present`. They are in the
condition `Available` of the APIService and in the API server's log.

## Known limits

Its evidence is the message alone: it is never more than likely. The message does not give the reason for a
time-out. With the APIService itself, namespace.api-discovery-failed looks at its Service as well.

## References

- kube-aggregator pkg/controllers/status (remote_available_controller.go); Kubernetes documentation: Configure
  the Aggregation Layer
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
from unstuck.facts.regex import regex

say = Messages(__name__)

_WAITED = regex(r"Client\.Timeout|deadline exceeded|i/o timeout|timed out|no route to host|request canceled")
_REFUSED = regex(r"connection refused")
_TRUST = regex(r"x509|tls: ")
_STATUS = regex(r"bad status from \S{1,400}: (?P<code>\d{3})")
_OPEN = say(
    "let the control plane reach that port of the nodes or Pods (firewall, security group, network policy); "
    "where it cannot reach Pods at all, run that server with hostNetwork"
)
_RUN = say(
    "have its Pods run and listen on that port: targetPort of the Service, --secure-port of the program"
)
_CERTIFY = say("give it a certificate that caBundle of the APIService verifies, or renew it")
_ANSWER = say(
    "read its log: it answers, with an error of its own; 401 and 403 are about the client certificate of "
    "the aggregation layer"
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "extension-unreached", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    services = Step(
        say("see which APIServices are not available, and the Services behind them"),
        command=command("kubectl get apiservices.apiregistration.k8s.io | grep -v True"),
    )
    if not c.port:
        return make_finding(text, one, _describe_service(c), (_look_at_service(c), services))
    api = f"{c.group}/{c.resource}" if c.group else ""
    means = say(
        (
            "the API server gets no valid answer from the server of the aggregated API {api} at "
            "{name}:{port}: {how}"
        ),
        api=api,
        name=c.name,
        port=c.port,
        how=_describe_how(c),
    )
    look = Step(
        say("see whether Pods have this address, are ready and listen on this port"),
        command=command("kubectl get pods -A -o wide"),
    )
    return make_finding(
        text,
        one,
        means,
        (services, look, Step(_repair(c), where="source", verify=say("the APIService is available"))),
    )


def _describe_service(c: Complaint) -> Text:
    if c.verb:
        return say(
            "Service {it} in Namespace {space}, which an aggregated API needs, does not exist",
            it=c.name,
            space=c.namespace,
        )
    return say(
        "Service {it} in Namespace {space}, which an aggregated API needs, has no ready Pod behind it",
        it=c.name,
        space=c.namespace,
    )


def _look_at_service(c: Complaint) -> Step:
    return Step(
        say("see its selector, and the Pods that it should choose"),
        command=command(
            "kubectl describe {it} {space}; kubectl get pods {space} -o wide --show-labels",
            it=given.obj("service", c.name),
            space=given.namespace(c.namespace or None),
        ),
    )


def _describe_how(c: Complaint) -> Text:
    if _WAITED.search(c.reason):
        return say(
            "no answer comes in time: a firewall, a security group or the Pod network drops the packets, or "
            "the Pod hangs"
        )
    if _REFUSED.search(c.reason):
        return say("nothing listens there")
    if found := _STATUS.search(c.reason):
        return say("it answers with status {code}", code=found["code"])
    return (
        say("its certificate is refused")
        if _TRUST.search(c.reason)
        else say("the call fails with “{reason}”", reason=c.reason)
    )


def _repair(c: Complaint) -> Text:
    if _WAITED.search(c.reason):
        return _OPEN
    return (
        _RUN
        if _REFUSED.search(c.reason)
        else _CERTIFY
        if _TRUST.search(c.reason) and not _STATUS.search(c.reason)
        else _ANSWER
    )


CAUSE = Cause(
    id="apiserver.extension-unreached",
    title=say("the API server gets no answer from the server behind an aggregated API"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
