"""Facts from a node that passed through foreign hands: read with bounds, and believed only if that node may
state them.

An agent or a Pod on a node may be controlled by an attacker who took the node over. It can lie about its own
node; it must not be able to make statements about another node or about an API object, nor to declare two
names equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.codec import FORMAT, FormatError, read_fact
from unstuck.facts.core import Fact, Ref, Refused, find_refs
from unstuck.facts.strict import is_well_formed

LARGEST = 256 * 1024
# Facts accepted from a node in addition to the facts that only a node can give.
_ALSO = (Failure, Placement, Refused)


class ReportError(ValueError):
    """The input is no answer of this node; the message says why in a few words. foreign: it is about
    another node.
    """

    def __init__(self, message: str, *, foreign: bool = False) -> None:
        super().__init__(message)
        self.foreign = foreign


def read_report(text: str | bytes, node: str, pod: Ref | None) -> list[Fact]:
    """Return the facts of a saved Snapshot in JSON, as far as they are about this node and this Pod.

    text: at most 256 KiB. Errors: ReportError if it is larger, no Snapshot, or about another node.
    """
    if len(text) > LARGEST:
        raise ReportError(f"more than {LARGEST >> 10} KiB")
    try:
        saved = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ReportError("it is no JSON") from e
    if not isinstance(saved, dict) or not isinstance(saved.get("facts"), list):
        raise ReportError("it is no Snapshot")
    if saved.get("format") != FORMAT:
        raise ReportError(
            f"it is a Snapshot of another format than {FORMAT}: agent and command are of different versions"
        )
    return only_about((fact for doc in saved["facts"] if (fact := _find_fact(doc))), node, pod)


def _find_fact(doc: object) -> Fact | None:
    """Return None for an invalid one, of an unknown type, or with values of other types than its fields'."""
    try:
        fact = read_fact(doc) if isinstance(doc, dict) else None
    except (FormatError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    return fact if fact is not None and is_well_formed(fact) else None


def only_about(facts: Iterable[Fact], node: str, pod: Ref | None) -> list[Fact]:
    """Return the facts that this node may state about itself and about this Pod, each with a source on it.

    Errors: ReportError (foreign) if any fact is about another node: the answer does not come from the node
    that was asked.
    """
    kept = []
    for fact in facts:
        if not _may_state(fact):
            continue
        refs = tuple(find_refs(fact))
        other = next((r for r in refs if r.kind == "Node" and r.name != node), None)
        if other is not None:
            raise ReportError(f"it speaks of node {other.name}", foreign=True)
        if all(_of(r, node, pod) for r in refs) and _may_be_about(fact.about, node, pod):
            kept.append(_place(fact, node))
    return sorted(dict.fromkeys(kept), key=repr)


def _may_state(fact: Fact) -> bool:
    return not isinstance(fact, Unreached) and (fact.cost == "node" or isinstance(fact, _ALSO))


def _may_be_about(ref: Ref, node: str, pod: Ref | None) -> bool:
    if ref.kind == "Pod":
        return pod is not None and (ref.uid is not None or ref.name == pod.name)
    if ref.kind == "Container":
        return pod is not None and ref.within == f"{pod.within}/{pod.name}"
    return ref.name == node if ref.kind == "Node" else ref.within == node


def _of(ref: Ref, node: str, pod: Ref | None) -> bool:
    """Tell whether this Ref can only mean a permitted subject: the node, the Pod in question, a thing known
    by its place.
    """
    if ref.block is not None:
        return False
    if ref.kind == "Node":
        return ref.name == node and not ref.uid and not ref.within
    if ref.kind == "Pod":
        # The placeholder for a Pod that must stay hidden (`another Pod (hidden)`) cannot be an object's name.
        if ref.name and " " in ref.name:
            return ref.uid is None and ref.within is None
        return (
            pod is not None
            and bool(ref.uid or ref.name)
            and all(
                said is None or said == known
                for said, known in ((ref.uid, pod.uid), (ref.name, pod.name), (ref.within, pod.within))
            )
        )
    return ref.uid is None


def _place(fact: Fact, node: str) -> Fact:
    where = fact.src.where
    if where == f"node:{node}" or where.startswith(f"{node} "):
        return fact
    return replace(fact, src=replace(fact.src, where=f"{node} {where}"))
