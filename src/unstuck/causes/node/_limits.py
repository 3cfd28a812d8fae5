"""A limit of the whole node that is used up: shared by the causes of conntrack, open files and threads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from unstuck.diagnosis.sign import Sign, hearsay, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents, KernelKind
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits, LimitName
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Between the look and the refusal a little of it may have been given back.
FULL = 0.98
RECENT = timedelta(minutes=15)


def find_limits(node: Ref, snap: Facts, name: LimitName) -> Iterable[tuple[HostLimits, HostLimit]]:
    """Return each fact with this limit of the Node."""
    return [(f, i) for f in snap.of(HostLimits, node) for i in f.items if i.name == name]


def is_used_up(node: Ref, snap: Facts, name: LimitName) -> Sign[HostLimit]:
    """Tell whether this limit is used up; unknown from a fact without it."""
    told = find_limits(node, snap, name)
    full = [(f, i) for f, i in told if i.used >= FULL * i.limit]
    if full:
        return Sign(
            True,
            unique(i for _, i in full),
            unique(f for f, _ in full),
            sure=any(snap.sure(f) for f, _ in full),
        )
    sure = unique(f for f, _ in told if snap.sure(f))
    return Sign(False, seen=sure) if sure else Sign(None, wants=(Want(HostLimits, node),))


def find_kernel_events(node: Ref, snap: Facts, *kinds: KernelKind) -> Sign[KernelEvent]:
    """Return the kernel's recent or undated reports that it has not taken back."""

    def lately(event: KernelEvent) -> bool:
        return (
            event.kind in kinds and not event.over and (event.last is None or snap.now - event.last <= RECENT)
        )

    return hearsay(snap, KernelEvents, node, lambda f: [e for e in f.items if lately(e)])


def find_past_kernel_events(node: Ref, snap: Facts, *kinds: KernelKind) -> Sign[KernelEvent]:
    """Return the kernel's reports of any age that it has not taken back; never more than unknown, since the
    state may have changed.
    """
    told = hearsay(snap, KernelEvents, node, lambda f: [e for e in f.items if e.kind in kinds and not e.over])
    return Sign(None, told.hits, told.seen)


def count_of(said: Sign[KernelEvent]) -> int:
    """Return the number of times the kernel logged it."""
    return sum(e.count for e in said.hits)


def name_node(node: Ref) -> Text:
    """Name the Node in a sentence; an unnamed one as `the Node`."""
    return say("Node {name}", name=node.name) if node.name else say("the Node")
