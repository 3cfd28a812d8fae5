"""Decides which rows of the server's tables are worth reading in full. Pure; in doubt a row is read.

Sources: printPod, printNode, printJob and their like in pkg/printers/internalversion/printers.go (1.10–1.34),
and `translateTimestampSince` with HumanDuration in k8s.io/apimachinery/pkg/util/duration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from unstuck.facts.derive.pods import strip_generated_suffix
from unstuck.facts.record import Record, record

_RESTARTS = re.compile(r"(\d{1,9})(?: \((?:(\d{1,4})m)?(?:(\d{1,4})s)? ago\))?$")
_ENDED = "Completed"
# A container that is restarted again and again ran for less than 10 min before and waits for at most 5 (see
# facts/derive/pods.py: loops).
_RECENT = 20
# Failures that are the Node's as often as the template's: equal rows of two Nodes are not alike.
_OF_THE_NODE = re.compile(
    r"^(?:ContainerCreating|PodInitializing|Terminating|Unknown|NodeLost|NodeAffinity|Init:0/.*|Running"
    r"|Evicted)$"
)
# The columns that show an object's state, and the cell of a stopped object.
_LOOKED_AT = {
    "Node": ("STATUS",),
    "PersistentVolumeClaim": ("STATUS",),
    "PersistentVolume": ("STATUS",),
    "Deployment": ("READY", "UP-TO-DATE"),
    "DaemonSet": ("READY", "DESIRED", "UP-TO-DATE", "NODE SELECTOR"),
    "ReplicationController": ("READY", "DESIRED"),
    "Job": ("STATUS", "COMPLETIONS"),
}
_STOPPED = {
    "Deployment": ("READY", "0/0"),
    "Job": ("STATUS", "Suspended"),
    "Node": ("STATUS", "Ready,SchedulingDisabled"),
}


@record()
class TableRow(Record):
    """A Pod's row. alike: rows with an equal value are of one owner and have equal cells."""

    namespace: str
    name: str
    status: str
    ready: str
    restarts: str
    node: str

    @property
    def alike(self) -> tuple[str, ...]:
        """Namespace, the name that its owner generates from, the cells, and the Node if that matters."""
        node = self.node if _OF_THE_NODE.match(self.status) else ""
        return (self.namespace, strip_generated_suffix(self.name), self.status, self.ready, node)


@record()
class TriageResult(Record):
    """The result for one table. ended: completed Pods; their rows do not show a deletion."""

    count: int
    suspicious: tuple[TableRow, ...]
    ended: tuple[str, ...]


class RowState(NamedTuple):
    """The state shown by a row of any kind but Pod. fine: all is well, which a missing column cannot show.
    stopped: on purpose: scaled to 0, suspended, cordoned. done: a completed Job.
    """

    fine: bool = False
    stopped: bool = False
    done: bool = False


def columns(names: Sequence[str]) -> Mapping[str, int]:
    """Return the index of each column, by its name in capitals."""
    return {name.upper(): i for i, name in enumerate(names)}


def pods(
    namespace: str, at: Mapping[str, int], rows: Sequence[Sequence[object]], down: frozenset[str]
) -> TriageResult | None:
    """Return the rows of a table of Pods; None if the columns are others.

    down: Nodes that are not Ready: the rows of their Pods are out of date.
    """
    try:
        name, ready, status, restarts = at["NAME"], at["READY"], at["STATUS"], at["RESTARTS"]
    except KeyError:
        return None
    node, gates = at.get("NODE", -1), at.get("READINESS GATES", -1)
    found, ended = [], []
    for cells in rows:
        said = cells[status]
        # Nearly all of many thousand rows are well, or have ended.
        if (
            said == "Running"
            and _is_all(cells[ready])
            and (node < 0 or cells[node] not in down)
            and (gates < 0 or cells[gates] == "<none>" or _is_all(cells[gates]))
            and (cells[restarts] in ("0", 0) or is_settled(str(cells[restarts])))
        ):
            continue
        if said == _ENDED:
            ended.append(str(cells[name]))
            continue
        on = str(cells[node]) if node >= 0 else ""
        found.append(
            TableRow(
                namespace,
                str(cells[name]),
                str(said),
                str(cells[ready]),
                str(cells[restarts]),
                "" if on == "<none>" else on,
            )
        )
    return TriageResult(len(rows), tuple(found), tuple(ended))


