"""The kubelet refused the Pod after it was bound to its Node

## How it happens

The scheduler placed the Pod, and the kubelet looked again and did not take it: in between another Pod took
the room (`nodeName` set by hand, a second scheduler, a static Pod, devices that a plugin lost), the Node's
labels or taints changed, its topology manager found no fitting set of CPUs and devices, or it may not use a
sysctl. The Pod is Failed for good and never restarted.

## How to tell

The phase is Failed with a reason such as `OutOfcpu`, `OutOfmemory`, `OutOfpods`, `UnexpectedAdmissionError`,
`TopologyAffinityError`, `NodeAffinity`, `SysctlForbidden`, and no container has run.

## Known limits

An owner makes a new Pod, which may meet the same: then many Failed ones gather. An evicted Pod had run
before: container.evicted. AppArmor has its own: security.apparmor-unsupported.

## References

- Kubernetes pkg/kubelet/kubelet.go (admissionRejectionReasons), pkg/kubelet/lifecycle/predicate.go,
  pkg/kubelet/cm/topologymanager (1.34)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.causes import _kubelet_settings, _node_config
from unstuck.causes._kubelet_settings import tell_setting
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes._told_by_node import join_words
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Phase
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.refusals import NOT_ADMITTED

say = Messages(__name__)

_REASON = regex(NOT_ADMITTED)
# pkg/kubelet/sysctl/allowlist.go
_FORBIDDEN = regex(r'forbidden sysctl: "(?P<name>[\w./*-]{1,200})" not allowlisted')
# The kubelet's settings that decide it: kubelet.config.k8s.io/v1beta1.
_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"SysctlForbidden": ("allowedUnsafeSysctls",), "TopologyAffinityError": ("topologyManagerPolicy",)}
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    rejected = some(
        snap,
        Phase,
        pod,
        lambda f: [(f.reason, f.message)] if f.phase == "Failed" and _REASON.fullmatch(f.reason) else [],
    )
    said = hearsay(
        snap,
        Events,
        pod,
        lambda f: [(e.reason, e.message) for e in f.items if e.warning and _REASON.fullmatch(e.reason)],
    )
    other: Sign[tuple[str, str]] = said if rejected.value is None else Sign(None)
    return Signs(
        decisive={"its phase is Failed, with a reason for which a kubelet rejects Pods": rejected},
        supporting={"the kubelet said so": other},
        finding=lambda: _make_finding(pod, *(*rejected.hits, *said.hits)[0], snap),
    )


def _make_finding(pod: Ref, reason: str, message: str, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    name = say(" of {node}", node=node.name) if node else NO_TEXT
    says = say("the kubelet{name} rejected the Pod that was bound to it: {reason}", name=name, reason=reason)
    if forbidden := _FORBIDDEN.search(message):
        says += say("; it does not allow sysctl {sysctl}", sysctl=forbidden["name"])
    found = Finding(
        says,
        culprit=Ref("Admission", node.name if node else None, reason),
        blocks=(pod,),
        notes=(say("kubelet: {message}", message=message),) if message else (),
        help=(
            _make_way_step(reason, forbidden["name"] if forbidden else ""),
            Step(
                say(
                    "the Failed Pod never starts: delete it once the reason is understood; its record is "
                    "lost, and nothing recreates it unless it has an owner, which has already created another"
                ),
                command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
                risk="disrupts",
            ),
        ),
        do_not=(
            DoNot(
                say("set nodeName by hand to force it there"),
                say("that bypasses the scheduler, which is how most such rejections happen"),
            ),
        ),
    )
    told = tell_config(node, _SETTINGS.get(reason, ()), snap)
    # Their owners decide whether to change the line or the Pod.
    found = add_node_words(found, replace(told, help=()))
    own = () if told.says.en else _SETTINGS.get(reason, ())
    return add_node_words(found, join_words(*(tell_setting(node, name, snap) for name in own)))


def _make_way_step(reason: str, sysctl: str) -> Step:
    if reason.startswith("OutOf"):
        says = say(
            "find what uses capacity without the scheduler (manual nodeName, static Pods, a second "
            "scheduler), and let the scheduler place this Pod"
        )
    elif reason == "TopologyAffinityError":
        says = say(
            "request CPUs and devices that fit one NUMA node, or set the kubelet's topology manager policy "
            "to best-effort"
        )
    elif sysctl:
        says = say(
            "remove sysctl {sysctl} from the Pod, or allow it in allowedUnsafeSysctls of the kubelets of "
            "the Nodes that should run it, and keep the Pod on these",
            sysctl=sysctl,
        )
    else:
        says = say("read the message and the kubelet's log of that time: they say what did not fit")
    return Step(says, where="source", verify=say("a new Pod of the same kind is accepted"))


CAUSE = Cause(
    id="kubelet.rejected-after-binding",
    title=say("the kubelet rejected the Pod after it was bound to its node"),
    subjects=("Pod",),
    stages=("kubelet-accepted",),
    reads=frozenset({Phase, Events, Placement}) | _node_config.READS | _kubelet_settings.READS,
    rule=_rule,
)
