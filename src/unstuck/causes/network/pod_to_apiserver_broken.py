"""A Pod cannot reach the API server through its Service

## How it happens

Programs in Pods (DNS, controllers, agents) talk to the API server at the address of the Service `kubernetes`.
This Pod's network gets no answer: kube-proxy has no rules there, the Node does not forward (docker set the
FORWARD policy to DROP, `ip_forward` is off), the overlay does not carry packets to the control plane, or a
NetworkPolicy forbids it. The program waits, gives up, and is started again.

## How to tell

Its log repeats `dial tcp 10.96.0.1:443: i/o timeout`, `no route to host`, `network is unreachable` or
`connection refused` for `https://10.96.0.1:443/api…`, while the kubelet of the same Node, which uses another
address, works.

## Known limits

It is the program's own word, and an API server that is down gives the same: so this is at most likely. If
only Pods of one Node report it, it is that Node; if all do, the Service's endpoints or the control plane.

## References

- client-go tools/cache/reflector.go; Kubernetes documentation "Debug Services"; moby issue 14041 (FORWARD
  policy)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# The Service `kubernetes` has port 443 and the first address of its range; other servers have an /api, too.
# kubectl first asks for the served types.
_WAY = regex(
    r"https://(?P<host>(?:10|172|192)(?:\.\d{1,3}){2}\.1:443)/(?:apis?[/?]|version\?)[^\n]{0,400}?"
    r"(?:i/o timeout|no route to host|connection refused|network is unreachable)"
)
_TWICE = 2
# The program that reports it, and the address.
_Told = tuple[Ref, str]


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == "Node":
        told = hearsay(
            snap, Failure, subject, lambda f: [f.host or "?"] if f.error == "apiserver-unreachable" else []
        )
        said: Sign[_Told] = Sign(None, tuple((subject, host) for host in told.hits), told.seen)
    else:
        said = _find_timeouts_in_log(subject, snap)
    return Signs(
        decisive={"what it asked": Sign(None, said.hits, said.seen)},
        supporting={"its log says so repeatedly": only_yes(said)},
        finding=lambda: _make_finding(subject, *said.hits[0], snap),
    )


def _find_timeouts_in_log(pod: Ref, snap: Facts) -> Sign[_Told]:
    names = dict.fromkeys(
        (
            *(s.name for s in list_statuses(pod, snap)),
            *(c.name for f in snap.of(Containers, pod) for c in f.items),
        )
    )
    refs = [make_container_ref(pod, name) for name in names]
    for ref in refs:
        found = some(
            snap,
            LastLines,
            ref,
            lambda f: [m["host"] for line in f.lines if (m := _WAY.search(line))] if _often(f) else [],
        )
        if found.value:
            return Sign(True, tuple((ref, host) for host in found.hits), found.seen, sure=found.sure)
    return Sign(None, wants=tuple(Want(LastLines, ref) for ref in refs[:1]))


def _often(f: LastLines) -> bool:
    return sum(_WAY.search(line) is not None for line in f.lines) >= _TWICE


def _make_finding(pod: Ref, teller: Ref, host: str, snap: Facts) -> Finding:
    return Finding(
        say("the Pod cannot reach the API server at its Service's address {host}", host=host)
        + _starting.say_on_node(pod, snap),
        culprit=Ref("ServiceAddress", _starting.find_node_name(pod, snap), host),
        # That its program ends comes of this.
        blocks=unique((teller, pod)),
        help=(
            Step(
                say("check whether that node forwards packets, and how it handles packets to that address"),
                where=_starting.place_step(pod, snap),
                command=command(
                    (
                        "sysctl net.ipv4.ip_forward; iptables -S FORWARD | head -3; iptables-save -t nat | "
                        "grep -F -e {address}"
                    ),
                    address=given.host(host.partition(":")[0]),
                ),
            ),
            Step(
                say(
                    "fix the path: kube-proxy or its replacement, ip_forward, the FORWARD policy, the "
                    "network add-on, or the NetworkPolicy"
                ),
                where=_starting.place_step(pod, snap),
                verify=say("the program succeeds at its next start"),
            ),
        ),
        do_not=(
            DoNot(
                say("run the Pod with hostNetwork as a workaround"),
                say("all other Pods of that node stay cut off, and the fault stays hidden"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.pod-to-apiserver-broken",
    title=say("a Pod cannot reach the API server through its Service"),
    subjects=("Pod", "Node"),
    stages=_starting.CONTAINERS,
    reads=frozenset({Failure, LastLines, Containers, ContainerStatuses}),
    rule=_rule,
)
