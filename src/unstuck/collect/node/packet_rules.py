"""Follows the first packet to a port through the rules of iptables-save, as far as their matches can be
evaluated.

Source: iptables(8), iptables-extensions(8); Linux net/ipv4/netfilter (the order of the tables at each hook).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network

from unstuck.facts.aspects.packet_way import PortRule
from unstuck.facts.record import Record, record

# At each hook, the tables in the order of being asked.
_HOOKS: Mapping[str, tuple[str, ...]] = {
    "PREROUTING": ("raw", "mangle", "nat"),
    "INPUT": ("mangle", "filter"),
    "FORWARD": ("mangle", "filter"),
    "OUTPUT": ("raw", "mangle", "nat", "filter"),
}
_ENDS = ("DROP", "REJECT", "DNAT", "REDIRECT", "TPROXY")
# Chains written by kube-proxy and network add-ons: their handling of a Service's address is intended, and is
# explained by the objects.
OWNED = (
    "KUBE-",
    "CNI-",
    "cali-",
    "CILIUM_",
    "OLD_CILIUM_",
    "FLANNEL-",
    "WEAVE",
    "AZURE-NPM",
    "ANTREA-",
    "ISTIO_",
)
_DEEPEST = 12
_MOST = 20
# Match modules whose result is known for the first packet to a port, or that do not restrict it.
_HARMLESS = ("tcp", "udp", "comment", "multiport", "conntrack", "state")
# Match modules that depend on the sender or the moment: a rule with the port or the address may be meant for
# it.
_BY_CHANCE = ("owner", "limit", "hashlimit", "connlimit", "recent", "time", "set", "string", "statistic")
_NEW = ("NEW", "UNTRACKED")
# Numbers of protocols: IANA.
_NUMBERS = {"tcp": "6", "udp": "17"}


@record()
class Chain(Record):
    """A chain of a table. policy: of a built-in chain, else ""."""

    policy: str
    rules: tuple[str, ...]


Tables = Mapping[str, Mapping[str, Chain]]


def parse_tables(lines: Iterable[str]) -> dict[str, dict[str, Chain]]:
    """Return the chains of each table that ends with COMMIT; chains of network add-ons are left out."""
    out: dict[str, dict[str, Chain]] = {}
    policies: dict[str, str] = {}
    rules: dict[str, list[str]] = {}
    table = ""
    for line in lines:
        if line.startswith("*"):
            table, policies, rules = line[1:].strip(), {}, {}
        elif line.startswith(":") and table:
            name, policy, *_ = (*line[1:].split(), "", "")
            if not name.startswith(OWNED):
                policies[name] = "" if policy == "-" else policy
        elif line.startswith("-A ") and table:
            name, _, rule = line[3:].strip().partition(" ")
            if name in policies:
                rules.setdefault(name, []).append(rule)
        elif line.strip() == "COMMIT" and table:
            out[table] = {
                name: Chain(policy, tuple(rules.get(name, ()))) for name, policy in policies.items()
            }
            table = ""
    return out


def find_rules(tables: Tables, address: str, port: int, protocol: str = "tcp") -> tuple[PortRule, ...]:
    """Return the rules that end or turn the first packet to a port, in the order of the hooks. address: ""
    where it is not known. protocol: `tcp` or `udp`.
    """
    packet = _Packet(IPv4Address(address) if address else None, port, protocol)
    out: list[PortRule] = []
    for hook, names in _HOOKS.items():
        for name in names:
            if chain := tables.get(name, {}).get(hook):
                _Passage(tables[name], name, hook, packet, out).through(chain)
    return tuple(dict.fromkeys(out))[:_MOST]


@record()
class _Packet(Record):
    address: IPv4Address | None
    port: int
    protocol: str


@record()
class _RuleMatch(Record):
    """Whether a rule matches: None if that depends on unknown data. named: it names the port, or a range of
    the address.

    place: the unknown data are only the packet's sender, its interfaces and the moment.
    """

    value: bool | None
    named: bool = False
    place: bool = True


class _Passage:
    """One table's rules at one hook."""

    def __init__(
        self, chains: Mapping[str, Chain], table: str, hook: str, packet: _Packet, out: list[PortRule]
    ) -> None:
        self.chains, self.table, self.hook, self.packet, self.out = chains, table, hook, packet, out
        # Whether an earlier rule may have accepted the packet already.
        self.open = False

    def through(self, chain: Chain) -> None:
        """Follow the packet through a chain of the kernel's own."""
        if not self._chain(self.hook, True, False, 0) and chain.policy == "DROP" and not self.open:
            self._add(self.hook, "-P DROP", "DROP", True)

    def _chain(self, name: str, sure: bool, named: bool, depth: int) -> bool:
        """Return whether its way ends there."""
        chain = self.chains.get(name)
        if chain is None or depth > _DEEPEST:
            self.open = True
            return False
        for rule in chain.rules:
            match = _match_rule(rule, self.packet)
            target = _target(rule)
            if match.value is False or not target:
                continue
            yes = match.value is True and sure
            by_name = named or match.named
            if target in _ENDS:
                if yes or (by_name and match.place):
                    self._add(name, rule, target, yes and not self.open)
                if yes:
                    return True
            elif target in ("ACCEPT", "RETURN"):
                if match.value is True:
                    return target == "ACCEPT" and sure
                self.open = self.open or target == "ACCEPT"
            elif target in self.chains and self._chain(target, yes, by_name, depth + 1):
                return True
        return False

    def _add(self, chain: str, rule: str, target: str, sure: bool) -> None:
        self.out.append(PortRule(self.hook, self.table, chain, rule, target, sure))


