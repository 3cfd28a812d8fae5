"""The container with the token in hand: sees NodeProbes of its node, has them answered one at a time, writes each NodeReport once.

It lists and watches, sweeps what is older than fifteen minutes, and outlives an API server that is away, busy or forgets (410).
It keeps no more than the names of probes and reports.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote, urlencode

from unstuck import __version__
from unstuck.agent.api import ACCOUNT, Answer, Api, ApiGoneError
from unstuck.agent.ask import SOCKET, refused
from unstuck.agent.evidence import evidence
from unstuck.agent.fit import Doc, fitted
from unstuck.agent.probes import GROUP, LABEL, PER_MINUTE, Known, Probe, parse, report

# As unstuck.facts.codec.FORMAT, which is too large to keep in memory for one number.
FORMAT = 1
JOURNAL = "/run/unstuck/reports"
_WATCH_SECONDS = 290
_SILENCE = 330.0
_SWEEP_EVERY = 60.0
_LONGEST_WAIT = 30.0


class StaleError(Exception):
    """What the watch was told to go on from is no longer known to the server."""


def main() -> None:
    """Report until SIGTERM."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    env = os.environ
    namespace = (ACCOUNT / "namespace").read_text(encoding="ascii").strip() if (ACCOUNT / "namespace").exists() else env["POD_NAMESPACE"]
    api = Api(env["KUBERNETES_SERVICE_HOST"], int(env.get("KUBERNETES_SERVICE_PORT", "443")))
    node = env["NODE_NAME"]
    Reporter(api, node, namespace, JOURNAL, lambda probe: evidence(probe, node, SOCKET)).run()


def _end(_signal: int, _frame: FrameType | None) -> None:
    os._exit(0)


def say(words: str) -> None:
    """One line of the container's log."""
    sys.stderr.write(f"unstuck-agent: {words}\n")
    sys.stderr.flush()


