"""NodeProbes as they come, read with care (anybody who may create one wrote it), and what is remembered of them.

A probe is read from a row of the server's table, never from the object: the row holds the columns of the CustomResourceDefinition,
all of bounded length, and none of the metadata that an asker may fill at will.
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
# Seconds that probes and reports live; see charts/unstuck. No answer is of use for longer than 35 s, and a flood of probes is to
# leave room for others soon.
TTL = 2 * 60.0
# An asker that has waited its deadline and this much longer is not there any more.
_GRACE = 5.0
# So many looks at one node a minute are had by one asker.
PER_MINUTE = 30
_MINUTE = 60.0
_UID = re.compile(r"^[0-9a-f-]{36}$")
# The columns of the table, by their names in the CustomResourceDefinition.
COLUMNS = ("Name", "Node", "Asked by", "UID", "Created", "Deadline", "Since", "Pod namespace", "Pod", "Pod UID")


@dataclass(frozen=True, slots=True)
class PendingProbe:
    """A NodeProbe. created: by the server's clock. seconds: its deadline. pod: `namespace`, `name`, `uid`, or None for the whole node.

    asker: who created it; admission sees to it that it is nobody else. since: when a deletion was asked for, in RFC 3339.
    """

    name: str
    uid: str
    created: float
    node: str
    seconds: float
    pod: Mapping[str, str] | None
    asker: str = ""
    since: str | None = None

    def outlived(self, now: float) -> bool:
        """Tell whether it is to be swept."""
        return now > self.created + TTL

    def given_up(self, now: float) -> bool:
        """Tell whether nobody waits for its answer any more."""
        return now > self.created + self.seconds + _GRACE


def parse(row: Mapping[str, Any]) -> PendingProbe | None:
    """Return a NodeProbe from a row of the table: cells by column. None for what is none; the schema admits no such."""
    try:
        created = datetime.fromisoformat(row["Created"]).timestamp()
        namespace, name, uid = row["Pod namespace"], row["Pod"], row["Pod UID"]
        pod = None if name is None else {"namespace": str(namespace), "name": str(name), "uid": str(uid)}
        seconds = min(30.0, max(1.0, float(row["Deadline"])))
        if not _UID.match(row["UID"]):
            return None
        since, asker = str(row["Since"] or "") or None, str(row["Asked by"])
        return PendingProbe(str(row["Name"]), row["UID"], created, str(row["Node"]), seconds, pod, asker, since)
    except (KeyError, TypeError, ValueError):
        return None


def report(probe: PendingProbe, facts: str) -> dict[str, Any]:
    """Return the NodeReport of a probe. facts: a saved Snapshot as JSON."""
    meta: dict[str, Any] = {"name": f"{probe.uid}.{probe.node}"}
    if len(probe.node) <= 63:  # a label's value is no longer
        meta["labels"] = {LABEL: probe.node}
    return {"apiVersion": GROUP, "kind": "NodeReport", "metadata": meta, "nodeName": probe.node, "probeUID": probe.uid, "facts": facts}


class KnownProbe:
    """Probes of this node that are there. One thread tells what it sees of them while another one answers them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._news = False
        self._complete = False
        self._probes: dict[str, PendingProbe] = {}
        self._done: set[str] = set()
        self._answered: list[tuple[float, str]] = []

    # --- who sees them -----------------------------------------------------------------------------------------------------

    def there(self, probes: Iterable[PendingProbe]) -> None:
        """Add probes that were seen."""
        with self._changed:
            self._probes.update((p.uid, p) for p in probes)
            self._tell()

    def gone(self, uid: str) -> None:
        """Drop a probe that is not there any more."""
        with self._changed:
            self._probes.pop(uid, None)
            self._done.discard(uid)
            self._tell()

    def only(self, uids: set[str]) -> None:
        """Drop every probe that is none of these: they are all that there is."""
        with self._changed:
            self._complete = True
            self._probes = {uid: p for uid, p in self._probes.items() if uid in uids}
            self._done &= set(self._probes)
            self._tell()

    def _tell(self) -> None:
        self._news = True
        self._changed.notify_all()

    # --- who answers them --------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Wait until something was seen since the last wait, for so long at most."""
        with self._changed:
            if not self._news:
                self._changed.wait(seconds)
            self._news = False

    def next(self, now: float) -> PendingProbe | None:
        """Return the probe to answer now: the oldest of the asker who has had the fewest answers lately."""
        with self._changed:
            waiting = [p for uid, p in self._probes.items() if uid not in self._done]
            self._done.update(p.uid for p in waiting if p.given_up(now))
            lately = Counter(asker for at, asker in self._answered if at > now - _MINUTE)
            still = (p for p in waiting if p.uid not in self._done)
            return min(still, key=lambda p: (lately[p.asker], p.created, p.uid), default=None)

    def answered(self, probe: PendingProbe, now: float) -> None:
        """Remember that the node was looked at for this probe."""
        self._answered = [(at, asker) for at, asker in self._answered if at > now - _MINUTE]
        self._answered.append((now, probe.asker))

    def lately(self, asker: str, now: float) -> int:
        """Return how many looks this asker has had within the last minute."""
        return sum(1 for at, who in self._answered if who == asker and at > now - _MINUTE)

    def done(self, uid: str) -> None:
        """Mark this probe as answered, for good."""
        with self._changed:
            if uid in self._probes:
                self._done.add(uid)

    def missing(self, uid: str) -> bool:
        """Tell whether the probe is certainly not there: nothing is before all were seen once."""
        return self._complete and uid not in self._probes

    def outlived(self, now: float) -> list[PendingProbe]:
        """Return the probes that are to be swept, the oldest first."""
        with self._changed:
            return sorted((p for p in self._probes.values() if p.outlived(now)), key=lambda p: (p.created, p.uid))
