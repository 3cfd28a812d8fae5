"""Where a program gets the address that it could not reach: the variable, or the key of a ConfigMap, that has
this host in its value.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes._variables import find_settings, list_whole_objects
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts
from unstuck.facts.aspects.objects import KeyAddress, Keys
from unstuck.facts.aspects.pod import Complaint, Needs, Volumes
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Keys, Needs, PodSettings, Volumes})
_CONFIG_MAP = "ConfigMap"
_SHOWN, _MOST = 3, 4
_PROXY = regex(r"(?i)^(?:https?|all|ftp)_?proxy$")


@record()
class AddressSource(Record):
    """The place where an address is configured. says: a clause, empty if it was not found. place: in a
    sentence. proxy: the address is a proxy's, through which others are reached.
    """

    says: Text = NO_TEXT
    place: Text = NO_TEXT
    proxy: bool = False
    wants: tuple[Want, ...] = ()


def find_address_source(
    pod: Ref, container: str | None, said: Complaint, snap: Facts, also: tuple[str, ...] = ()
) -> AddressSource:
    """Return the container's source of the host that this message names. also: other names of that host."""
    held = find_settings(pod, container, snap)
    if not said.name or pod.kind != "Pod" or held is None:
        return AddressSource()
    maps = unique(_list_maps(pod, held, snap))[:_MOST]
    wants = tuple(Want(Keys, ref) for ref in maps if not snap.of(Keys, ref))
    hosts = (said.name, *also)
    places = unique(_list_places(held, maps, hosts, said.port, snap))
    if not places:
        return AddressSource(wants=wants)
    where = join_texts(text for text, _ in places[:_SHOWN])
    return AddressSource(
        say("; this address stands in {where}", where=where),
        where,
        any(proxy for _, proxy in places),
        wants,
    )


def _list_maps(pod: Ref, held: ContainerSettings, snap: Facts) -> Iterator[Ref]:
    yield from (v.object for v in held.variables if v.object.kind == _CONFIG_MAP)
    yield from (ref for ref in list_whole_objects(pod, held.name, snap) if ref.kind == _CONFIG_MAP)
    for v in snap.of(Volumes, pod):
        yield from (Ref(_CONFIG_MAP, pod.within, i.what) for i in v.items if i.type == "configMap" and i.what)


def _list_places(
    held: ContainerSettings, maps: tuple[Ref, ...], hosts: tuple[str, ...], port: int, snap: Facts
) -> Iterator[tuple[Text, bool]]:
    """Yield each place with the address, the container's own variables first, and whether it is a proxy's."""
    for one in held.addresses:
        if _is_meant(one, hosts, port):
            yield say("variable {name}", name=one.key), _PROXY.match(one.key) is not None
    named = {(v.object, v.key): v.name for v in held.variables}
    for ref in maps:
        for one in (a for f in snap.of(Keys, ref) for a in f.addresses if _is_meant(a, hosts, port)):
            variable = named.get((ref, one.key), "")
            place = say("key {key} of ConfigMap {map}", key=one.key, map=ref.name)
            proxy = _PROXY.match(variable or one.key) is not None
            yield (say("{place} (variable {name})", place=place, name=variable) if variable else place), proxy


def _is_meant(one: KeyAddress, hosts: tuple[str, ...], port: int) -> bool:
    """Tell whether the message is about this address: the same host, and no other port."""
    host = one.host.lower().strip("[]")
    names = [h.lower().strip("[]").rstrip(".") for h in hosts]
    same = any(host == name or name.startswith(f"{host}.") for name in names)
    return same and (not one.port or not port or one.port == port)
