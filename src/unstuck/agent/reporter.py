"""The container that holds the token: sees the NodeProbes of its node, has them answered one by one, writes
each NodeReport once.

One thread watches (`watcher.py`), this one answers and sweeps: however many probes one asker creates, another
asker's is seen at once and is next, and old ones are swept even while listing fails. It keeps only the rows
of probes and the names of reports.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from types import FrameType
from urllib.parse import quote

from unstuck import __version__
from unstuck.agent.api import ACCOUNT, Api, ApiGoneError, pause
from unstuck.agent.clock import AgentClock
from unstuck.agent.collector_client import SOCKET, refusal
from unstuck.agent.evidence import Pin, gather_evidence
from unstuck.agent.journal import Journal
from unstuck.agent.log import say
from unstuck.agent.probes import GROUP, PER_MINUTE, PendingProbe, ProbeQueue, make_report
from unstuck.agent.sweep import Sweeper
from unstuck.agent.truncation import Doc, fit
from unstuck.agent.watcher import Watcher

# As unstuck.facts.codec.FORMAT, which is too large to keep in memory for one number.
FORMAT = 1
JOURNAL = "/run/unstuck/reports"
_IDLE = 5.0


def main() -> None:
    """Report until SIGTERM."""
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGINT, _exit)
    env = os.environ
    namespace = (
        (ACCOUNT / "namespace").read_text(encoding="ascii").strip()
        if (ACCOUNT / "namespace").exists()
        else env["POD_NAMESPACE"]
    )
    host, port = env["KUBERNETES_SERVICE_HOST"], int(env.get("KUBERNETES_SERVICE_PORT", "443"))
    node, base, queue, clock, pin = env["NODE_NAME"], api_path(namespace), ProbeQueue(), AgentClock(), Pin()
    # Each thread has a connection of its own.
    watcher = Watcher(Api(host, port), base, node, queue, clock)
    threading.Thread(target=_run_or_exit, args=(watcher.run,), daemon=True).start()
    Reporter(
        Api(host, port),
        base,
        node,
        queue,
        clock,
        Journal(JOURNAL),
        lambda probe: gather_evidence(probe, node, SOCKET, pin),
    ).run()


def api_path(namespace: str) -> str:
    """Return the paths of a Namespace's probes and reports on the API server."""
    return f"/apis/{GROUP}/namespaces/{quote(namespace, safe='')}"


def _exit(_signal: int, _frame: FrameType | None) -> None:
    os._exit(0)


def _run_or_exit(work: Callable[[], None]) -> None:
    """Run a thread that must not end: if it does, end the whole container, which the kubelet restarts."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
    os._exit(1)


class Reporter:
    """One node's. base: the path of the agent's Namespace. queue, clock: kept by a Watcher. look: a
    probe's facts within its deadline.
    """

    def __init__(
        self,
        api: Api,
        base: str,
        node: str,
        queue: ProbeQueue,
        clock: AgentClock,
        journal: Journal,
        look: Callable[[PendingProbe], list[Doc]],
    ) -> None:
        self._api = api
        self._base = base
        self._node = node
        self._queue = queue
        self._clock = clock
        self._journal = journal
        self._look = look
        self._sweeper = Sweeper(api, base, node, queue, journal)

    def run(self) -> None:
        """Run for ever."""
        self._journal.recall(self._clock.now)
        while True:
            self.step()

    def step(self) -> None:
        """Answer the next probe and sweep a little; with nothing to do, wait for the next change."""
        probe = self._queue.next(self._clock.now)
        if probe is not None:
            self._answer(probe)
            self._queue.mark_done(probe.uid)
        more = self._sweeper.sweep(self._clock.now)
        if probe is None and not more:
            self._queue.wait(_IDLE)

    def _answer(self, probe: PendingProbe) -> None:
        begun = time.monotonic()
        docs = fit(self._look_unless_too_often(probe), self._node)
        snapshot = {
            "format": FORMAT,
            "tool": __version__,
            "at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "sources": [f"node:{self._node}"],
            "asked": None,
            "after": None,
            "facts": docs,
        }
        text = json.dumps(snapshot, ensure_ascii=False)
        seconds = time.monotonic() - begun
        if self._write(probe, text):
            say(f"probe {probe.name}: {len(docs)} facts, {len(text.encode()) >> 10} KiB, {seconds:.2f} s")

    def _look_unless_too_often(self, probe: PendingProbe) -> list[Doc]:
        if self._queue.recent_looks(probe.asker, self._clock.now) >= PER_MINUTE:
            why = f"more than {PER_MINUTE} questions a minute to one node are not answered to one asker"
            return [
                refusal(self._node, None if probe.pod is None else dict(probe.pod), "survey", "denied", why)
            ]
        self._queue.count_look(probe, self._clock.now)
        return self._look(probe)

    def _write(self, probe: PendingProbe, facts: str) -> bool:
        failed = 0
        self._journal.note(probe.uid, self._clock.now)
        while True:
            answer = None
            with suppress(ApiGoneError):
                answer = self._api.call("POST", f"{self._base}/nodereports", make_report(probe, facts))
                self._clock.adjust(answer.at)
            if answer is not None and answer.status not in (429, 500, 502, 503, 504):
                if answer.status not in (201, 409):
                    say(f"probe {probe.name}: the report was refused: {answer.status} {answer.message}")
                return answer.status == 201
            if probe.is_abandoned(self._clock.now):
                say(f"probe {probe.name}: no report could be written in time")
                return False
            failed += 1
            time.sleep(min(2.0, pause(failed, answer.wait if answer else None)))