class Reporter:
    """One node's. journal: a file that outlives this container, not the Pod, with the uids of reports that were written.

    look: a probe's facts as JSON documents, within its deadline.
    """

    def __init__(self, api: Api, node: str, namespace: str, journal: str, look: Callable[[Probe], list[Doc]]) -> None:
        self._api = api
        self._node = node
        self._base = f"/apis/{GROUP}/namespaces/{quote(namespace)}"
        self._selector = {"fieldSelector": f"spec.nodeName={node}"}
        self._journal = Path(journal)
        self._look = look
        self._skew = 0.0
        self._swept = 0.0
        self._said = ""
        self.known = Known()

    def run(self) -> None:
        """Does not return."""
        self._recall()
        failed = 0
        while True:
            begun = time.monotonic()
            wait = None
            try:
                self.round()
                failed = 0
            except StaleError:
                failed = 0
            except _RefusedError as e:
                wait = e.wait
                self._complain(str(e))
            except ApiGoneError as e:
                self._complain(f"the API server does not answer: {e}")
            if time.monotonic() - begun > _LONGEST_WAIT:
                failed = 0
            failed += 1
            time.sleep(_pause(failed, wait))

    def round(self) -> None:
        """One list and a watch from there on, until the watch ends. Errors: ApiGoneError, _RefusedError, StaleError."""
        version = self._list()
        self._said = ""
        while True:
            self._work()
            for kind, doc in self._watch(version):
                version = _version(doc) or version
                if kind != "BOOKMARK":
                    self.known.seen(kind, doc)
                self._work()

    @property
    def now(self) -> float:
        """The server's clock, as far as it is known."""
        return time.time() + self._skew

    # --- what there is ---------------------------------------------------------------------------------------------------

    def _list(self) -> str:
        found: list[Probe] = []
        go_on = ""
        while True:
            params = self._selector | {"limit": "500"} | ({"continue": go_on} if go_on else {})
            answer = self._api.call("GET", f"{self._base}/nodeprobes?{urlencode(params)}")
            if answer.status == 400 and "fieldSelector" in self._selector:
                # Kubernetes before 1.31 selects custom resources by label only.
                self._selector = {"labelSelector": f"{LABEL}={self._node}"}
                return self._list()
            if answer.status == 410:
                raise StaleError
            if answer.status != 200:
                raise _RefusedError(f"listing NodeProbes: {answer.status} {answer.message}", answer.wait)
            if answer.at is not None:
                self._skew = answer.at - time.time()
            items, meta = answer.doc.get("items"), answer.doc.get("metadata")
            found += [p for item in (items if isinstance(items, list) else ()) if (p := parse(item)) and p.node == self._node]
            go_on = str(meta.get("continue") or "") if isinstance(meta, dict) else ""
            if not go_on:
                self.known.relisted(found)
                return _version(answer.doc)

    def _watch(self, version: str) -> Iterator[tuple[str, dict[str, Any]]]:
        params = self._selector | {
            "watch": "1",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(_WATCH_SECONDS - os.urandom(1)[0] // 4),
        }
        for event in self._api.watch(f"{self._base}/nodeprobes", params, _SILENCE):
            kind, doc = str(event.get("type")), event.get("object")
            if kind == "STATUS" or (kind == "ERROR" and isinstance(doc, dict)):
                said = event if kind == "STATUS" else dict(doc or {})
                status = said.get("status") if kind == "STATUS" else said.get("code")
                if status == 410:
                    raise StaleError
                raise _RefusedError(f"watching NodeProbes: {status} {said.get('message')}", event.get("wait"))
            if isinstance(doc, dict):
                yield kind, doc

    # --- what is to be done -----------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while probe := self.known.next(self.now):
            self._answer(probe)
            self.known.done.add(probe.uid)
        self._sweep()

    def _answer(self, probe: Probe) -> None:
        begun = time.monotonic()
        docs = fitted(self._docs(probe), self._node)
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

    def _docs(self, probe: Probe) -> list[Doc]:
        if self.known.lately(probe.asker, self.now) >= PER_MINUTE:
            why = f"more than {PER_MINUTE} questions a minute to one node are not answered to one asker"
            return [refused(self._node, None if probe.pod is None else dict(probe.pod), "survey", "denied", why)]
        self.known.answered(probe, self.now)
        return self._look(probe)

    def _write(self, probe: Probe, facts: str) -> bool:
        failed = 0
        self._note(probe.uid)
        while True:
            answer = None
            with suppress(ApiGoneError):
                answer = self._api.call("POST", f"{self._base}/nodereports", report(probe, facts))
            if answer is not None and answer.status not in (429, 500, 502, 503, 504):
                if answer.status not in (201, 409):
                    say(f"probe {probe.name}: the report was refused: {answer.status} {answer.message}")
                return answer.status == 201
            if probe.given_up(self.now):
                say(f"probe {probe.name}: no report could be written in time")
                return False
            failed += 1
            time.sleep(min(2.0, _pause(failed, answer.wait if answer else None)))

    def _sweep(self) -> None:
        """Reports whose probe is gone at once; all that is old from time to time."""
        probes, reports = self.known.to_sweep(self.now)
        mine = [uid for uid in reports if uid not in self.known.probes]
        if time.monotonic() - self._swept > _SWEEP_EVERY:
            self._swept = time.monotonic()
            mine = reports
            for probe in probes:
                if self._gone(f"nodeprobes/{quote(probe.name)}"):
                    self.known.probes.pop(probe.uid, None)
        for uid in mine:
            if self._gone(f"nodereports/{uid}.{quote(self._node)}"):
                self.known.reported.pop(uid, None)
        if mine:
            self._keep()

    def _gone(self, what: str) -> bool:
        """Delete it; whether it is not there any more."""
        try:
            answer: Answer = self._api.call("DELETE", f"{self._base}/{what}")
        except ApiGoneError:
            return False
        if answer.status not in (200, 202, 404):
            self._complain(f"sweeping {what}: {answer.status} {answer.message}")
        return answer.status in (200, 202, 404)

    # --- what outlives this container ---------------------------------------------------------------------------------------

    def _recall(self) -> None:
        with suppress(OSError):
            uids = self._journal.read_text(encoding="ascii", errors="replace").split()
            self.known.reported = {uid: time.time() for uid in uids[:10_000] if len(uid) == 36}

    def _note(self, uid: str) -> None:
        self.known.reported[uid] = self.now
        with suppress(OSError), self._journal.open("a", encoding="ascii") as file:
            file.write(uid + "\n")

    def _keep(self) -> None:
        with suppress(OSError):
            self._journal.write_text("".join(f"{uid}\n" for uid in self.known.reported), encoding="ascii")

    def _complain(self, words: str) -> None:
        """Once, until something else is wrong."""
        if words != self._said:
            self._said = words
            say(words)


class _RefusedError(Exception):
    """An answer that is none of use. wait: seconds that the server asks for."""

    def __init__(self, words: str, wait: object) -> None:
        super().__init__(words)
        self.wait = float(wait) if isinstance(wait, int | float) else None


def _version(doc: dict[str, Any]) -> str:
    """`metadata.resourceVersion`, "" where there is none."""
    meta = doc.get("metadata")
    return str(meta.get("resourceVersion") or "") if isinstance(meta, dict) else ""


def _pause(failed: int, wait: float | None) -> float:
    """Seconds: twice as long each time, never the same for all nodes, never less than the server asked for."""
    longest = min(_LONGEST_WAIT, 0.25 * float(2 ** min(failed, 8)))
    return max(longest * (0.5 + os.urandom(1)[0] / 512), min(wait or 0.0, 2 * _LONGEST_WAIT))
