"""A Node does not answer pings, although it is healthy

## How it happens

A hardening role sets `net.ipv4.icmp_echo_ignore_all` on a node, or a rule of its packet filter drops ICMP
echo requests. Everything else works, but whoever pings the node (keepalived, pacemaker, a blackbox exporter,
a start script) takes it for dead.

## How to tell

The program's last lines report a ping without a reply and name an address of a Node. On that node the sysctl
is 1 (proven), or a rule drops or rejects ICMP before it gets to the node's own system (likely: it may be for
other senders).

## Known limits

Pings of Pods are not followed, nor is IPv6. Rules of nft alone are not seen.

## References

- Linux Documentation/networking/ip-sysctl.rst (`icmp_echo_ignore_all`); iptables-extensions(8), icmp
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes import _node_config
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes.container._ends import name_container
from unstuck.causes.program._told import STAGES
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.objects_named import find_address_of_host
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_settings import NodeSetting, NodeSettings
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.services import AddressHolders
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import make_container_ref, make_program_ref, place_of_containers
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_SETTING = "net.ipv4.icmp_echo_ignore_all"
_UNANSWERED = regex(
    r"(?i)no (?:echo |ping |icmp )?(?:reply|response|answer)|100(?:\.0)?% packet loss"
    r"|\b0 (?:packets )?received"
    r"|\b(?:ping|icmp|echo)\b.{0,80}(?:fail|timed? ?out|time-?out|unreachable|unanswered|lost|no reply)"
)
_PINGED = regex(r"(?i)\bping|\bicmp|\becho\b|packet loss|packets transmitted")
_ADDRESS = regex(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_ENDS = regex(r"-A (?:INPUT|PREROUTING)\b.*-p icmp\b.*-j (?:DROP|REJECT)")
_OTHER_TYPE = regex(r"--icmp-type (?!8\b|echo-request|any)")
_LAST, _MOST = 12, 4
_QUOTED = 200


@record()
class _Said(Record):
    """A line that reports a ping without a reply."""

    container: str
    line: str
    address: Ref


@record()
class _Silent(Record):
    """A Node that answers no ping, and the setting or rule."""

    said: _Said
    node: Ref
    by: NodeSetting


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = _find_words(pod, snap)
    silent = _find(said, snap) if said.value else Sign[_Silent](None)
    off = tuple(s for s in silent.hits if s.by.area == "sysctl")
    rules: Sign[_Silent] = Sign(True if silent.hits else None, silent.hits, silent.seen)
    proof: Sign[_Silent] = (
        Sign(True, off, silent.seen)
        if off
        else Sign(None if silent.hits else silent.value, seen=silent.seen, wants=silent.wants)
    )
    return Signs(
        necessary={"a ping of the program got no reply": said},
        decisive={"the Node answers no ping": proof},
        supporting={"a rule of the Node drops pings": rules},
        finding=lambda: _make_finding(pod, (*off, *silent.hits)[0], snap),
    )


def _find_words(pod: Ref, snap: Facts) -> Sign[_Said]:
    logs = [f for f in snap.every(LastLines) if f.about.within == place_of_containers(pod)]
    hits = unique(said for f in logs for said in _list_words(f))[:_MOST]
    return Sign(True if hits else False if logs else None, hits, tuple(logs))


def _list_words(f: LastLines) -> Iterator[_Said]:
    for line in f.lines[-_LAST:]:
        if _UNANSWERED.search(line) and _PINGED.search(line):
            for found in _ADDRESS.finditer(line):
                if address := find_address_of_host(found[0]):
                    yield _Said(f.about.name or "", line, address)


def _find(said: Sign[_Said], snap: Facts) -> Sign[_Silent]:
    hits, seen, wants, covered = list[_Silent](), list[Fact](), list[Want](), True
    for one in said.hits:
        held = snap.one(AddressHolders, one.address)
        want = Want(AddressHolders, one.address)
        wants += () if held or snap.answered(want) else (want,)
        covered = covered and held is not None
        for node in held.nodes if held else ():
            asked = Want(NodeSettings, node)
            settings = snap.one(NodeSettings, node)
            wants += () if settings or snap.answered(asked) else (asked,)
            covered = covered and settings is not None and {"sysctl", "filter"} <= set(settings.areas)
            if settings:
                seen.append(settings)
                hits += (_Silent(one, node, item) for item in settings.items if _silences(item))
    if hits:
        return Sign(True, tuple(hits), unique((*said.seen, *seen)))
    return Sign(False if covered else None, seen=tuple(seen), wants=unique(wants))


def _silences(item: NodeSetting) -> bool:
    if item.area == "sysctl":
        return item.name == _SETTING and item.value == "1"
    ends = item.area == "filter" and _ENDS.search(item.name)
    return bool(ends) and not _OTHER_TYPE.search(item.name)


def _make_finding(pod: Ref, one: _Silent, snap: Facts) -> Finding:
    node, address = one.node.name or "NODE", one.said.address.name or ""
    where, whose = place_on_node(one.node.name), name_container(one.said.container or None)
    answered = say("a ping of {address} is answered", address=address)
    if one.by.area == "sysctl":
        says = say(
            "{whose} gets no reply to its ping of {address} because {setting} is 1 on Node {node}: it "
            "answers no pings, but is healthy otherwise",
            whose=whose,
            address=address,
            setting=_SETTING,
            node=node,
        )
        see = command("sysctl {name}", name=given.plain(_SETTING))
        change = say(
            "set {setting} to 0 there, with sysctl and in the file that sets it; or let the program check a "
            "TCP port of the node in place of a ping",
            setting=_SETTING,
        )
    else:
        says = say(
            "{whose} gets no reply to its ping of {address}: Node {node} has the rule “{rule}”",
            whose=whose,
            address=address,
            node=node,
            rule=one.by.name[:_QUOTED],
        )
        see = command("iptables-save")
        change = say(
            "remove the rule there and at its source, or let pings of the cluster's own addresses through"
        )
    finding = Finding(
        says,
        culprit=Ref("Setting", node, one.by.name[:_QUOTED]),
        blocks=(
            make_program_ref(pod, one.said.container),
            make_container_ref(pod, one.said.container or None),
            pod,
        ),
        help=(
            Step(say("see it there"), where=where, command=see),
            Step(change, where=where, verify=answered),
        ),
        do_not=(
            DoNot(
                say("restart or replace the node"),
                say("it is healthy: only its replies to pings are missing"),
            ),
        ),
    )
    told = tell_config(one.node, (_SETTING,), snap, answered) if one.by.area == "sysctl" else None
    return add_node_words(finding, told) if told else finding


CAUSE = Cause(
    id="network.echo-unanswered",
    title=say("a node does not answer pings, although it is healthy"),
    subjects=("Pod",),
    stages=STAGES,
    reads=_node_config.READS | {AddressHolders, LastLines, NodeSettings},
    rule=_rule,
)
