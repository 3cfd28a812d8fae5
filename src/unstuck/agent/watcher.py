"""Watches the NodeProbes of one node: lists them, watches from there, and survives a server that is away,
busy or forgetful (410).

It asks for rows of a table, whose size does not depend on the creators of the probes; see `probes.py`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from unstuck.agent.api import TABLE, Api, ApiGoneError, TooLargeError, pause
from unstuck.agent.clock import AgentClock
from unstuck.agent.log import TroubleLog
from unstuck.agent.probes import COLUMNS, LABEL, PendingProbe, ProbeQueue, parse_row

_PAGE = 100
_WATCH_SECONDS = 290
_SILENCE = 330.0
# A round that lasted longer than this does not count as a failure.
_LASTED = 30.0

Doc = dict[str, Any]


class StaleError(Exception):
    """The server no longer knows the version or the page from which to continue."""


class RefusedError(Exception):
    """The server refused the request. wait: seconds that it asks to be left alone."""

    def __init__(self, words: str, wait: object = None) -> None:
        super().__init__(words)
        self.wait = float(wait) if isinstance(wait, int | float) else None


class Watcher:
    """base: the path of the agent's Namespace. queue: receives every probe, a page at a time. clock: set
    by each list.
    """

    def __init__(self, api: Api, base: str, node: str, queue: ProbeQueue, clock: AgentClock) -> None:
        self._api = api
        self._path = f"{base}/nodeprobes"
        self._node = node
        self._queue = queue
        self._clock = clock
        self._selector = {"fieldSelector": f"spec.nodeName={node}"}
        self._columns: list[str] = []
        self._complaint = TroubleLog()

    def run(self) -> None:
        """Run for ever."""
        failed = 0
        while True:
            begun = time.monotonic()
            wait = None
            try:
                self.run_round()
                failed = 0
            except StaleError:
                failed = 0
            except RefusedError as e:
                wait = e.wait
                self._complaint.tell(str(e))
            except ApiGoneError as e:
                self._complaint.tell(f"the API server does not answer: {e}")
            if time.monotonic() - begun > _LASTED:
                failed = 0
            failed += 1
            time.sleep(pause(failed, wait))

    def run_round(self) -> None:
        """List once, and watch from there on until a watch breaks. Errors: ApiGoneError, RefusedError,
        StaleError.
        """
        version = self._list_probes()
        self._complaint.clear()
        while True:
            for kind, table in self._watch(version):
                version = _version(table) or version
                if kind != "BOOKMARK":
                    self._take_event(kind, table)

    def _take_event(self, kind: str, table: Doc) -> None:
        probes = self._parse_table(table)
        if kind == "DELETED":
            for probe in probes:
                self._queue.remove(probe.uid)
        else:
            self._queue.add(probes)

    # --- list -----------------------------------------------------------------------------------------------

    def _list_probes(self) -> str:
        """List all probes, page by page, and return the version to watch from."""
        uids: set[str] = set()
        limit, go_on = _PAGE, ""
        while True:
            try:
                page = self._read_page(limit, go_on)
            except TooLargeError:
                # Not with the schema of this chart; of an older one there may be probes left with a field
                # without bounds.
                if limit == 1:
                    raise
                limit //= 2
                continue
            probes = self._parse_table(page)
            uids.update(p.uid for p in probes)
            self._queue.add(probes)
            go_on = str(_meta(page).get("continue") or "")
            if not go_on:
                self._queue.retain(uids)
                return _version(page)

    def _read_page(self, limit: int, go_on: str) -> Doc:
        params = (
            self._selector
            | {"limit": str(limit), "includeObject": "None"}
            | ({"continue": go_on} if go_on else {})
        )
        answer = self._api.call("GET", f"{self._path}?{urlencode(params)}", accept=TABLE)
        if answer.status == 400 and "fieldSelector" in self._selector:
            # Kubernetes before 1.31 selects custom resources by label only.
            self._selector = {"labelSelector": f"{LABEL}={self._node}"}
            return self._read_page(limit, go_on)
        if answer.status == 410:
            raise StaleError
        if answer.status != 200:
            raise RefusedError(f"listing NodeProbes: {answer.status} {answer.message}", answer.wait)
        self._clock.adjust(answer.at)
        return answer.doc

    # --- watch ----------------------------------------------------------------------------------------------

    def _watch(self, version: str) -> Iterator[tuple[str, Doc]]:
        params = self._selector | {
            "watch": "1",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "includeObject": "None",
            "timeoutSeconds": str(_WATCH_SECONDS - os.urandom(1)[0] // 4),
        }
        for event in self._api.watch(self._path, params, _SILENCE, TABLE):
            kind, doc = str(event.get("type")), event.get("object")
            if kind == "STATUS" or (kind == "ERROR" and isinstance(doc, dict)):
                said = event if kind == "STATUS" else dict(doc or {})
                status = said.get("status") if kind == "STATUS" else said.get("code")
                if status == 410:
                    raise StaleError
                raise RefusedError(f"watching NodeProbes: {status} {said.get('message')}", event.get("wait"))
            if isinstance(doc, dict):
                yield kind, doc

    # --- rows -----------------------------------------------------------------------------------------------

    def _parse_table(self, table: Doc) -> list[PendingProbe]:
        """Return the probes of a table; if it names no columns, they are those of the table before.
        Errors: RefusedError.
        """
        heads = _list_mappings(table.get("columnDefinitions"))
        if heads:
            self._columns = [str(head.get("name")) for head in heads]
            if missing := [name for name in COLUMNS if name not in self._columns]:
                raise RefusedError(
                    f"nodeprobes.unstuck.dev has no column {missing[0]!r}: it is of another release than "
                    "this agent"
                )
        cells = (row.get("cells") for row in _list_mappings(table.get("rows")))
        rows = (dict(zip(self._columns, row, strict=False)) for row in cells if isinstance(row, list))
        return [p for row in rows if (p := parse_row(row)) and p.node == self._node]


def _list_mappings(found: object) -> list[Doc]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _meta(doc: Doc) -> Doc:
    meta = doc.get("metadata")
    return meta if isinstance(meta, dict) else {}


def _version(doc: Doc) -> str:
    """Return `metadata.resourceVersion`, "" if there is none."""
    return str(_meta(doc).get("resourceVersion") or "")
