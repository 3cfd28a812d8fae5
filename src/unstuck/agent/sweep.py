"""Deletes probes and reports that are of no further use, a few at a time, so that no asker waits for the
sweep.
"""

from __future__ import annotations

import time
from urllib.parse import quote

from unstuck.agent.api import Api, ApiGoneError, HttpReply
from unstuck.agent.journal import Journal
from unstuck.agent.log import TroubleLog
from unstuck.agent.probes import TTL, ProbeQueue

_AT_ONCE = 10
# Seconds before the next try, if the server has not deleted an object or has not answered.
_RETRY_SECONDS = 30.0


class Sweeper:
    """base: the path of the agent's Namespace. Works while listing fails: it sweeps by the queue and the
    journal.
    """

    def __init__(self, api: Api, base: str, node: str, queue: ProbeQueue, journal: Journal) -> None:
        self._api = api
        self._base = base
        self._node = node
        self._queue = queue
        self._journal = journal
        self._retry_at: dict[str, float] = {}
        self._pause_end = 0.0
        self._complaint = TroubleLog()

    def sweep(self, now: float) -> bool:
        """Delete a few expired probes, and reports whose probe is gone or being deleted. Return whether there
        are more.

        now: by the server's clock.
        """
        moment = time.monotonic()
        if moment < self._pause_end:
            return False
        due = self._find_due(now)
        self._retry_at = {
            uid: until for uid, until in self._retry_at.items() if uid in due and until > moment
        }
        ready = [uid for uid in due if uid not in self._retry_at]
        gone: list[str] = []
        try:
            for uid in ready[:_AT_ONCE]:
                if all(self._delete(what) for what in due[uid]):
                    gone.append(uid)
                else:
                    self._retry_at[uid] = moment + _RETRY_SECONDS
        except ApiGoneError:
            self._pause_end = moment + _RETRY_SECONDS
        self._forget(gone)
        return len(ready) > _AT_ONCE and moment >= self._pause_end

    def _find_due(self, now: float) -> dict[str, list[str]]:
        """Return the paths to delete, in this order, by the uid of their probe."""
        written = self._journal.write_times
        due = {
            uid: [self._report_path(uid)]
            for uid, at in written.items()
            if now > at + TTL or self._queue.is_missing(uid)
        }
        return due | {
            p.uid: [self._report_path(p.uid), f"nodeprobes/{quote(p.name, safe='')}"]
            for p in self._queue.expired_probes(now)
        }

    def _report_path(self, uid: str) -> str:
        return f"nodereports/{uid}.{quote(self._node)}"

    def _forget(self, uids: list[str]) -> None:
        # A report that is swept for its age has an equally old probe, or none.
        for uid in uids:
            self._queue.remove(uid)
        if any(uid in self._journal.write_times for uid in uids):
            self._journal.forget(uids)

    def _delete(self, what: str) -> bool:
        """Delete one object and return whether it is gone. Errors: ApiGoneError."""
        answer: HttpReply = self._api.call("DELETE", f"{self._base}/{what}")
        gone = answer.status in (200, 202, 404)
        if not gone:
            self._complaint.tell(f"sweeping {what}: {answer.status} {answer.message}")
        return gone
