"""The kubelet evicted the Pod

## How it happens

A container, an emptyDir volume or the Pod as a whole has written more than its limit of ephemeral storage; or
the Node ran short of memory, disk space, inodes or process numbers, and this Pod used more than it had
requested. The kubelet then ends the Pod for good: its phase is Failed, its reason Evicted, and only its owner
makes another one.

## How to tell

The kubelet's own word is in the Pod's status: reason `Evicted`, with the exceeded limit or the short
resource.

## Known limits

A Pod that `kubectl drain` evicts through the API is deleted instead, and has no such status. The evicted Pod
keeps neither its containers nor its emptyDir volumes: their content is lost, and only the successor shows
what the program writes.

## References

- Kubernetes pkg/kubelet/eviction/helpers.go, eviction_manager.go (1.34); documentation "Node-pressure
  Eviction"
"""

from __future__ import annotations

from unstuck.causes import _kubelet_settings
from unstuck.causes._kubelet_settings import tell_thresholds
from unstuck.causes._node_config import add_node_words
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Event, Events, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_NODE = regex(
    r"The node (?:was low on resource: (?P<what>[\w\[\], -]{1,80}?)|had condition: "
    r"(?P<condition>\[?[\w ]{1,100}\]?))\.(?:\s|$)"
)
# Older kubelets name the Node's condition, later ones the resource it was low on.
_CONDITIONS = {"MemoryPressure": "memory", "DiskPressure": "disk", "PIDPressure": "pids"}
# The kubelet's names of resources and conditions, in small letters, by what they contain.
_PRESSURES = (
    ("memory", ("memory",)),
    ("pid", ("pid",)),
    ("disk", ("disk", "ephemeral-storage", "nodefs", "imagefs", "inodes")),
)
_NO_MORE = say("no more Pods of this owner are evicted")
_CONTAINER = regex(
    r"Container (?P<name>[a-z0-9-]{1,63}) exceeded its local ephemeral storage limit \""
    r"(?P<limit>[^\"]{1,40})\""
)
_POD = regex(
    r"Pod ephemeral local storage usage exceeds the total limit of containers (?P<limit>[^\s.]{1,40})"
)
_VOLUME = regex(
    r"Usage of EmptyDir volume \"(?P<name>[^\"]{1,63})\" exceeds the limit \"(?P<limit>[^\"]{1,40})\""
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    status = some(snap, Phase, pod, lambda f: [f.message] if f.reason == "Evicted" else [])
    if status.value is None and (restarted := _restarts(pod, snap)):
        status = Sign(False, seen=restarted)
    told = hearsay(
        snap,
        Events,
        pod,
        lambda f: [e.message for e in f.items if e.reason == "Evicted" and _is_of_kubelet(e)],
    )
    return Signs(
        decisive={"the Pod's own status says Evicted": status},
        supporting={"the kubelet's event says Evicted": told},
        finding=lambda: _make_finding(pod, max((*status.hits, *told.hits), key=len), snap),
    )


def _restarts(pod: Ref, snap: Facts) -> tuple[ContainerStatuses, ...]:
    """Find a container that is to be started again: in a Pod that was evicted none is
    (pkg/kubelet/status/status_manager.go, 1.34).
    """
    told = snap.of(ContainerStatuses, pod)
    return tuple(
        f for f in told if any(s.state == "waiting" and s.reason == "CrashLoopBackOff" for s in f.items)
    )


def _is_of_kubelet(event: Event) -> bool:
    """Tell whether the kubelet wrote the event: others use this reason too, such as Karpenter for a Pod
    that it evicts through the API.
    """
    return not event.reporter or event.reporter.startswith("kubelet")


def _make_finding(pod: Ref, message: str, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    says, culprit, mend, own = _explain(pod, message, node)
    told = _find_thresholds(message, node, snap)
    notes = (say("kubelet: {message}", message=message.strip()[:200]),) if message.strip() else ()
    found = Finding(
        says,
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            *(() if own else (_make_first_look(pod, message, node),)),
            Step(mend, where="source", verify=_NO_MORE),
            Step(
                say(
                    "delete the Failed Pod once you have looked at it: it uses no resources, and its record "
                    "is deleted with it"
                ),
                command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
                risk="disrupts",
            ),
        ),
        do_not=(_UNLIMITED,) if own else () if told.says.en else (_UNGUARDED,),
    )
    return add_node_words(found, told)


def _find_thresholds(message: str, node: Ref | None, snap: Facts) -> NodeWords:
    """Return the kubelet's thresholds for the resource that the Node was short of."""
    m = _NODE.search(message)
    if m is None or node is None or not node.name:
        return NodeWords()
    what = (m["what"] or m["condition"] or "").strip("[]").lower()
    pressure = next((p for p, words in _PRESSURES if any(w in what for w in words)), "")
    return tell_thresholds(node, pressure, snap, _NO_MORE) if pressure else NodeWords()


def _make_first_look(pod: Ref, message: str, node: Ref | None) -> Step:
    if _NODE.search(message):
        return Step(
            say("see which resource the node is short of now"),
            command=ask_why(node or Ref("Node")),
        )
    return Step(
        say("read the message in its status: it gives the reason for the eviction"),
        command=command("kubectl describe {pod} {space}", pod=given.of(pod), space=given.space(pod)),
    )


_UNLIMITED = DoNot(
    say("remove the limit"),
    say("next time the node's disk fills up, for all of its Pods"),
)
_UNGUARDED = DoNot(
    say("lower the kubelet's eviction thresholds"),
    say(
        "eviction keeps the node itself from running out, which would hit every Pod, "
        "the runtime and the kubelet"
    ),
)


def _explain(pod: Ref, message: str, node: Ref | None) -> tuple[Text, Ref, Text, bool]:
    """Return the reason, the culprit, the fix, and whether it is the Pod's own limit."""
    name = pod.name or "?"
    who = say("Pod {pod}", pod=pod.name) if pod.name else say("the Pod")
    if m := _CONTAINER.search(message):
        says = say(
            (
                "container {name} wrote more than its limit of {limit} of ephemeral storage, and the Pod "
                "was evicted"
            ),
            name=m["name"],
            limit=m["limit"],
        )
        return says, make_container_ref(pod, m["name"]), _advise_less(), True
    if m := _VOLUME.search(message):
        says = say(
            "emptyDir volume {name} grew beyond its sizeLimit of {limit}, and the Pod was evicted",
            name=m["name"],
            limit=m["limit"],
        )
        return says, Ref("Volume", f"{pod.within}/{name}", m["name"]), _advise_less(), True
    if m := _POD.search(message):
        says = say(
            (
                "{who} wrote more than the {limit} of ephemeral storage of its "
                "containers' limits, and was evicted"
            ),
            who=who,
            limit=m["limit"],
        )
        return says, Ref("EphemeralStorage", f"{pod.within}/{name}", "limits"), _advise_less(), True
    m = _NODE.search(message)
    if m is None:
        return _explain_unsaid(who, node)
    if m["condition"]:
        return _explain_not_admitted(who, m["condition"].strip("[]"), node)
    what = m["what"].strip("[]")
    of = say("was short of {what}", what=_CONDITIONS.get(what, what))
    if node and node.name:
        says = say("{who} was evicted because its Node {node} {of}", who=who, node=node.name, of=of)
    else:
        says = say("{who} was evicted because its Node {of}", who=who, of=of)
    mend = say("set this Pod's requests to its actual usage: a Pod within its requests is evicted last")
    return says, node or Ref("Node"), mend, False


def _explain_unsaid(who: Text, node: Ref | None) -> tuple[Text, Ref, Text, bool]:
    """Return the explanation if only the reason was seen: a kubelet evicts for its Node's sake, and a Pod
    that exceeds its own limit.
    """
    says = say(
        (
            "{who} was evicted: its Node was short of a resource, or it exceeded one of its own limits; the "
            "message in its status says which"
        ),
        who=who,
    )
    mend = say(
        "if the node was short of a resource, set this Pod's requests to its actual usage; if the Pod "
        "exceeded one of its own limits, make it write less or raise that limit"
    )
    return says, node or Ref("Node"), mend, False


def _explain_not_admitted(who: Text, condition: str, node: Ref | None) -> tuple[Text, Ref, Text, bool]:
    """Return the explanation for a Pod that never ran: under pressure a kubelet admits none
    (pkg/kubelet/eviction/eviction_manager.go, Admit).
    """
    if node and node.name:
        says = say(
            "{who} was not admitted, because its Node {node} reports {condition}",
            who=who,
            node=node.name,
            condition=condition,
        )
    else:
        says = say(
            "{who} was not admitted, because its Node reports {condition}", who=who, condition=condition
        )
    mend = say("wait for the pressure to end: meanwhile the owner's next Pod is scheduled to another node")
    return says, node or Ref("Node"), mend, False


def _advise_less() -> Text:
    return say(
        "make it write less (rotate logs, delete scratch files), or put the data on a volume, or raise the "
        "limit to its actual need"
    )


CAUSE = Cause(
    id="container.evicted",
    title=say("the kubelet evicted the Pod"),
    subjects=("Pod",),
    reads=frozenset({ContainerStatuses, Phase, Events, Placement}) | _kubelet_settings.READS,
    rule=_rule,
)
