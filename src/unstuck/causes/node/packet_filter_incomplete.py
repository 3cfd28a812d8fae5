"""The Node lacks a part of the packet filter that one of its programs needs

## How it happens

kube-proxy, network plugins and portmap write rules that the kernel's netfilter must know: the match or target
of each rule is a kernel module (`xt_comment`, `xt_physdev`), and so are tables and, for IPVS, `ip_vs` and
`ip_set`. They are missing in a minimal kernel, a kernel with extra modules in a separate package, a node
whose `/lib/modules` the container does not see, or with iptables of another variant than the kernel's. A
missing chain of Kubernetes' own should have been made by the kubelet, or by a kube-proxy that has not got
that far.

## How to tell

`Couldn't load target` or `match`, `missing kernel module?`, `Table does not exist`, `error getting ipset
version`, `required kernel modules are not loaded`, in the words of iptables, ipset or kube-proxy.

## Known limits

Its evidence is the message alone: it is never more than likely. Only the Node shows whether a module is
missing or just not loaded. A part that only one mode of kube-proxy needs does no harm in the other.

## References

- iptables libxtables/xtables.c, iptables/xshared.c, nft.c; ipset src/ipset.c; Kubernetes pkg/proxy/ipvs,
  pkg/proxy/iptables
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
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# Chains that Kubernetes' own programs make are written in capitals, targets of the kernel as well: these
# names are chains.
_CHAIN = regex(r"^(?:KUBE|CNI|CILIUM|FLANNEL|CALI|WEAVE)-|^cali-")
_OF_KUBELET = ("KUBE-MARK-DROP", "KUBE-MARK-MASQ", "KUBE-FIREWALL")
_OF_IPVS = ("ip_set", "ip_vs")


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "packet-filter-incomplete", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if _CHAIN.match(said.name):
        return make_finding(text, one, _tell_chain(said.name), _look_at_chain(said.name))
    if said.reason:
        return _make_rule_finding(text, one)
    module = _module_of(said.verb, said.name)
    if not module:
        return make_finding(
            text,
            one,
            say("the kernel does not know a part of the rules that a program writes"),
            _look_at_modules(),
        )
    means = say(
        "the kernel has no {what} {name}, which the rules need: module {module}",
        what=_describe_called(said.verb),
        name=said.name,
        module=module,
    )
    if said.verb in ("ipset", "module"):
        means = say("the kernel lacks module {module}, which a program needs", module=module)
    notes = (say("only kube-proxy's IPVS mode needs it: with iptables or nftables these lines do no harm"),)
    return make_finding(
        text, one, means, _look_at_modules(module), notes=notes if module.startswith(_OF_IPVS) else ()
    )


def _make_rule_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a rule of which iptables does not say which of its parts is not there."""
    said = one.complaint
    means = say(
        "the packet filter refuses a rule: its chain, its target (-j) or a match (-m) is not "
        "there, and iptables "
        "does not say which"
    )
    if said.resource:
        means += say(
            ": a rule in chain {chain} of table {table}", chain=said.resource, table=said.group or "filter"
        )
    look = Step(
        say(
            "on the node: see whether the chain and the target of that rule exist, and which of "
            "the two iptables "
            "holds them"
        ),
        command=command("iptables-legacy-save | grep -e '^:' ; iptables-nft-save | grep -e '^:'"),
    )
    made = Step(
        say(
            "if a chain is gone (a firewall's restart flushes them all): restart the program that makes it, "
            "Docker, the kubelet, kube-proxy or the network agent; connections may break for a moment"
        ),
        risk="disrupts",
    )
    return make_finding(text, one, means, (look, *_look_at_modules(), made))


def _describe_called(verb: str) -> Text:
    """Return the kind of the part, in plain words."""
    words = {"match": say("match"), "target": say("target"), "table": say("table")}
    return words.get(verb, say("part"))


def _module_of(verb: str, name: str) -> str:
    """Return the kernel module behind a part of a rule, "" if the words name none."""
    if verb == "ipset":
        return "ip_set"
    if name.lower() == "ipvs":
        return "ip_vs"
    if verb == "table":
        return f"iptable_{name}"
    return (
        name if verb == "module" or not name else f"xt_{name.lower()}" if verb == "target" else f"xt_{name}"
    )


def _tell_chain(name: str) -> Text:
    if name in _OF_KUBELET:
        return say("the packet filter has no chain {name}, which the kubelet makes at its start", name=name)
    return say(
        "the packet filter has no chain {name}, which must be created before rules can use it", name=name
    )


def _look_at_chain(name: str) -> tuple[Step, ...]:
    return (
        Step(
            say("on the node: check whether the chain exists, and which iptables created it"),
            command=command("iptables -t nat -L {chain} -n; iptables --version", chain=given.plain(name)),
        ),
        Step(
            say("on the node: see whether the kubelet could make it"),
            command=command("journalctl -u kubelet | grep -i iptables | tail -20"),
        ),
        Step(
            say("on the node: see whether bridges are filtered at all"),
            command=command("lsmod | grep -e br_netfilter -e ip_tables -e nf_tables"),
        ),
    )


def _look_at_modules(module: str = "") -> tuple[Step, ...]:
    look = (
        Step(
            say("on the node: load the module, and see whether the kernel has it"),
            command=command("modprobe {module}", module=given.plain(module)),
        )
        if module
        else Step(
            say("on the node: see which of its modules are loaded"),
            command=command("lsmod | grep -e ^xt_ -e ip_tables -e nf_tables -e ip_set"),
        )
    )
    return (
        look,
        Step(
            say(
                "where the kernel has it: have it loaded at each start (/etc/modules-load.d), and mount "
                "/lib/modules into the container that needs it; where not: install the kernel's package of "
                "extra modules, or a kernel built with it"
            ),
            where="source",
            verify=say("the rules are written without this error"),
        ),
    )


CAUSE = Cause(
    id="node.packet-filter-incomplete",
    title=say("the node lacks a part of the packet filter that a program needs"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
