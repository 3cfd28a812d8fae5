"""The reason why the DaemonSet of a CSI driver has no Pod on a Node: a taint that it does not tolerate, or a
label that it requires.
"""

from __future__ import annotations

from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.cluster import NodeShape, Taint
from unstuck.facts.aspects.driver_sets import DriverSet, DriverSets
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.scheduling.taints import KEEP_OUT, is_tolerated

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({DriverSets, NodeShape})
# The DaemonSet controller lets its Pods tolerate these (pkg/controller/daemon/util,
# AddOrUpdateDaemonPodTolerations).
_TOLERATED = "node.kubernetes.io/"
_SYSTEM = "kubernetes.io/os"


@record()
class KeptAway(Record):
    """A driver's DaemonSet, and the reason why its Pods are kept off the Node: a taint, else the label that
    it asks for, as (key, value).
    """

    ref: Ref
    taint: Taint | None = None
    label: tuple[str, str] = ("", "")


def list_wants(driver: str, node: Ref) -> tuple[Want, ...]:
    """Return the questions about the driver's DaemonSet and the reason why it is kept away."""
    return (Want(DriverSets, _find_driver(driver)), Want(NodeShape, node))


def find_kept_away(driver: str, node: Ref, snap: Facts) -> KeptAway | None:
    """Return the reason why the driver's DaemonSet is kept off the Node; None if there is no visible one, or
    one of several is not kept away.
    """
    shape, sets = (
        snap.one(NodeShape, node),
        [d for f in snap.of(DriverSets, _find_driver(driver)) for d in f.items],
    )
    if shape is None or not shape.whole:
        return None
    labels = dict(shape.labels)
    # A driver usually has a DaemonSet for each operating system.
    meant = [
        d for d in sets if dict(d.node_selector).get(_SYSTEM, labels.get(_SYSTEM)) == labels.get(_SYSTEM)
    ]
    found = [_keeps_away(d, shape, labels) for d in meant]
    return next((k for k in found if k), None) if found and all(found) else None


def _keeps_away(one: DriverSet, shape: NodeShape, labels: dict[str, str]) -> KeptAway | None:
    for taint in shape.taints:
        if (
            taint.effect in KEEP_OUT
            and not taint.key.startswith(_TOLERATED)
            and not is_tolerated(one.tolerations, taint)
        ):
            return KeptAway(one.ref, taint)
    missing = next(((k, v) for k, v in one.node_selector if labels.get(k) != v), None)
    return KeptAway(one.ref, label=missing) if missing else None


def _find_driver(name: str) -> Ref:
    return Ref("CSIDriver", None, name)


def say_reason(away: KeptAway) -> Text:
    """Return the clause that follows the sentence about the missing driver."""
    if away.taint:
        return say(
            "; {owner} has no Pod there, as it does not tolerate the taint {taint}",
            owner=who(away.ref),
            taint=_show(away.taint),
        )
    key, value = away.label
    return say(
        "; {owner} has no Pod there, as its node selector asks for {key}={value}",
        owner=who(away.ref),
        key=key,
        value=value,
    )


def let_in(away: KeptAway) -> Step:
    """Return the step that gets the driver onto the Node."""
    done = say("its Pod runs there, the CSINode lists the driver, and the volume is mounted")
    if away.taint:
        return Step(
            say("give {owner} a toleration of {taint}", owner=who(away.ref), taint=_show(away.taint)),
            where="source",
            verify=done,
        )
    key, value = away.label
    return Step(
        say(
            (
                "widen the node selector of {owner}, or give the Node the label {key}={value} if the driver "
                "is meant to run there"
            ),
            owner=who(away.ref),
            key=key,
            value=value,
        ),
        where="source",
        verify=done,
    )


def _show(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
