"""The Node cannot resolve the name of the image's registry

## How it happens

The runtime asks the Node's own resolver for the registry's name, and gets no address: a typing error in the
image, a name that only the cluster's DNS knows (a Node does not ask cluster DNS), a name server that is down
or not reached, a broken `/etc/resolv.conf`.

## How to tell

`lookup NAME on SERVER: no such host`, `server misbehaving`, `Temporary failure in name resolution`, or a
time-out or refusal of the name server itself (`read udp …:53: i/o timeout`), in the kubelet's words about its
own pull, repeated, with the container still waiting.

## Known limits

A name that resolves inside Pods may not on the Node, and the other way round. `no such host` alone does not
show whether the name or the name server is wrong: the name server answered that the name is unknown.

## References

- Go net (dnsclient_unix.go, net.go: DNSError) as containerd, docker and CRI-O wrap it
"""

from __future__ import annotations

from unstuck.causes.image._pull import (
    KEEP_PODS,
    READS,
    RETRIES,
    STAGES,
    explain_by_config,
    make_registry_ref,
    make_signs,
    met_proxy,
    place_on_its_node,
    pull,
    quote_innermost_error,
    use_present_image,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_LOOKUP = regex(
    r"lookup (?P<name>[^\s:]{1,253})(?: on (?P<server>\[[0-9a-f:]{2,45}\]:\d+|[^\s:]{1,60}(?::\d+)?))?:"
)
_OF_CLUSTER = (".svc", ".cluster.local")
_SERVER = ("i/o timeout", "refused", "unreachable", "no route", "not permitted", "misbehaving")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("no-such-host",))
    return make_signs(
        "the registry's name has no address",
        one,
        lambda failure: explain_by_config(pod, failure, _make_finding(pod, failure, snap), snap),
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    found = _LOOKUP.search(failure.message)
    name = (found["name"] if found else None) or (failure.host or "?").partition(":")[0]
    server = found["server"] if found else None
    node = find_node_of_pod(pod, snap)
    on = say("Node {node}", node=node.name) if node else say("the Node")
    proxy = met_proxy(failure)
    what = say("the runtime's proxy") if proxy else say("registry")
    says = say("{on} cannot resolve {what} {name}", on=on, what=what, name=name)
    if server and any(word in failure.message for word in _SERVER):
        says = says + say(": name server {server} does not answer for it", server=server)
    notes = [quote_innermost_error(failure)]
    if name.endswith(_OF_CLUSTER) or ("." not in name and name != "localhost"):
        notes.append(
            say(
                (
                    "{name} looks like a cluster DNS name, which nodes do not resolve: the runtime pulls "
                    "from the node, not from a Pod"
                ),
                name=name,
            )
        )
    return Finding(
        says,
        culprit=Ref("Proxy", None, name) if proxy else make_registry_ref(failure),
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            Step(
                say("on that node, look up the name"),
                where=place_on_its_node(pod, snap),
                command=command("getent hosts {name}", name=given.host(name)),
            ),
            Step(
                say(
                    "if the name is wrong, correct it in the image or in the runtime's proxy settings; if it "
                    "is right, fix the node's DNS (/etc/resolv.conf, its name servers, /etc/hosts)"
                ),
                where="source",
                verify=RETRIES,
            ),
            *use_present_image(pod, failure, snap),
        ),
        do_not=(KEEP_PODS,),
    )


CAUSE = Cause(
    id="image.registry-dns-failed",
    title=say("the node cannot resolve the registry's name"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Containers, Placement},
    rule=_rule,
)
