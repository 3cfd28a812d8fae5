"""A setting of the node's kernel is lower than the program needs, and its Pod may not raise it

## How it happens

Elasticsearch and similar programs check kernel settings before they start, and exit if one is too low. A
chart brings an init container that raises it with `sysctl -w`. A sysctl such as `vm.max_map_count` is the
node's, not the container's: only a privileged container that runs as root may write it. Where the image runs
as another user, or a policy takes the privilege away, it stays as it is.

## How to tell

The message has the setting, its value and the required one: `vm.max_map_count [65530] is too low`. Or
`sysctl` is not permitted: `permission denied on key "vm.max_map_count"`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether the node's setting was raised since
is not looked at.

## References

- Elasticsearch org/elasticsearch/bootstrap/BootstrapChecks.java; procps sysctl(8); Kubernetes documentation
  "Using sysctls in a cluster"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Half, choose
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Complaint, Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_LOW: ProgramError = "kernel-setting-low"
_DENIED: ProgramError = "kernel-setting-denied"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, (_LOW, _DENIED), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    also = [
        m.complaint
        for m in find_program_messages(pod, snap, _LOW, _DENIED).hits
        if m.complaint.name == c.name
    ]
    low = next((m for m in also if m.error == _LOW), None)
    denied = next((m for m in also if m.error == _DENIED), None)
    means = _means(c.name, low, denied)
    look = Step(
        say(
            "check which user the container that sets it runs as, and whether it is privileged "
            "(securityContext)"
        ),
        command=command(
            "kubectl get {pod} {space} -o yaml",
            pod=given.of(pod if pod.kind == "Pod" else Ref("Pod")),
            space=given.space(pod if pod.kind == "Pod" else Ref("Pod")),
        ),
    )
    step = mend(
        choose(
            Half(True, say("set {setting} on the nodes (/etc/sysctl.d)", setting=c.name)),
            Half(
                _has_setter(pod, snap),
                say("let the init container that sets it run as root (runAsUser: 0) and privileged"),
            ),
        )
    )
    return make_finding(pod, one, means, (look, step))


def _has_setter(pod: Ref, snap: Facts) -> bool | None:
    """Tell whether the Pod has an init container, which may set it; None if its spec is not known."""
    known = [f for f in snap.of(Containers, pod) if f.whole]
    return any(c.kind == "init" for f in known for c in f.items) if known else None


def _means(setting: str, low: Complaint | None, denied: Complaint | None) -> Text:
    """Return the report about the setting: its value, and that a container may not change it."""
    value = low.resource if low else ""
    is_low = (
        say(
            "{setting} of its node is {value}, but it needs at least {wanted}",
            setting=setting,
            value=value,
            wanted=low.at,
        )
        if low and low.at
        else say("{setting} of its node is {value}, too low for it", setting=setting, value=value)
    )
    if denied is None:
        return is_low
    may_not = say(
        "a container that should set {setting} is not allowed to: {reason}",
        setting=setting,
        reason=denied.reason,
    )
    return say("{low}; {denied}", low=is_low, denied=may_not) if low else may_not


CAUSE = Cause(
    id="program.kernel-setting-low",
    title=say("a setting of the node's kernel is lower than the program needs"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
