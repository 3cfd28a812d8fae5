"""The settings of the kernel that a refused call depends on, as the Pod's processes meet them on their
Node.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes import _node_config
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import tell_config
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, join_texts
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_processes import PodSysctls
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, Placement, PodSysctls}) | _node_config.READS
PORT_START = "net.ipv4.ip_unprivileged_port_start"
NO_IPV6 = "net.ipv6.conf.all.disable_ipv6"
_NO_ADDRESS = r"(?i:cannot assign requested address|address not available|EADDRNOTAVAIL)"
# A port may follow without brackets, and a scope of Ruby or C++ is no address.
_HEX = r"[0-9a-fA-F]{1,4}"
_IPV6 = (
    rf"(?<![\w:.])(?:(?:{_HEX}(?::{_HEX}){{0,6}})?::(?:{_HEX}(?::{_HEX}){{0,6}}(?::\d{{1,5}})?)?"
    rf"|{_HEX}(?::{_HEX}){{7}})(?!\w)"
)
_IPV4 = r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"


@record()
class _Dependence(Record):
    """The message of a refused call, and the settings that it depends on. Sources: sysctl documentation of
    Linux, man pages of the calls. refuses: the value of the first one with which the call is refused, "" if
    several do; with another value it is not this setting. names: the line names such an address.
    """

    words: str
    settings: tuple[str, ...]
    refuses: str = ""
    names: str = ""


_DEPENDENCES = (
    _Dependence(r"(?i)\b(?:bind|listen)[^\n]{0,120}(?:permission denied|EACCES)", (PORT_START,)),
    _Dependence(
        r"(?i)\b(?:icmp|ping)\b[^\n]{0,120}(?:permission denied|operation not permitted|EACCES|EPERM)",
        ("net.ipv4.ping_group_range",),
    ),
    _Dependence(
        r"(?i)inotify|file watchers|fsnotify",
        ("fs.inotify.max_user_instances", "fs.inotify.max_user_watches"),
    ),
    _Dependence(
        r"(?i)perf_event_open[^\n]{0,120}(?:denied|not permitted|EACCES|EPERM)",
        ("kernel.perf_event_paranoid",),
    ),
    _Dependence(
        r"(?i)\bbpf\b[^\n]{0,120}(?:denied|not permitted|EACCES|EPERM)", ("kernel.unprivileged_bpf_disabled",)
    ),
    _Dependence(
        r"(?i)(?:unshare|clone|user namespace)[^\n]{0,120}(?:no space left|ENOSPC|not permitted|EPERM)",
        ("user.max_user_namespaces",),
    ),
    _Dependence(_NO_ADDRESS, (NO_IPV6,), refuses="1", names=_IPV6),
    _Dependence(
        rf"(?i)\b(?:connect|dial)[^\n]{{0,200}}(?:{_NO_ADDRESS})",
        ("net.ipv4.ip_local_port_range",),
        names=_IPV4,
    ),
    _Dependence(_NO_ADDRESS, ("net.ipv4.ip_nonlocal_bind",), refuses="0", names=_IPV4),
    _Dependence(r"(?i)address family not supported|EAFNOSUPPORT", (NO_IPV6,), refuses="1"),
    _Dependence(
        r"(?i)\b(?:mmap|map)\b[^\n]{0,80}(?:failed|cannot allocate memory|ENOMEM)|max_map_count",
        ("vm.max_map_count",),
    ),
    _Dependence(r"(?i)\bio_setup\b|\baio\b[^\n]{0,80}(?:EAGAIN|temporarily unavailable)", ("fs.aio-max-nr",)),
    _Dependence(r"(?i)too many open files in system|\bENFILE\b", ("fs.file-max",)),
    _Dependence(r"(?i)(?:add_key|keyctl|keyring)[^\n]{0,80}(?:quota|EDQUOT)", ("kernel.keys.maxkeys",)),
    _Dependence(r"(?i)\bmlock(?:all)?\b", ("vm.overcommit_memory",)),
)
_MATCHES = tuple((regex(d.words), regex(d.names), d) for d in _DEPENDENCES)


def _find_dependence(lines: str) -> _Dependence | None:
    """Return the first dependence that one of the lines shows."""
    return next(
        (
            dependence
            for words, names, dependence in _MATCHES
            for line in lines.splitlines()
            if words.search(line) and names.search(line)
        ),
        None,
    )


def find_setting(pod: Ref, name: str, snap: Facts) -> str:
    """Return a setting as the Pod's processes meet it, "" where that was not seen."""
    return next((value for f in snap.of(PodSysctls, pod) for key, value in f.items if key == name), "")


def tell_settings(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the settings that a refused call depends on, with their values; empty if it depends on none."""
    dependence, node = _find_dependence(line), find_node_of_pod(pod, snap)
    if dependence is None:
        return NodeWords()
    names = dependence.settings
    if node is None or not node.name:
        return NodeWords(wants=(Want(Placement, pod),))
    want = Want(PodSysctls, pod)
    seen = snap.one(PodSysctls, pod)
    has = [(name, value) for name in names if (value := find_setting(pod, name, snap))]
    if seen is None or not has:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    told = join_texts(say("{name} is {value}", name=name, value=value) for name, value in has)
    port = _find_port(pod, container, snap) if names == (PORT_START,) else 0
    start = has[0][1]
    if names == (PORT_START,) and not (start.isdigit() and port < int(start)):
        # It is not this setting that refuses the port.
        return NodeWords()
    if dependence.refuses not in ("", start):
        return NodeWords()
    says = say("; on Node {node} {told}", node=node.name, told=told)
    if names == (NO_IPV6,):
        return _add_source(
            NodeWords(says, _allow_ipv6(node.name, verify), (seen,)), node, names, snap, verify
        )
    wants = () if snap.of(Containers, pod) else (Want(Containers, pod),)
    return _add_source(
        NodeWords(says, (_compare(node.name, names[0], verify),), (seen,), wants, decides=bool(port)),
        node,
        names,
        snap,
        verify,
    )


def _add_source(told: NodeWords, node: Ref, names: tuple[str, ...], snap: Facts, verify: Text) -> NodeWords:
    """Return the text about settings with the file of the Node that sets them."""
    set_by = tell_config(node, names, snap, verify)
    return replace(
        told,
        says=told.says + set_by.says,
        help=(*set_by.help, *told.help),
        seen=(*told.seen, *set_by.seen),
        wants=(*told.wants, *set_by.wants),
    )


def _find_port(pod: Ref, container: str | None, snap: Facts) -> int:
    spec = find_container_spec(pod, container, snap)
    low = [number for _, number in spec.ports if number] if spec and spec.user else []
    return min(low, default=0)


def _compare(node: str, name: str, verify: Text) -> Step:
    return Step(
        say(
            "compare it with a Node where the same Pod works; if this Node should have the same value, set"
            " {name} here, too, and in /etc/sysctl.d",
            name=name,
        ),
        where=place_on_node(node),
        command=command("sysctl {name}", name=given.plain(name)),
        verify=verify,
    )


def _allow_ipv6(node: str, verify: Text) -> tuple[Step, ...]:
    find = command("grep -rs disable_ipv6 /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d")
    return (
        Step(
            say("Node {node} has IPv6 off: see which file sets {name}", node=node, name=NO_IPV6),
            where=place_on_node(node),
            command=find,
        ),
        Step(
            say(
                "remove the IPv6 address from the program's settings, or enable IPv6 again on Node {node}:"
                " set {name} to 0, in that file and with sysctl",
                node=node,
                name=NO_IPV6,
            ),
            verify=verify,
        ),
    )
