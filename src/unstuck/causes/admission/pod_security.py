"""The Namespace's Pod Security level forbids the Pods

## How it happens

The Namespace carries the label `pod-security.kubernetes.io/enforce`, often set for all of them by the
cluster's operator, and the template violates this level: host namespaces, host paths, privileges, running as
root, no seccomp profile. The API server refuses the Pods; the workload itself it accepts, with no more than a
warning.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `violates PodSecurity "restricted:latest": …` with each field. It is proven if the
Namespace's label, read now, still names that level.

## Known limits

Without the label the level comes from the API server's own configuration, which no object shows: the answer
is `likely` then. Exemptions by user or runtime class are not seen either. PodSecurityPolicy (up to 1.24) is
another cause: admission.security-policy.

## References

- Kubernetes documentation: Pod Security Admission, Pod Security Standards
- staging/src/k8s.io/pod-security-admission/admission/admission.go
"""

from __future__ import annotations

import re

from unstuck.causes.admission._creation import (
    CREATORS,
    READS,
    RETRIES,
    STAGES,
    find_pod_refusals,
    make_finding,
    make_signs,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Labels
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_LABEL = "pod-security.kubernetes.io/enforce"
_SAID = regex(r'"(?P<level>[a-z]+):(?P<version>[\w.-]+)": (?P<what>.+)', re.DOTALL)
_IN_A_LINE = 3
# `privileged (container "c" must not set …), runAsNonRoot != true (…)`: a comma within brackets is no
# separator.
_EACH = regex(r"(?P<rule>[^,(][^(]{0,200}?) \((?P<why>(?:[^()]|\([^()]*\))*)\)(?:, |$)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = find_pod_refusals(subject, snap, "pod-security")
    level = next((m["level"] for f in said.hits if (m := _SAID.match(f.key or ""))), "")
    enforced = _find_enforced_level(subject, level, snap) if said.hits else Sign[str](None)
    return make_signs(
        subject,
        snap,
        said,
        {"the Namespace's label enforces that level now": enforced},
        lambda: _make_finding(subject, snap, said.hits[0]),
    )


def _find_enforced_level(subject: Ref, level: str, snap: Facts) -> Sign[str]:
    """Return no if the label names another level now; without a label the server's own configuration decides,
    which cannot be read.
    """
    namespace = Ref("Namespace", None, subject.within)
    facts = tuple(f for f in snap.of(Labels, namespace) if f.whole)
    if not facts:
        return Sign(None, wants=(Want(Labels, namespace),))
    now = dict(facts[0].items).get(_LABEL)
    return Sign(None if now is None else now == level, (now,) if now == level else (), facts)


def _make_finding(subject: Ref, snap: Facts, failure: Failure) -> Finding:
    found = _SAID.match(failure.key or "")
    level, version, what = (
        (found["level"], found["version"], found["what"]) if found else ("?", "?", failure.key or "")
    )
    each = [(m["rule"].strip(), m["why"]) for m in _EACH.finditer(what)] or [(what, "")]
    rules = ", ".join(r for r, _ in each)
    namespace = same_in_both(f"Namespace {subject.within}") if subject.within else say("its Namespace")
    return make_finding(
        subject,
        snap,
        say(
            "{namespace} enforces Pod Security {level}:{version}, which forbids its Pods: {rules}",
            namespace=namespace,
            level=level,
            version=version,
            rules=rules,
        ),
        Ref("Namespace", None, subject.within),
        notes=_list_details(each),
        help=(
            Step(
                say("set these fields in the template as the level requires"),
                where="source",
                verify=RETRIES,
            ),
            Step(
                say(
                    "or, if it really needs them, run it in a separate Namespace with a lower level, if the "
                    "owner agrees"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("lower the level of {namespace} for this workload", namespace=namespace),
                say("anyone who can create Pods there could then take over the node"),
            ),
        ),
    )


def _list_details(each: list[tuple[str, str]]) -> tuple[Text, ...]:
    """Return the fields that break each rule, three in a line."""
    told = [f"{rule} ({why})" for rule, why in each if why]
    lines = ["; ".join(told[i : i + _IN_A_LINE]) for i in range(0, len(told), _IN_A_LINE)]
    return tuple(same_in_both(line) for line in lines)


CAUSE = Cause(
    id="admission.pod-security",
    title=say("the Namespace's Pod Security level forbids the Pods"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS | {Labels},
    rule=_rule,
)
