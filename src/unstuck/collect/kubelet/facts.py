"""Facts from one kubelet's API: every path at once, each in a thread with its own deadline; a path that hangs
is itself a fact.

Measured with the runtime stopped: `/pods`, `/configz`, `/healthz` and `/logs` answer at once, `/metrics` does
not answer at all.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from unstuck.collect.kubelet import reduce
from unstuck.collect.kubelet.client import KubeletClient, KubeletReply
from unstuck.collect.kubelet.log import Tail, log_facts, parse_listing
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import (
    Endpoint,
    KubeletConfig,
    KubeletEndpoints,
    KubeletHealth,
    KubeletMetrics,
    KubeletPod,
    KubeletPods,
)
from unstuck.facts.core import Fact, Ref, Refused, Source, WhyOpen
from unstuck.facts.record import Record, record

HEALTHZ, CONFIGZ, PODS, METRICS = "/healthz?verbose", "/configz", "/pods", "/metrics"
LOGS = "/logs/?query=kubelet"
_SMALL = 1 << 20
_LARGE = 64 << 20
_TAIL = 1 << 20
_FILE = 32 << 20
_MARGIN = 0.5


@dataclass(slots=True)
class _KubeletAnswers:
    """One path, its reply, and the facts read from it. reply stays None if the thread has not returned."""

    path: str
    reply: KubeletReply | None = None
    facts: list[Fact] = field(default_factory=list)


def kubelet_facts(client: KubeletClient, node: str, pod_uid: str | None) -> list[Fact]:
    """Return the facts from a Node's kubelet about itself, and about one Pod (its uid) if one is given.

    Facts about the Node: KubeletEndpoints, KubeletHealth, KubeletConfig, KubeletPods, KubeletMetrics,
    LogSeen; about the Pod: KubeletPod and the Failures of the kubelet's log. A failed request becomes a
    Refused about the Node. Never raises; it takes at most about three times the client's deadline (trust; all
    paths at once; a log's second form), and twice the deadline if a path hangs.
    """
    about = Ref("Node", None, node)
    trust = client.trust()
    if trust.why is not None:
        return _make_unreached(client, about, trust)
    view = _View(client, about, pod_uid)
    asked = [_KubeletAnswers(p) for p in (HEALTHZ, CONFIGZ, PODS, METRICS, LOGS)]
    steps: list[Callable[[_KubeletAnswers], None]] = [
        view.health,
        view.config,
        view.pods,
        view.metrics,
        view.logs,
    ]
    threads = [
        threading.Thread(target=_read_safely, args=(step, one), daemon=True)
        for step, one in zip(steps, asked, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread, one in zip(threads, asked, strict=True):
        # Each request keeps its own deadline; the log may need two.
        thread.join(client.deadline * (2 if one.path == LOGS else 1) + _MARGIN)
    facts: list[Fact] = [_endpoints(client, about, asked)]
    for one in asked:
        facts += list(one.facts) or [_make_refused(one, about)]
    return facts


def _read_safely(step: Callable[[_KubeletAnswers], None], one: _KubeletAnswers) -> None:
    """Read one answer safely: one made to be misread costs its own facts and nothing else."""
    try:
        step(one)
    except Exception as error:
        one.facts = []
        one.reply = KubeletReply(
            why="not-offered", detail=f"an answer that does not read ({type(error).__name__})"
        )


_WANT = {
    HEALTHZ: KubeletHealth.__name__,
    CONFIGZ: KubeletConfig.__name__,
    PODS: KubeletPods.__name__,
    METRICS: KubeletMetrics.__name__,
    LOGS: LogSeen.__name__,
}


def _make_unreached(client: KubeletClient, about: Ref, trust: KubeletReply) -> list[Fact]:
    """Return facts about a kubelet that may not be asked: a port that accepts a connection and then stays
    silent is still a fact.
    """
    src = Source(f"{about.name} https://{client.address}:{client.port}", trust.detail)
    out: list[Fact] = [
        Refused(about=about, src=src, want=w, why=trust.why or "unreachable", detail=trust.detail)
        for w in _WANT.values()
    ]
    if trust.why == "timeout":
        items = tuple(Endpoint(p, None, client.deadline) for p in _WANT)
        out.append(KubeletEndpoints(about=about, src=src, items=items))
    return out


def _endpoints(client: KubeletClient, about: Ref, asked: list[_KubeletAnswers]) -> KubeletEndpoints:
    items = []
    for one in asked:
        reply = one.reply
        if reply is None or reply.why == "timeout":
            items.append(Endpoint(one.path, None, client.deadline))
        elif reply.seconds is not None:
            items.append(Endpoint(one.path, round(reply.seconds, 3), client.deadline, reply.status))
    words = [
        f"{i.path} {i.status} {i.seconds:.2f} s"
        if i.seconds is not None
        else f"{i.path} no reply in {i.waited:g} s"
        for i in items
    ]
    src = Source(f"{about.name} https://{client.address}:{client.port}", " · ".join(words))
    return KubeletEndpoints(about=about, src=src, whole=len(items) == len(asked), items=tuple(items))


def _make_refused(one: _KubeletAnswers, about: Ref) -> Refused:
    reply = one.reply or KubeletReply(why="timeout", detail="no answer before the deadline")
    why: WhyOpen = reply.why or "not-offered"
    src = Source(f"{about.name} kubelet {one.path}", reply.detail)
    return Refused(
        about=about,
        src=src,
        want=_WANT[one.path],
        why=why,
        detail=reply.detail or "an answer that does not read",
    )


@record()
class _View(Record):
    """One function for each path: asks it and makes facts of the answer."""

    client: KubeletClient
    about: Ref
    pod_uid: str | None

    def _source(self, path: str, quote: str) -> Source:
        return Source(f"{self.about.name} kubelet {path}", quote)

    def _small(self, one: _KubeletAnswers) -> str:
        parts: list[bytes] = []
        one.reply = self.client.get(one.path, parts.append, cap=_SMALL)
        return b"".join(parts).decode("utf-8", "replace")

    def health(self, one: _KubeletAnswers) -> None:
        """Read `/healthz?verbose`: each check with its result, also where one fails (status 500)."""
        text = self._small(one)
        reply = one.reply
        if (
            reply is None
            or reply.why in ("denied", "not-offered")
            or (reply.why == "unreachable" and reply.status != 500)
        ):
            return
        found = reduce.checks(text or reply.detail.replace("[", "\n["))
        passed = reply.status == 200
        failed = [name for name, ok in found if not ok]
        quote = "no reply" if reply.why == "timeout" else "ok" if passed else "failed: " + ", ".join(failed)
        one.facts.append(
            KubeletHealth(
                about=self.about,
                src=self._source(one.path, quote),
                answered=reply.why != "timeout",
                ok=passed,
                checks=found,
            )
        )

    def config(self, one: _KubeletAnswers) -> None:
        """Read `/configz`."""
        text = self._small(one)
        try:
            doc = json.loads(text) if text else None
        except (ValueError, RecursionError):
            doc = None
        found = reduce.config(doc, self.about, self._source(one.path, ""))
        if found is not None and one.reply is not None and one.reply.why is None:
            one.facts.append(found)

    def pods(self, one: _KubeletAnswers) -> None:
        """Read `/pods`: the list, and the one Pod in question."""
        pods = reduce.PodList()
        one.reply = self.client.get(one.path, pods.take, cap=_LARGE)
        whole = one.reply.why is None and pods.whole
        if not whole and not pods.items:
            return
        pods.items.sort(key=lambda i: i.pod.key)
        going = sum(1 for i in pods.items if i.deleting)
        quote = f"{len(pods.items)} Pods, {going} with a deletionTimestamp"
        one.facts.append(
            KubeletPods(
                about=self.about, src=self._source(one.path, quote), whole=whole, items=tuple(pods.items)
            )
        )
        if self.pod_uid:
            one.facts += self._one_pod(pods, whole, self.pod_uid)

    def _one_pod(self, pods: reduce.PodList, whole: bool, uid: str) -> Iterator[KubeletPod]:
        found = next((i for i in pods.items if i.pod.uid == uid), None)
        if found is None and not whole:
            return
        said = (
            "not in the list"
            if found is None
            else "deletionTimestamp"
            if found.deleting
            else "no deletionTimestamp"
        )
        yield KubeletPod(
            about=found.pod if found else Ref("Pod", uid=uid),
            src=self._source(PODS, said),
            listed=found is not None,
            phase=found.phase if found else "",
            deleting=found.deleting if found else None,
            static=found.static if found else False,
        )

    def metrics(self, one: _KubeletAnswers) -> None:
        """Read `/metrics` as it comes; half an answer is no fact."""
        samples = reduce.Samples()
        one.reply = self.client.get(one.path, samples.take, cap=_LARGE)
        if one.reply.why is None:
            items = samples.items
            quote = f"{len(items)} series with a value"
            one.facts.append(KubeletMetrics(about=self.about, src=self._source(one.path, quote), items=items))

    def logs(self, one: _KubeletAnswers) -> None:
        """Read the kubelet's log by NodeLogQuery, else its file below /var/log. A server without the query
        lists that directory instead.
        """
        since = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        tail = Tail(_TAIL)
        one.reply = self.client.get(f"{one.path}&sinceTime={since}&tailLines=20000", tail.take, cap=_LARGE)
        path = one.path
        if one.reply.why is None and (names := parse_listing(tail.data)) is not None:
            first = one.reply
            file = next((n for n in ("kubelet.log", "kubelet.INFO") if n in names), None)
            one.reply = KubeletReply(
                first.status,
                first.seconds,
                "not-offered",
                "a directory listing: this kubelet has no log query",
            )
            if file is None:
                return
            path, tail = f"/logs/{file}", Tail(_TAIL)
            # Never by a Range: the kubelet takes status 206 for an error and writes the response into its own
            # log.
            again = self.client.get(path, tail.take, cap=_FILE)
            if again.why is not None:
                one.reply = again
                return
            one.reply = KubeletReply(first.status, first.seconds)
        if one.reply.why is None:
            one.facts += log_facts(tail, path, self.about, self.pod_uid, datetime.now(UTC))
