"""Asking the agent on a node: a NodeProbe is created, its NodeReport is waited for, the probe is deleted
again.

Both are objects of `unstuck.dev/v1` in the Namespace `unstuck-system`; a report is named `<uid of the
probe>.<node>` and may only be got by that name. See charts/unstuck.
"""

from __future__ import annotations

import math
import re
import secrets
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from unstuck.collect.kube.nodes.agent_pod import agent_pod
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment
from unstuck.collect.untrusted_facts import ReportError, read_report
from unstuck.errors import AccessError
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Source, Want, WhyOpen
from unstuck.facts.single_wants import write_wants

NAMESPACE = "unstuck-system"
_GROUP = "unstuck.dev/v1"
_WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_LABEL = 63
# Seconds that a probe may stay without a report before the existence of an agent is checked.
_PATIENCE = 1.5
# After a kubelet has been told to end an agent its token is refused: within about a minute (it is bound to
# the Pod).
_BLIND = 90.0
# Seconds before each try to delete a probe, of a second at most: a server that is busy may take longer than
# one of them.
_TRIES = (0.0, 0.2, 0.6)
_AT_ONCE = 8
# The chart bounds how many probes there may be; plugin/pkg/admission/resourcequota/controller.go.
_QUOTA = re.compile(r"exceeded quota: |status unknown for quota: ")
_WEBHOOK = re.compile(r'failed calling webhook "([^"]{1,200})"')


class AgentWay:
    """The agent's answers about a node and one Pod on it. Safe for several threads; nothing is sent before
    `look`.

    namespace: where the agent is installed.
    """

    name = "agent"
    any_node = True

    def __init__(self, client: Client, namespace: str = NAMESPACE) -> None:
        self._client = client
        self._probes = f"/apis/{_GROUP}/namespaces/{escape_segment(namespace)}/nodeprobes"
        self._reports = f"/apis/{_GROUP}/namespaces/{escape_segment(namespace)}/nodereports"
        self._namespace = namespace
        self._user: str | None = None
        # Probes that may be there, and whether the server has answered their POST.
        self._open: dict[str, bool] = {}
        self._lock = threading.Lock()

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Return the node's facts about itself and about this Pod, or one `Unreached` with the reason. Never
        raises.

        pod: with Namespace, name and uid. deadline: seconds until it is given up.
        since: when a deletion was requested, because the logs around it matter too.
        """
        until = time.monotonic() + deadline
        try:
            with self._lock:
                refused = self._learn_user(node, until)
            return [refused] if refused else self._ask(node, pod, until, deadline, since)
        except AccessError as e:
            return [_make_unreached(node, "denied", "denied", str(e))]

    def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
        """Return the facts about single things of the node, for which the whole node is asked: the verb probe
        on nodes is needed. [] where nothing answers; never raises.
        """
        text, until = write_wants(wants), time.monotonic() + deadline
        if not text:
            return []
        try:
            with self._lock:
                refused = self._learn_user(node, until)
            return [] if refused else self._ask(node, None, until, deadline, None, text)
        except AccessError:
            return []

    def close(self) -> None:
        """Delete the remaining probes before the program exits. Never raises, takes a few seconds at most."""
        fresh = Client(self._client.access)
        run_each(lambda one: self._take_back(fresh, *one), tuple(self._open.items()), _AT_ONCE)

    def _learn_user(self, node: str, until: float) -> Unreached | None:
        """Learn our own user name, which a probe must carry. SelfSubjectReview is v1 since 1.28; the agent
        needs 1.30.
        """
        if self._user is not None:
            return None
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        reply = self._client.write("POST", _WHO, body, seconds=_count_left(until))
        if reply.status == 404:
            return _make_unreached(node, "not-offered", "version")
        if not reply.ok:
            return _refusal(node, reply)
        self._user = doc.text(reply.doc, "status", "userInfo", "username")
        return None

    def _ask(
        self,
        node: str,
        pod: Ref | None,
        until: float,
        deadline: float,
        since: datetime | None,
        wants: str = "",
    ) -> list[Fact]:
        name = f"cli-{secrets.token_hex(8)}"
        self._open[name] = False
        try:
            made = self._client.write(
                "POST",
                self._probes,
                self._probe(name, node, pod, deadline, since, wants),
                seconds=_count_left(until),
            )
            self._open[name] = made.status != 0
            if not made.ok:
                return [_refusal(node, made)]
            report = self._report(f"{doc.text(made.doc, 'metadata', 'uid')}.{node}", node, until)
            if isinstance(report, Unreached):
                return [_add_wait(report, deadline)]
        finally:
            if self._take_back(self._client, name, self._open[name]):
                del self._open[name]
        return _list_facts(report, node, pod)

    def _take_back(self, client: Client, name: str, answered: bool) -> bool:
        """Delete a probe; return whether it is gone, as far as this user may know.

        answered: whether the server has answered its POST. Without an answer, the probe may still be created
        after the deletion.
        """
        with suppress(AccessError):
            for pause in _TRIES:
                time.sleep(pause)
                reply = client.write("DELETE", f"{self._probes}/{name}", None, seconds=1.0)
                if reply.ok or reply.status in (401, 403) or (answered and reply.status == 404):
                    return True
        return False

    def _probe(
        self, name: str, node: str, pod: Ref | None, deadline: float, since: datetime | None, wants: str = ""
    ) -> dict[str, object]:
        spec: dict[str, object] = {
            "nodeName": node,
            "requestedBy": self._user,
            "deadlineSeconds": max(1, min(30, math.floor(deadline) - 1)),
        }
        if pod is not None:
            spec["pod"] = {"namespace": pod.within, "name": pod.name, "uid": pod.uid}
        if since is not None:
            spec["since"] = since.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        if wants:
            spec["wants"] = wants
        labels = {"unstuck.dev/node": node} if len(node) <= _LABEL else {}
        return {
            "apiVersion": _GROUP,
            "kind": "NodeProbe",
            "metadata": {"name": name, "labels": labels},
            "spec": spec,
        }

    def _report(self, name: str, node: str, until: float) -> Reply | Unreached:
        """Wait for the report; if none comes, look at the agent's own Pod for the reason."""
        pause, look_at_pod = 0.05, time.monotonic() + _PATIENCE
        why: Unreached | None = None
        while True:
            reply = self._client.get(f"{self._reports}/{name}", retries=0, seconds=_count_left(until))
            if reply.ok:
                return reply
            if reply.status == 403:
                return _refusal(node, reply)
            if why is None and time.monotonic() >= look_at_pod:
                why, hopeless = agent_pod(self._client, self._namespace, node, _BLIND)
                if hopeless:
                    return why
            if time.monotonic() + pause >= until:
                return why or _make_unreached(node, "timeout", "silent")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.4)


