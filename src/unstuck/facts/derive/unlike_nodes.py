"""Compares the settings of two nodes of one kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.facts.aspects.node_settings import NodeSetting, NodeSettings, SettingArea
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_ADDRESS = regex(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_OWN = "its own address"
# Set by the kernel from the machine's size, and addresses that each node has of its own.
_BY_SIZE = frozenset(
    (
        *("fs.file-max", "kernel.pid_max", "kernel.threads-max", "net.ipv4.tcp_max_syn_backlog"),
        *("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.netfilter.nf_conntrack_max", "vm.min_free_kbytes"),
        *("user.max_user_namespaces", "user.max_mnt_namespaces", "user.max_net_namespaces"),
        *("user.max_pid_namespaces", "fs.inotify.max_user_watches", "user.max_inotify_watches"),
    )
)


@record()
class Difference(Record):
    """A setting that two nodes do not share. here, there: the values, None where a node has no such
    setting; of an item of a list "" where it has it. at: where the node that has it shows it.
    """

    area: SettingArea
    name: str
    here: str | None
    there: str | None
    at: str = ""


def list_differences(here: NodeSettings, there: NodeSettings) -> tuple[Difference, ...]:
    """Return the settings of one node that another node does not share, in the order of the first.

    A setting that only one node has counts if its area was read to the end on the other. Settings that
    follow from the size of the machine or from a node's own addresses do not count.
    """
    return tuple(_compare(here, there))


def _list_addresses(settings: NodeSettings) -> set[str]:
    return {item.name for item in settings.items if item.area == "address"}


def _index(settings: NodeSettings, own: set[str]) -> Mapping[tuple[SettingArea, str], NodeSetting]:
    return {(item.area, _generalise(item.name, own)): item for item in settings.items}


def _generalise(text: str, own: set[str]) -> str:
    """Return the text with a node's own addresses as one word, for the same text of another node."""
    return _ADDRESS.sub(lambda m: _OWN if m[0] in own else m[0], text)


def _compare(here: NodeSettings, there: NodeSettings) -> Iterator[Difference]:
    own_here, own_there = _list_addresses(here), _list_addresses(there)
    one, two = _index(here, own_here), _index(there, own_there)
    for key, item in one.items():
        other = two.get(key)
        if item.name in _BY_SIZE or (other is None and item.area not in there.areas):
            continue
        if other is None:
            yield Difference(item.area, item.name, item.value, None, item.at)
        elif item.area != "address" and _generalise(item.value, own_here) != _generalise(
            other.value, own_there
        ):
            yield Difference(item.area, item.name, item.value, other.value, item.at)
    for key, item in two.items():
        if key not in one and item.area in here.areas and item.name not in _BY_SIZE:
            yield Difference(item.area, item.name, None, item.value, item.at)
