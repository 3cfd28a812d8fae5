"""Our verdict on a case beside the scheduler's own: per Node and plugin, and as the one message."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.scheduling.case import read_case
from unstuck.scheduling import filters
from unstuck.scheduling.cluster import ClusterView, Pod
from unstuck.scheduling.decide import FILTERS, Decision, decide, decide_and_explain, explain
from unstuck.scheduling.filter import Filter, Reason
from unstuck.scheduling.preemption import preemption, whole_message

_OUTCOMES = {
    "Unschedulable": "unschedulable",
    "UnschedulableAndUnresolvable": "unresolvable",
    "Error": "error",
}
# The allocator decides which devices would be free; here reporting an unknown is the expected result.
MAY_BE_UNKNOWN = frozenset({"DynamicResources"})

Told = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Difference:
    """A difference between our result and the scheduler's at one place (`VolumeBinding at n1`, `the
    message`).
    """

    plugin: str
    where: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.plugin} {self.where}\n    ours    {self.ours}\n    theirs  {self.theirs}"


@dataclass(frozen=True)
class Compared:
    """differences: none for agreement. unknown: our permitted open results."""

    differences: tuple[Difference, ...]
    unknown: frozenset[str] = frozenset()


def list_filters() -> tuple[Filter[Any], ...]:
    """List every filter module, even if unused by `decide`."""
    names = sorted(m.name for m in pkgutil.iter_modules(filters.__path__))
    found = [getattr(importlib.import_module(f"{filters.__name__}.{name}"), "FILTER", None) for name in names]
    known = [*FILTERS, *(f for f in found if f is not None and f.name not in {g.name for g in FILTERS})]
    return tuple(known)


def compare(case: Mapping[str, Any], verdict: Mapping[str, Any], order: tuple[str, ...]) -> Compared:
    """Compare the results on a case. order: the plugins of the scheduler, first to last."""
    cluster, pod = read_case(case)
    asked = list_filters()
    mine = {f.name for f in asked}
    explained = explain(pod, cluster, asked)
    out: list[Difference] = []
    unknown: set[str] = set()
    theirs = {name: _find_status(s) for name, s in verdict["prefilter"].items() if name in mine}
    ours = _group_by_plugin(explained.rejected)
    rejecting = set(theirs) | set(ours)
    for name in sorted(rejecting):
        _hold(name, "before any Node", ours.get(name, []), theirs.get(name, []), out, unknown)
    for node in (n["metadata"]["name"] for n in case.get("nodes", ())):
        ours = _group_by_plugin(explained.nodes.get(node, ()))
        theirs = {
            name: _find_status(s) for name, s in verdict["filter"].get(node, {}).items() if name in mine
        }
        for name in sorted((set(ours) | set(theirs)) - rejecting):
            _hold(name, f"at {node}", ours.get(name, []), theirs.get(name, []), out, unknown)
    if not out and {f.name for f in FILTERS} == set(order):
        decision = decide(pod, cluster)
        if (other := decide_and_explain(pod, cluster)[0]) != decision:
            out.append(Difference("cycle", "decided from what every filter says", str(other), str(decision)))
        open_ = decision.undecided or (decision.rejected and decision.rejected.outcome == "unknown")
        out += _compare_told(decision, verdict) if open_ and unknown else _compare_cycle(decision, verdict)
        out += [] if open_ else _compare_preemption(pod, cluster, decision, verdict)
    return Compared(tuple(out), frozenset(unknown))


def _find_status(status: Mapping[str, Any]) -> list[tuple[str, str]]:
    outcome = _OUTCOMES.get(status["code"], status["code"])
    return [(outcome, reason) for reason in status["reasons"] or [""]]


def _group_by_plugin(reasons: tuple[Reason, ...]) -> Told:
    out: Told = {}
    for reason in reasons:
        out.setdefault(reason.plugin, []).append((reason.outcome, reason.message))
    return out


def _hold(
    plugin: str,
    where: str,
    ours: list[tuple[str, str]],
    theirs: list[tuple[str, str]],
    out: list[Difference],
    unknown: set[str],
) -> None:
    if any(outcome == "unknown" for outcome, _ in ours) and plugin in MAY_BE_UNKNOWN:
        unknown.add(plugin)
        return
    # A Go error's text gets wrapped (`running "X" filter plugin: …`): it must end with ours.
    if ours and theirs and ours[0][0] == theirs[0][0] == "error" and theirs[0][1].endswith(ours[0][1]):
        return
    # Resources beyond the first three are in Go's random order; the message counts and sorts all.
    if sorted(ours) != sorted(theirs):
        out.append(Difference(plugin, where, _show(ours), _show(theirs)))


def _show(told: list[tuple[str, str]]) -> str:
    return "; ".join(f"{outcome}: {text}" for outcome, text in told) or "passes"


def _compare_cycle(mine: Decision, verdict: Mapping[str, Any]) -> list[Difference]:
    """Compare the whole cycle: the suitable Nodes and the message, or the reason not to try the Pod."""
    kept = (verdict["preenqueue"].get(name) for name in ("SchedulingGates", "DynamicResources"))
    gated = next((_find_status(status) for status in kept if status), [])
    held: list[tuple[str, str]] = [(mine.held.outcome, mine.held.message)] if mine.held else []
    if held != gated:
        return [Difference("PreEnqueue", "before the queue", _show(held), _show(gated))]
    if mine.held:
        return []
    out: list[Difference] = []
    if mine.undecided:
        out.append(Difference("cycle", "open", str(mine.undecided), verdict.get("message", "")))
    failed = verdict.get("error", "")
    if bool(failed) != bool(mine.stopped or not mine.nodes) or (failed and not failed.endswith(mine.message)):
        out.append(Difference("cycle", "error", mine.message, failed))
    if failed:
        return out
    if sorted(mine.fits) != verdict["fits"]:
        out.append(Difference("cycle", "fits", str(sorted(mine.fits)), str(verdict["fits"])))
    if mine.message != verdict.get("message", ""):
        out.append(Difference("cycle", "message", mine.message, verdict.get("message", "")))
    return out + _compare_first_refusals(mine, verdict)


def _compare_first_refusals(mine: Decision, verdict: Mapping[str, Any]) -> list[Difference]:
    """Check that each Node tried by the scheduler is rejected by the same plugin."""
    out: list[Difference] = []
    for node, status in verdict["nodes"].items():
        ours = [(r.plugin, r.message) for r in mine.refused.get(node, ())]
        theirs = [(status["plugin"], reason) for reason in status["reasons"]]
        if sorted(ours) != sorted(theirs) and not (mine.undecided and node in mine.undecided):
            out.append(Difference("cycle", f"first refusal at {node}", str(ours), str(theirs)))
    return out


def _compare_told(mine: Decision, verdict: Mapping[str, Any]) -> list[Difference]:
    """Compare a cycle with some open Nodes: our results for the others equal the scheduler's, unless it
    stopped.
    """
    if verdict.get("error") or mine.rejected:
        return []
    if not set(mine.fits) <= set(verdict["fits"]):
        return [Difference("cycle", "fits", str(sorted(mine.fits)), str(verdict["fits"]))]
    return _compare_first_refusals(mine, verdict)


def _compare_preemption(
    pod: Pod, cluster: ClusterView, mine: Decision, verdict: Mapping[str, Any]
) -> list[Difference]:
    """Compare the result of preemption, and the complete message, if we give them."""
    out: list[Difference] = []
    ours, theirs = whole_message(pod, cluster, mine), verdict.get("condition", "")
    if ours and theirs and ours != theirs:
        out.append(Difference("preemption", "message", ours, theirs))
    found = preemption(pod, cluster, mine)
    chosen = verdict.get("nominated", "")
    if found and not found.untried and (chosen not in found.opens if chosen else bool(found.opens)):
        out.append(Difference("preemption", "nodes that it opens", str(found.opens), chosen))
    return out
