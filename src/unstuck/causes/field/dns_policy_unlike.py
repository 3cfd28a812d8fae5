"""A Pod on the host network uses the node's name servers, which know no Services

## How it happens

With `hostNetwork: true`, `dnsPolicy: ClusterFirst`, which is the default, means the node's own
`/etc/resolv.conf`: the cluster's DNS is asked only with `ClusterFirstWithHostNet`. The same holds for
`dnsPolicy: Default` on any network.

## How to tell

A container's last lines say that a name was not found or got no answer, the name is one of a Service of the
Pod's Namespace, or ends with `.svc` or `.svc.cluster.local`, and the Pod's settings lead to the node's name
servers.

## Known limits

Some nodes ask the cluster's DNS themselves; then the name is known there as well, if it is written in full. A
name of another Namespace in its short form is not recognised.

## References

- Kubernetes documentation "DNS for Services and Pods", Pod's DNS Policy; pkg/kubelet/network/dns/dns.go
  (getPodDNSType)
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.objects import Names
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_NOT_FOUND = regex(
    r"name resolution|name or service not known|no such host|not known|resolve|getaddrinfo|EAI_AGAIN"
    r"|ENOTFOUND|"
    r"translate host name|bad address|UnknownHost|NXDOMAIN|server misbehaving|nodename nor servname|unknown "
    r"host|\blookup ",
    re.IGNORECASE,
)
_NAME = regex(
    (
        r"(?<![\w.:/@-])(?:[a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?)?(?P<name>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
        r"(?:\.[a-z0-9-]+)*)(?![\w(])"
    ),
    re.IGNORECASE,
)
_OF_CLUSTER = (".svc", ".svc.cluster.local", ".cluster.local")
# Policies that lead to the node's own name servers, by whether the Pod is on its node's network.
_NODES_OWN = {True: ("", "ClusterFirst", "Default"), False: ("Default",)}


def _match(
    pod: Ref, word: ContainerLine, settings: PodSettings, _: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    own = snap.one(Containers, pod)
    if (
        own is None
        or settings.dns_policy not in _NODES_OWN[own.host_network]
        or not _NOT_FOUND.search(word.line)
    ):
        return None
    names = [m["name"].rstrip(".") for m in _NAME.finditer(word.line)]
    if full := next((n for n in names if n.endswith(_OF_CLUSTER)), ""):
        return Sign(True, (_find_misfit(pod, word, settings, full, host_network=own.host_network),), (own,))
    return some(
        snap,
        Names,
        Ref("ServiceList", pod.within),
        lambda f: [
            _find_misfit(pod, word, settings, n, host_network=own.host_network) for n in names if n in f.names
        ],
    )


def _find_misfit(
    pod: Ref, word: ContainerLine, settings: PodSettings, name: str, *, host_network: bool
) -> Misfit:
    policy = settings.dns_policy or "ClusterFirst"
    why: Text = (
        say(
            (
                "with hostNetwork: true, dnsPolicy {policy} means its node's own name servers, and these do "
                "not know Service {name}"
            ),
            policy=policy,
            name=name,
        )
        if host_network
        else say(
            "dnsPolicy {policy} means its node's own name servers, and these do not know Service {name}",
            policy=policy,
            name=name,
        )
    )
    right = "ClusterFirstWithHostNet" if host_network else "ClusterFirst"
    return Misfit(
        of=pod,
        field="spec.dnsPolicy",
        says=say("{who} wrote “{line}”: {why}", who=word.title, line=word.quote, why=why),
        help=(mend(say("set dnsPolicy: {right} in the Pod's template", right=right)),),
        do_not=(
            DoNot(
                say("look for the fault in the cluster's DNS or in the Service"),
                say("the Pod does not ask the cluster's DNS"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "its DNS settings lead past the cluster's DNS, and the name is a Service's",
        "equal",
        ("Pod",),
        make_words_check(_match),
        READS | {Names},
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.dns-policy-unlike",
    title=say("a Pod on the host network uses the node's name servers, which know no Services"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