def _list_facts(report: Reply, node: str, pod: Ref | None) -> list[Fact]:
    if doc.text(report.doc, "nodeName") != node:
        return [_make_unreached(node, "not-offered", "other-node")]
    try:
        facts = doc.at(report.doc, "facts")
        return read_report(facts if isinstance(facts, str) else "", node, pod)
    except ReportError as e:
        return [_make_unreached(node, "not-offered", "other-node" if e.foreign else "unreadable", str(e))]


def _refusal(node: str, reply: Reply) -> Unreached:
    """Explain by the server's answer why it did not accept a probe."""
    said = reply.message or reply.detail
    if broken := _WEBHOOK.search(said):
        return _make_unreached(node, "unreachable", "webhook", said, broken[1])
    if reply.status == 404:
        return _make_unreached(node, "not-offered", "absent")
    if reply.status == 429 or (reply.status == 403 and _QUOTA.search(said)):
        return _make_unreached(node, "unreachable", "busy", said)
    if reply.status in (401, 403):
        return _make_unreached(node, "denied", "denied", said)
    return _make_unreached(node, reply.why or "not-offered", "", said)


def _make_unreached(node: str, why: WhyOpen, reason: str, detail: str = "", name: str = "") -> Unreached:
    return Unreached(
        about=Ref("Node", None, node),
        src=Source(f"node:{node}"),
        way="agent",
        why=why,
        reason=reason,
        detail=detail,
        name=name,
    )


def _add_wait(unreached: Unreached, seconds: float) -> Unreached:
    return replace(unreached, seconds=seconds) if unreached.why == "timeout" else unreached


def _count_left(until: float) -> float:
    return max(0.1, until - time.monotonic())
