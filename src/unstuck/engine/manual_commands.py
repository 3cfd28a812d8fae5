"""The command by which a person obtains the fact of a Want, and the node on which to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, Words, command, list_slots
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# The object's own YAML, for facts without a better command.
ASK = "kubectl get {object} {space} -o yaml"


@record()
class _TemplateNames(Record):
    """The names that a template may use. about: as in the Want, for a list the kind of its items. pod: for
    a Container its Pod.
    """

    about: Ref
    pod: Ref
    node: Ref | None


def spell(want: Want, snap: Snapshot) -> Command:
    """Return the fact's `ask` with the subject's names filled in; no command if one of them is not a valid
    name.
    """
    about = snap.canon(want.about)
    return _fill_template(want.fact.ask or ASK, about, find_node_of_want(want, snap))


# Most of a subject's questions are asked with the same few templates.
@lru_cache(4096)
def _fill_template(template: str, about: Ref, node: Ref | None) -> Command:
    asked = _TemplateNames(
        Ref(about.kind.removesuffix("List"), about.within, about.name, about.uid), _find_pod(about), node
    )
    return command(template, **{name: SLOTS[name](asked) for name in list_slots(template)})


def find_node_of_want(want: Want, snap: Snapshot) -> Ref | None:
    """Return the node to ask for node evidence: the Node itself, the Pod's Node, or the node that holds
    the file or mount.
    """
    about = snap.canon(want.about)
    if want.fact.cost == "api":
        return None
    if about.kind == "Node":
        return about
    if about.kind == "Pod":
        return find_node_of_pod(about, snap)
    if about.kind == "Container":
        namespace, _, pod = (about.within or "").rpartition("/")
        return find_node_of_pod(Ref("Pod", namespace or None, pod), snap)
    return Ref("Node", None, about.within) if about.within else None


def _find_pod(about: Ref) -> Ref:
    if about.kind != "Container":
        return about
    namespace, _, pod = (about.within or "").rpartition("/")
    return Ref("Pod", namespace or None, pod or None)


SLOTS: Mapping[str, Callable[[_TemplateNames], Words]] = MappingProxyType(
    {
        "object": lambda a: given.of(a.about),
        "type": lambda a: given.kind_of(a.about.kind),
        "name": lambda a: given.bare(a.about.kind, a.about.name),
        "space": lambda a: given.space(a.pod),
        "pod": lambda a: given.obj("pod", a.pod.name),
        "container": lambda a: given.container(a.about.name),
        "uid": lambda a: given.uid(a.about.uid),
        "node": lambda a: given.bare("Node", a.node.name if a.node else None),
        "path": lambda a: given.path(a.about.name or ""),
        "unit": lambda a: given.unit(a.about.name or ""),
        "host": lambda a: given.host(a.about.within or "REGISTRY"),
        "repository": lambda a: given.image(a.about.name or "NAME"),
    }
)
