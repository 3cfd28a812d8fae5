"""The kubelet's own settings behind a shortage of its Node: what it keeps back, the thresholds from which on
it evicts, the number of Pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts, same_in_both
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.node_settings import NodeSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_amount, parse_quantity
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({NodeSettings, NodeShape})
# kubelet.config.k8s.io/v1beta1 and the flags of the same meaning (cmd/kubelet/app/options).
_FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "--system-reserved": "systemReserved",
        "--kube-reserved": "kubeReserved",
        "--eviction-hard": "evictionHard",
        "--eviction-soft": "evictionSoft",
        "--reserved-cpus": "reservedSystemCPUs",
        "--max-pods": "maxPods",
        "--pods-per-core": "podsPerCore",
        "--pod-max-pids": "podPidsLimit",
        "--seccomp-default": "seccompDefault",
        "--allowed-unsafe-sysctls": "allowedUnsafeSysctls",
        "--topology-manager-policy": "topologyManagerPolicy",
    }
)
_RESERVES = ("systemReserved", "kubeReserved")
# The thresholds that are kept back too, and the defaults: pkg/kubelet/apis/config/v1beta1/defaults_linux.go.
_SIGNALS: Mapping[str, str] = MappingProxyType(
    {"memory": "memory.available", "ephemeral-storage": "nodefs.available"}
)
_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "memory.available": "100Mi",
        "nodefs.available": "10%",
        "nodefs.inodesFree": "5%",
        "imagefs.available": "15%",
        "imagefs.inodesFree": "5%",
    }
)
_OF_PRESSURE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "disk": ("nodefs.", "imagefs.", "containerfs."),
        "memory": ("memory.", "allocatableMemory."),
        "pid": ("pid.",),
    }
)
# Limits of a count, which may be too low; the others may be too high.
_COUNTS = ("maxPods", "podsPerCore", "podPidsLimit")
_PODS, _PROCESSES = 110, 128
_HALF, _LARGE = 2, 30


@record()
class KubeletSetting(Record):
    """A setting of the kubelet. key: in a map, "" for a plain value. at: its file, or the command line."""

    name: str
    key: str
    value: str
    at: str

    @property
    def written(self) -> Text:
        """Return it as an operator would write it."""
        plain, of_map = f"{self.name}={self.value}", f"{self.name} {self.key}: {self.value}"
        return same_in_both(of_map if self.key else plain)


def list_settings(node: Ref, names: Sequence[str], snap: Facts) -> tuple[KubeletSetting, ...]:
    """Return the kubelet's settings with one of these names, one for each value of a map."""
    return tuple(_list_settings(node, names, snap))


def _list_settings(node: Ref, names: Sequence[str], snap: Facts) -> Iterator[KubeletSetting]:
    for fact in snap.of(NodeSettings, node):
        for item in fact.items if "kubelet" in fact.areas else ():
            name, _, key = _FLAGS.get(item.name, item.name).partition(".")
            if item.area != "kubelet" or name not in names:
                continue
            parts = item.value.split(",") if item.name in _FLAGS and not key else ()
            pairs = [part.replace("<", "=").partition("=") for part in parts]
            if pairs and all(sign for _, sign, _ in pairs):
                yield from (KubeletSetting(name, k.strip(), v.strip(), item.at) for k, _, v in pairs)
            else:
                yield KubeletSetting(name, key, item.value, item.at)


def tell_kept_back(node: Ref, resource: str, asked: int | None, snap: Facts, verify: Text) -> NodeWords:
    """Return what the kubelet keeps back of a resource, if that is why the Node offers too little of it.

    asked: the request; None if unknown.
    """
    if resource == "pods":
        return _tell_pods(node, snap, verify)
    shape = snap.one(NodeShape, node)
    if shape is None:
        want = Want(NodeShape, node)
        return NodeWords(wants=() if snap.answered(want) else (want,))
    offered, total = dict(shape.allocatable).get(resource, 0), dict(shape.kept_from).get(resource, 0)
    if not total or (asked is not None and asked > total):
        return NodeWords()
    says = say(
        "; Node {node} has {total} in all, of which its kubelet leaves {offered} to Pods",
        node=node.name,
        total=format_amount(resource, total),
        offered=format_amount(resource, offered),
    )
    want = Want(NodeSettings, node)
    keep = [s for s in list_settings(node, (*_RESERVES, "reservedSystemCPUs"), snap) if _keeps(s, resource)]
    signal, hard = _SIGNALS.get(resource, ""), list_settings(node, ("evictionHard",), snap)
    keep += [s for s in hard if s.key == signal and _is_high(s)]
    if not keep:
        return NodeWords(says, (), (shape,), () if snap.answered(want) else (want,))
    return _tell_settings(node, keep, says, (shape,), snap, verify)


def _keeps(setting: KubeletSetting, resource: str) -> bool:
    return setting.key == resource or (setting.name == "reservedSystemCPUs" and resource == "cpu")


