"""Takes away probes and reports that are of no use any more, a few at a time, so that nobody waits for it who asks."""

from __future__ import annotations

import time
from urllib.parse import quote

from unstuck.agent.api import Api, ApiGoneError, HttpReply
from unstuck.agent.journal import Journal
from unstuck.agent.log import TroubleLog
from unstuck.agent.probes import TTL, KnownProbe

_AT_ONCE = 10
# Until something is tried again that the server did not delete, or a server that did not answer.
_AGAIN = 30.0


class Sweeper:
    """base: the path of the agent's Namespace. Needs no list to succeed: it sweeps what was seen and what was written."""

    def __init__(self, api: Api, base: str, node: str, known: KnownProbe, journal: Journal) -> None:
        self._api = api
        self._base = base
        self._node = node
        self._known = known
        self._journal = journal
        self._refused: dict[str, float] = {}
        self._rests_until = 0.0
        self._complaint = TroubleLog()

    def sweep(self, now: float) -> bool:
        """Delete a few probes that have outlived their time, and reports whose probe is gone or goes; whether there are more.

        now: by the server's clock.
        """
        moment = time.monotonic()
        if moment < self._rests_until:
            return False
        due = self._due(now)
        self._refused = {uid: until for uid, until in self._refused.items() if uid in due and until > moment}
        ready = [uid for uid in due if uid not in self._refused]
        gone: list[str] = []
        try:
            for uid in ready[:_AT_ONCE]:
                if all(self._deleted(what) for what in due[uid]):
                    gone.append(uid)
                else:
                    self._refused[uid] = moment + _AGAIN
        except ApiGoneError:
            self._rests_until = moment + _AGAIN
        self._forget(gone)
        return len(ready) > _AT_ONCE and moment >= self._rests_until

    def _due(self, now: float) -> dict[str, list[str]]:
        """Return what is to be deleted, in this order, by the uid of the probe that it belongs to."""
        written = self._journal.written
        due = {uid: [self._report(uid)] for uid, at in written.items() if now > at + TTL or self._known.missing(uid)}
        return due | {p.uid: [self._report(p.uid), f"nodeprobes/{quote(p.name, safe='')}"] for p in self._known.outlived(now)}

    def _report(self, uid: str) -> str:
        return f"nodereports/{uid}.{quote(self._node)}"

    def _forget(self, uids: list[str]) -> None:
        # A report that is swept for its age has a probe that is as old, or none.
        for uid in uids:
            self._known.gone(uid)
        if any(uid in self._journal.written for uid in uids):
            self._journal.forget(uids)

    def _deleted(self, what: str) -> bool:
        """Delete it; whether it is not there any more. Errors: ApiGoneError."""
        answer: HttpReply = self._api.call("DELETE", f"{self._base}/{what}")
        gone = answer.status in (200, 202, 404)
        if not gone:
            self._complaint.tell(f"sweeping {what}: {answer.status} {answer.message}")
        return gone