def _target(rule: str) -> str:
    words = rule.split()
    places = [n for n, word in enumerate(words[:-1]) if word in ("-j", "-g")]
    return words[places[-1] + 1] if places else ""


def _match_rule(rule: str, packet: _Packet) -> _RuleMatch:
    """Tell whether a rule matches the first packet to an address and port."""
    try:
        words = shlex.split(rule)
    except ValueError:
        return _RuleMatch(None, place=False)
    value: bool | None = True
    named, place, negated = False, True, False
    at = 0
    while at < len(words):
        word, what = words[at], words[at + 1] if at + 1 < len(words) else ""
        if word in ("-j", "-g"):
            break
        at += 1 if word == "!" else 2
        if word == "!":
            negated = True
            continue
        told = _one(word, what, packet)
        if told is None:
            value = None if value is not False else False
            place = place and (word in ("-s", "-i", "-o", "--uid-owner", "--gid-owner") or what in _BY_CHANCE)
        elif told == negated:
            return _RuleMatch(False)
        named = named or (word in ("--dport", "--dports", "-d") and not negated)
        negated = False
    return _RuleMatch(value, named, place)


def _one(word: str, what: str, packet: _Packet) -> bool | None:
    """Tell whether one condition is met; None if unknown."""
    address = packet.address
    if word == "-p":
        return what in (packet.protocol, _NUMBERS[packet.protocol], "all", "0")
    if word == "-d":
        return _in_range(address, what) if address else None
    if word in ("--dport", "--dports"):
        return any(_in_ports(packet.port, part) for part in what.split(","))
    if word in ("--ctstate", "--state"):
        return any(state in _NEW for state in what.split(","))
    if word == "-m":
        return True if what in _HARMLESS else None
    if word == "-o" and what == "lo":
        return address is not None and address.is_loopback
    if word == "--dst-type" and what == "LOCAL":
        # The owner of the address is unknown here: published ports of the node itself are out of scope.
        return False
    return True if word == "--comment" else None


def _in_range(address: IPv4Address, text: str) -> bool | None:
    try:
        return address in IPv4Network(text, strict=False)
    except ValueError:
        return None


def _in_ports(port: int, text: str) -> bool:
    low, found, high = text.partition(":")
    if not (low or "0").isdecimal() or not (high or "0").isdecimal():
        return False
    return int(low or 0) <= port <= (int(high or 65535) if found else int(low or 0))
