"""Redacts a node's facts for a user who may see one Pod: they get the facts of that Pod and nothing that
identifies other tenants.

A process of another Pod keeps its pid, command and state and becomes "another Pod (hidden)". A fact type that
is not declared for tenants is kept only if it is about the Pod itself. Facts that are left out become a
Refused, so that their absence proves nothing. A text that names another tenant, or a part of a Pod without
naming this Pod, is left out as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from unstuck.agent.foreign_names import LineFilter, names_of_others
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.facts.aspects.host import Proc, WaitingMount, WaitingMounts
from unstuck.facts.aspects.kubelet import KubeletEndpoints
from unstuck.facts.aspects.space import DiskSpace
from unstuck.facts.core import Fact, Ref, Refused, Source, find_refs
from unstuck.facts.record import Record, list_field_names

HIDDEN = "another Pod (hidden)"
# Facts of the node itself, of no tenant. KubeletEndpoints is the agent's own observation of the kubelet.
_OF_NODE = (
    Refused,
    KubeletEndpoints,
    *(o.fact for o in NODE_OBSERVABLES if o.tenants == "all" and "Node" in o.readers),
)
_OF_OTHER = tuple(
    o.fact for o in NODE_OBSERVABLES if o.tenants == "all" and o.readers.keys() - {"Node", "Pod"}
)


def redact_for_tenant(facts: Iterable[Fact], pod: Ref) -> Iterator[Fact]:
    """Yield the facts that the tenant may see, redacted; idempotent. pod: with namespace, name and uid,
    all verified.
    """
    view = _Tenant(pod)
    left_out: dict[str, Ref] = {}
    for fact in facts:
        view.lines.learn(_list_foreign_names(fact, pod))
        if redacted := view.redact(fact):
            yield redacted
        else:
            left_out.setdefault(type(fact).__name__, fact.about)
    node = next((a for a in left_out.values() if a.kind == "Node"), None)
    for name in sorted(left_out) if node else ():
        yield Refused(
            about=node or pod,
            src=Source(f"node:{node.name if node else ''}"),
            want=name,
            why="denied",
            detail="who asks about one Pod is told of that Pod only",
        )


def _list_foreign_names(fact: Fact, pod: Ref) -> Iterator[str]:
    """Yield the names in a fact that the fact itself shows to be other tenants'."""
    for ref in find_refs(fact):
        if ref.kind == "Pod" and (ref.within, ref.name) != (pod.within, pod.name):
            yield from filter(None, (ref.within, ref.name))
    for text in _list_texts(fact):
        yield from names_of_others(text, pod)


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _list_texts(item)
    elif isinstance(value, Record):
        for name in list_field_names(type(value)):
            yield from _list_texts(getattr(value, name))


class _Tenant:
    """pod: the one Pod of the tenant."""

    def __init__(self, pod: Ref) -> None:
        self.pod = pod
        self.uid = pod.uid or ""
        self.lines = LineFilter(pod)
        # Whether the fact at hand says that it is about the Pod.
        self._about_own = False

    def redact(self, fact: Fact) -> Fact | None:
        """Return the fact without other tenants, None if the tenant may not see any of it."""
        if fact.about.kind == "Pod":
            if fact.about.uid != self.uid and not (isinstance(fact, Refused) and fact.about.uid is None):
                return None
        elif fact.about.kind == "Node":
            if not isinstance(fact, _OF_NODE):
                return None
        elif fact.about.kind == "Container":
            if fact.about.within != f"{self.pod.within}/{self.pod.name}":
                return None
        elif not isinstance(fact, _OF_OTHER) or (
            fact.about.kind == "Mount" and not self.owns(fact.about.name or "")
        ):
            return None
        # The directories that fill a file system may belong to another tenant.
        fact = replace(fact, largest=()) if isinstance(fact, DiskSpace) else fact
        self._about_own = any(
            map(self.lines.names_own, _list_texts((fact.src.quote, getattr(fact, "message", ""))))
        )
        hidden: Fact = self.hide(fact)
        return hidden

    def owns(self, path: str) -> bool:
        """Tell whether a path is in the Pod's directory."""
        return f"/pods/{self.uid}/" in path + "/"

    def hide(self, value: Any) -> Any:
        """Return the same value with everybody else hidden."""
        if isinstance(value, str):
            return self._hide_text(value)
        if isinstance(value, tuple):
            return tuple(self.hide(v) for v in value)
        if isinstance(value, Ref):
            return self._hide_ref(value)
        if isinstance(value, Proc) and value.pod not in (None, self.uid):
            return Proc(
                pid=value.pid,
                comm=value.comm,
                state=value.state,
                pod=HIDDEN,
                stuck_threads=value.stuck_threads,
            )
        if isinstance(value, WaitingMount) and not self._is_own(value):
            pods = (HIDDEN,) if value.pods else ()
            return replace(value, source="", mountpoints=(), pods=pods)
        if is_dataclass(value) and not isinstance(value, type):
            changed = {
                f.name: new
                for f in fields(value)
                if (new := self.hide(old := getattr(value, f.name))) is not old
            }
            value = replace(value, **changed) if changed else value
            # The quote of the worst mount may belong to another tenant.
            return (
                replace(value, src=replace(value.src, quote=""))
                if isinstance(value, WaitingMounts)
                else value
            )
        return value

    def _hide_ref(self, ref: Ref) -> Ref:
        if ref.kind != "Pod":
            parts = (ref.within, ref.name, ref.uid, ref.block)
            hidden = Ref(ref.kind, *(None if part is None else self._hide_text(part) for part in parts))
            return ref if hidden == ref else hidden
        own = ref.uid == self.uid or (
            ref.uid is None and (ref.within, ref.name) == (self.pod.within, self.pod.name)
        )
        return ref if own else Ref("Pod", None, HIDDEN)

    def _is_own(self, mount: WaitingMount) -> bool:
        return self.uid in mount.pods or any(self.owns(p) for p in mount.mountpoints)

    def _hide_text(self, text: str) -> str:
        return HIDDEN if self.lines.names_others(text, about_own=self._about_own) else text
