"""The packet filter of a node."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class FilterChain(Record):
    """A chain of the table `filter`. policy: `ACCEPT` or `DROP` for a built-in chain, "" for others. rules:
    in the form of `iptables-save`, without `-A CHAIN`.
    """

    name: str
    policy: str = ""
    rules: tuple[str, ...] = ()


@record(kw_only=True)
class PacketFilter(NodeFact):
    """The chains reachable from FORWARD in the table `filter` of IPv4, with all their rules. about: the Node.

    Whole if no other rules can exist: rules of the kernel's legacy interface drop packets too, and the newer
    tool does not show them.

    Source: iptables-save(8), iptables-nft(8).
    """

    chains: tuple[FilterChain, ...]
    ask: ClassVar[str] = "iptables-save -t filter"

    def chain(self, name: str) -> FilterChain | None:
        """Return the chain of this name."""
        return next((c for c in self.chains if c.name == name), None)


def parse_target(rule: str) -> str:
    """Return the target of a rule: `ACCEPT`, `DROP`, another chain; "" if the rule only counts packets."""
    words = rule.split()
    places = [n for n, word in enumerate(words[:-1]) if word in ("-j", "-g")]
    return words[places[-1] + 1] if places else ""
