"""A Pod's rules about other Pods (affinity, anti-affinity, spread), as they are described."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.aspects.placing_terms import PodTerm, SpreadConstraint
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import write_requirement


def describe_terms(pod: Ref, kind: str, terms: Iterable[PodTerm | SpreadConstraint]) -> tuple[str, Ref]:
    """Return the rules in brackets, "" if none were seen, and how they are named as a culprit. kind: how such
    a rule is called.
    """
    shown = "; ".join(_show_term(t) for t in terms)
    return (f" ({shown})" if shown else ""), Ref("Term", pod.within, f"{kind}: {shown}" if shown else kind)


def _show_term(term: PodTerm | SpreadConstraint) -> str:
    picked = ",".join(write_requirement(r) for r in term.selector.requirements) if term.selector else "no Pod"
    return f"{term.topology_key}: {picked or 'every Pod'}"
