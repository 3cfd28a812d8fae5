"""The NodeProbes of one node: parsed with care, because any user who may create one wrote it, and queued
until they are answered.

A probe is read from a row of the server's table, never from the object: the row holds the columns of the
CustomResourceDefinition, all of bounded length, and none of the metadata that its author may fill at will.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

GROUP = "unstuck.dev/v1"
LABEL = "unstuck.dev/node"
# Seconds that probes and reports live; see charts/unstuck. No answer is of use for longer than 35 s, and a
# flood of probes is to leave room for others soon.
TTL = 2 * 60.0
# An asker that has waited this long beyond its deadline has given up.
_GRACE = 5.0
# The limit of looks at one node per client and minute.
PER_MINUTE = 30
_MINUTE = 60.0
_UID = re.compile(r"^[0-9a-f-]{36}$")
# The columns of the table, by their names in the CustomResourceDefinition.
COLUMNS = (
    "Name",
    "Node",
    "Asked by",
    "UID",
    "Created",
    "Deadline",
    "Since",
    "Pod namespace",
    "Pod",
    "Pod UID",
)


@dataclass(frozen=True, slots=True)
class PendingProbe:
    """A NodeProbe. created: by the server's clock. seconds: its deadline. pod: `namespace`, `name`, `uid`, or
    None for the whole node.

    asker: its creator; admission enforces that. since: when a deletion was requested, in RFC 3339.
    wants: single questions about the node, as `facts/single_wants.py` writes them; "" for a whole look.
    """

    name: str
    uid: str
    created: float
    node: str
    seconds: float
    pod: Mapping[str, str] | None
    asker: str = ""
    since: str | None = None
    wants: str = ""

    def is_expired(self, now: float) -> bool:
        """Tell whether it has outlived TTL and is to be deleted."""
        return now > self.created + TTL

    def is_abandoned(self, now: float) -> bool:
        """Tell whether its asker has stopped waiting."""
        return now > self.created + self.seconds + _GRACE


def parse_row(row: Mapping[str, Any]) -> PendingProbe | None:
    """Parse a row of the table, its cells by column; None for a row that the schema would not admit."""
    try:
        created = datetime.fromisoformat(row["Created"]).timestamp()
        namespace, name, uid = row["Pod namespace"], row["Pod"], row["Pod UID"]
        pod = None if name is None else {"namespace": str(namespace), "name": str(name), "uid": str(uid)}
        seconds = min(30.0, max(1.0, float(row["Deadline"])))
        if not _UID.match(row["UID"]):
            return None
        since, asker = str(row["Since"] or "") or None, str(row["Asked by"])
        # Definitions of an earlier release have no such column.
        wants = str(row.get("Wants") or "")
        return PendingProbe(
            str(row["Name"]), row["UID"], created, str(row["Node"]), seconds, pod, asker, since, wants
        )
    except (KeyError, TypeError, ValueError):
        return None


def make_report(probe: PendingProbe, facts: str) -> dict[str, Any]:
    """Return the NodeReport of a probe. facts: a saved Snapshot as JSON."""
    meta: dict[str, Any] = {"name": f"{probe.uid}.{probe.node}"}
    if len(probe.node) <= 63:  # a label's value is no longer
        meta["labels"] = {LABEL: probe.node}
    return {
        "apiVersion": GROUP,
        "kind": "NodeReport",
        "metadata": meta,
        "nodeName": probe.node,
        "probeUID": probe.uid,
        "facts": facts,
    }


class ProbeQueue:
    """The probes of this node that exist. One thread (the watcher) adds and removes them while another
    (the reporter) answers them.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._has_news = False
        self._all_seen = False
        self._probes: dict[str, PendingProbe] = {}
        self._done_uids: set[str] = set()
        self._recent_looks: list[tuple[float, str]] = []

    # --- for the watcher ------------------------------------------------------------------------------------

    def add(self, probes: Iterable[PendingProbe]) -> None:
        """Add probes that the server has shown."""
        with self._changed:
            self._probes.update((p.uid, p) for p in probes)
            self._notify()

    def remove(self, uid: str) -> None:
        """Drop a probe that was deleted."""
        with self._changed:
            self._probes.pop(uid, None)
            self._done_uids.discard(uid)
            self._notify()

    def retain(self, uids: set[str]) -> None:
        """Drop all other probes: a list has shown that only these exist."""
        with self._changed:
            self._all_seen = True
            self._probes = {uid: p for uid, p in self._probes.items() if uid in uids}
            self._done_uids &= set(self._probes)
            self._notify()

    def _notify(self) -> None:
        self._has_news = True
        self._changed.notify_all()

    # --- for the reporter -----------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Wait for the first change since the last wait, for this many seconds at most."""
        with self._changed:
            if not self._has_news:
                self._changed.wait(seconds)
            self._has_news = False

    def next(self, now: float) -> PendingProbe | None:
        """Return the probe to answer now: the oldest one of the asker with the fewest recent looks."""
        with self._changed:
            waiting = [p for uid, p in self._probes.items() if uid not in self._done_uids]
            self._done_uids.update(p.uid for p in waiting if p.is_abandoned(now))
            lately = Counter(asker for at, asker in self._recent_looks if at > now - _MINUTE)
            still = (p for p in waiting if p.uid not in self._done_uids)
            return min(still, key=lambda p: (lately[p.asker], p.created, p.uid), default=None)

    def count_look(self, probe: PendingProbe, now: float) -> None:
        """Count a look at the node to the probe's asker."""
        self._recent_looks = [(at, asker) for at, asker in self._recent_looks if at > now - _MINUTE]
        self._recent_looks.append((now, probe.asker))

    def recent_looks(self, asker: str, now: float) -> int:
        """Return how many looks this asker has had within the last minute."""
        return sum(1 for at, who in self._recent_looks if who == asker and at > now - _MINUTE)

    def mark_done(self, uid: str) -> None:
        """Mark this probe as answered, for good."""
        with self._changed:
            if uid in self._probes:
                self._done_uids.add(uid)

    def is_missing(self, uid: str) -> bool:
        """Tell whether the probe certainly does not exist; unknown before the first complete list."""
        return self._all_seen and uid not in self._probes

    def expired_probes(self, now: float) -> list[PendingProbe]:
        """Return the probes that have outlived TTL, the oldest first."""
        with self._changed:
            return sorted(
                (p for p in self._probes.values() if p.is_expired(now)), key=lambda p: (p.created, p.uid)
            )
