"""NodeProbes as they come, read with care (anybody who may create one wrote it), and what is remembered of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

GROUP = "unstuck.dev/v1"
LABEL = "unstuck.dev/node"
# Probes and reports live so long; see charts/unstuck.
TTL = 15 * 60.0
# An asker that has waited its deadline and this much longer is not there any more.
_GRACE = 5.0
# So many looks at one node a minute are had by one asker.
PER_MINUTE = 30
_MINUTE = 60.0
_UID = re.compile(r"^[0-9a-f-]{36}$")


@dataclass(frozen=True, slots=True)
class Probe:
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
        """Whether it is to be swept."""
        return now > self.created + TTL

    def given_up(self, now: float) -> bool:
        """Whether nobody waits for its answer any more."""
        return now > self.created + self.seconds + _GRACE


def parse(doc: Any) -> Probe | None:
    """A NodeProbe from the server; None for what is none that can be answered (it is swept all the same, see `Known`)."""
    try:
        meta, spec = doc["metadata"], doc["spec"]
        created = datetime.fromisoformat(meta["creationTimestamp"]).timestamp()
        pod = spec.get("pod")
        given = {k: str(pod[k]) for k in ("namespace", "name", "uid")} if pod is not None else None
        seconds = min(30.0, max(1.0, float(spec["deadlineSeconds"])))
        if not _UID.match(meta["uid"]):
            return None
        since, asker = str(spec.get("since") or "") or None, str(spec.get("requestedBy", ""))
        return Probe(str(meta["name"]), str(meta["uid"]), created, str(spec["nodeName"]), seconds, given, asker, since)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def report(probe: Probe, facts: str) -> dict[str, Any]:
    """The NodeReport of a probe. facts: a saved Snapshot as JSON."""
    meta: dict[str, Any] = {"name": f"{probe.uid}.{probe.node}"}
    if len(probe.node) <= 63:  # a label's value is no longer
        meta["labels"] = {LABEL: probe.node}
    return {"apiVersion": GROUP, "kind": "NodeReport", "metadata": meta, "nodeName": probe.node, "probeUID": probe.uid, "facts": facts}


class Known:
    """Probes of this node that are there, and reports that were written for probes, gone or not; TTL and rates keep both small."""

    def __init__(self) -> None:
        self.probes: dict[str, Probe] = {}
        self.reported: dict[str, float] = {}
        self.done: set[str] = set()
        self._answered: list[tuple[float, str]] = []

    def relisted(self, probes: list[Probe]) -> None:
        """What there is now, all of it."""
        self.probes = {p.uid: p for p in probes}
        self.done &= set(self.probes)

    def seen(self, kind: str, doc: Any) -> None:
        """An event of the watch. kind: `ADDED`, `MODIFIED`, `DELETED`."""
        probe = parse(doc)
        if probe is None:
            return
        if kind == "DELETED":
            self.probes.pop(probe.uid, None)
            self.done.discard(probe.uid)
        else:
            self.probes[probe.uid] = probe

    def answered(self, probe: Probe, now: float) -> None:
        """Remember that the node was looked at for this probe."""
        self._answered = [(at, asker) for at, asker in self._answered if at > now - _MINUTE]
        self._answered.append((now, probe.asker))

    def lately(self, asker: str, now: float) -> int:
        """How many looks this asker has had within the last minute."""
        return sum(1 for at, who in self._answered if who == asker and at > now - _MINUTE)

    def next(self, now: float) -> Probe | None:
        """The probe that is to be answered now: of whom has had the fewest answers lately, the oldest."""
        for probe in sorted(self.probes.values(), key=lambda p: (self.lately(p.asker, now), p.created, p.uid)):
            if probe.uid not in self.done:
                if not probe.given_up(now):
                    return probe
                self.done.add(probe.uid)
        return None

    def to_sweep(self, now: float) -> tuple[list[Probe], list[str]]:
        """Probes that have outlived their time, and uids of reports whose probe is gone or goes."""
        old = [p for p in self.probes.values() if p.outlived(now)]
        going = {p.uid for p in old}
        reports = [uid for uid, at in self.reported.items() if uid not in self.probes or uid in going or now > at + TTL]
        return old, sorted({*reports, *going})