@lru_cache(1024)
def _is_all(cell: object) -> bool:
    # Nearly all of many thousand rows have one of a few values.
    some, slash, of = str(cell).partition("/")
    return bool(slash) and some == of


def is_settled(restarts: str) -> bool:
    """Tell whether the last restart was long ago, or there was at most one. `7`, `7 (3m21s ago)`, `7 (2d
    ago)`; old servers show no time.
    """
    if restarts.endswith(" ago)") and not (found := _RESTARTS.match(restarts)):
        return True  # hours, days or years
    found = _RESTARTS.match(restarts)
    if found is None:
        return False
    if int(found[1]) < 2:
        return True
    if found[2] is None and found[3] is None:
        return False
    return int(found[2] or 0) >= _RECENT


def judge_rows(kind: str, at: Mapping[str, int], rows: Sequence[Sequence[object]]) -> list[RowState]:
    """Judge the rows of a table of any other kind. Of many thousand rows most have the same few cells,
    which are judged once.
    """
    titles = [title for title in _LOOKED_AT.get(kind, ()) if title in at]
    if not titles:
        return [RowState()] * len(rows)
    pick = itemgetter(*(at[title] for title in titles))
    judged: dict[object, RowState] = {}
    out = []
    for row in rows:
        cells = pick(row)
        state = judged.get(cells)
        if state is None:
            shown = map(str, cells if len(titles) > 1 else (cells,))
            state = judged[cells] = _judge_cells(kind, dict(zip(titles, shown, strict=True)))
        out.append(state)
    return out


def _judge_cells(kind: str, cells: Mapping[str, str]) -> RowState:
    column, says = _STOPPED.get(kind, ("", ""))
    return RowState(
        _is_fine(kind, cells), cells.get(column, "") == says != "", kind == "Job" and _is_done(cells)
    )


def _is_fine(kind: str, cells: Mapping[str, str]) -> bool:
    status, ready = cells.get("STATUS", ""), cells.get("READY", "")
    match kind:
        case "Node":
            return status.split(",")[0] == "Ready"
        case "PersistentVolumeClaim":
            return status == "Bound"
        case "PersistentVolume":
            return status in ("Bound", "Available")
        case "Deployment":
            of, _, wanted = ready.partition("/")
            return _is_enough(of, wanted) and _is_enough(cells.get("UP-TO-DATE", ""), wanted)
        case "DaemonSet" | "ReplicationController":
            wanted = cells.get("DESIRED", "")
            # A DaemonSet with a node selector that wants no Pod may select by a misspelt label.
            nowhere = wanted == "0" and cells.get("NODE SELECTOR", "<none>") != "<none>"
            updated = _is_enough(cells.get("UP-TO-DATE", wanted), wanted)
            return _is_enough(ready, wanted) and updated and not nowhere
        case "Job":
            done, _, wanted = cells.get("COMPLETIONS", "").partition("/")
            return status in ("Complete", "Suspended") or (bool(wanted) and done == wanted.split(" ")[0])
    return False


def _is_done(cells: Mapping[str, str]) -> bool:
    """Tell whether a Job has completed. Old servers show no status, only the number of completions."""
    if "STATUS" in cells:
        return cells["STATUS"] == "Complete"
    done, _, wanted = cells.get("COMPLETIONS", "").partition("/")
    return done == wanted.split(" ")[0] and done.isdecimal()


def _is_enough(count: str, wanted: str) -> bool:
    return count.isdecimal() and wanted.isdecimal() and int(count) >= int(wanted)