def _tell_pods(node: Ref, snap: Facts, verify: Text) -> NodeWords:
    """Return the kubelet's limit of Pods, if it is lower than the default."""
    shape, want = snap.one(NodeShape, node), Want(NodeSettings, node)
    if shape is None:
        own = Want(NodeShape, node)
        return NodeWords(wants=() if snap.answered(own) else (own,))
    offered = dict(shape.allocatable).get("pods", _PODS)
    if offered * _HALF > _PODS:
        return NodeWords()
    keep = list_settings(node, ("maxPods", "podsPerCore"), snap)
    if not keep:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    return _tell_settings(node, keep, NO_TEXT, (shape,), snap, verify)


def tell_thresholds(node: Ref, pressure: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the thresholds of the kubelet for a pressure (`disk`, `memory`, `pid`) that are higher than the
    defaults.
    """
    want, signals = Want(NodeSettings, node), _OF_PRESSURE[pressure]
    high = [
        s
        for s in list_settings(node, ("evictionHard", "evictionSoft"), snap)
        if s.key.startswith(signals) and _is_high(s)
    ]
    if not high:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    return _tell_settings(node, high, NO_TEXT, (), snap, verify)


def _is_high(setting: KubeletSetting) -> bool:
    """Tell whether a threshold is at least twice the default: of shares in percent, of amounts in bytes."""
    default, value = _DEFAULTS.get(setting.key, ""), setting.value
    share, usual = _parse_share(value), _parse_share(default)
    if share is not None and usual is not None:
        return share >= _HALF * usual
    if share is not None:
        return share >= _LARGE
    amount, least = parse_quantity(value), parse_quantity(default) if default and usual is None else None
    return amount is not None and (least is None or amount >= _HALF * least)


def _parse_share(value: str) -> float | None:
    number = value.removesuffix("%")
    return float(number) if value.endswith("%") and number.replace(".", "", 1).isdecimal() else None


def tell_process_limit(node: Ref | None, snap: Facts, verify: Text) -> NodeWords:
    """Return the kubelet's limit of the processes of a Pod, if it is low."""
    if node is None or not node.name:
        return NodeWords()
    want = Want(NodeSettings, node)
    if not snap.of(NodeSettings, node):
        return NodeWords(wants=() if snap.answered(want) else (want,))
    found = list_settings(node, ("podPidsLimit",), snap)
    low = [s for s in found if s.value.isdecimal() and int(s.value) <= _PROCESSES]
    return _tell_settings(node, low, NO_TEXT, (), snap, verify) if low else NodeWords()


def tell_setting(node: Ref | None, name: str, snap: Facts) -> NodeWords:
    """Return the kubelet's value of a setting, or that its configuration does not have it."""
    if node is None or not node.name:
        return NodeWords()
    want = Want(NodeSettings, node)
    read = next((f for f in snap.of(NodeSettings, node) if "kubelet" in f.areas), None)
    if read is None:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    found = list_settings(node, (name,), snap)
    if found:
        return _tell_settings(node, found, NO_TEXT, (), snap, NO_TEXT)
    places = (i.at for i in read.items if i.area == "kubelet")
    at = next((at for at in places if at and not at.startswith("/proc/")), "")
    if not at:
        return NodeWords()
    return NodeWords(
        say("; {file} of Node {node} does not set {name}", file=at, node=node.name, name=name), (), (read,)
    )


def _tell_settings(
    node: Ref, found: Sequence[KubeletSetting], says: Text, seen: tuple[Fact, ...], snap: Facts, verify: Text
) -> NodeWords:
    at, name = found[0].at, node.name or ""
    read = next((f for f in snap.of(NodeSettings, node)), None)
    says += say(
        "; the kubelet of Node {node} has {settings} ({at})",
        node=name,
        settings=join_texts([one.written for one in found]),
        at=at,
    )
    defaults = [
        same_in_both(f"{one.key} {_DEFAULTS[one.key]}")
        for one in found
        if one.name.startswith("eviction") and one.key in _DEFAULTS
    ]
    says += say("; the default is {defaults}", defaults=join_texts(defaults)) if defaults else NO_TEXT
    few = found[0].name in _COUNTS
    steps = (
        Step(
            say(
                "if Node {node} can run more: raise {settings} in {at}, and restart the kubelet there, "
                "which reads it at its start; its Pods run on",
                node=name,
                settings=join_texts([same_in_both(o.name) for o in found]),
                at=at,
            )
            if few
            else say(
                "if that is more than Node {node} needs: lower {settings} in {at}, compare it with a Node of "
                "the same size, and restart the kubelet there, which reads it at its start; its Pods run on",
                node=name,
                settings=join_texts([same_in_both(f"{o.name} {o.key}".strip()) for o in found]),
                at=at,
            ),
            where=place_on_node(name),
            command=command("grep -nE -A4 {names} {at}", names=given.plain(found[0].name), at=given.path(at)),
            verify=verify,
        ),
    )
    mended = verify.en and not at.startswith("/proc/")
    return NodeWords(says, steps if mended else (), (*seen, *((read,) if read else ())))
