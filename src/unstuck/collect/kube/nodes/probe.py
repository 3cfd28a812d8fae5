"""Creates a Pod that looks at one node once, reads the answer from its log, and deletes the Pod however the
look ends.

A client that is killed cannot delete it: then it ends by its deadline, and the next look in that Namespace
deletes it.
"""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from unstuck.collect.kube.nodes.agent_pod import DAEMON_SET
from unstuck.collect.kube.nodes.guard import is_guarded
from unstuck.collect.kube.nodes.leftover_probes import LeftoverProbe, remove_left
from unstuck.collect.kube.nodes.probe_pod import CONTAINER, GRACE, PREFIX, Plan, manifest
from unstuck.collect.kube.nodes.probe_safety import find_suspicion
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment
from unstuck.collect.untrusted_facts import LARGEST, ReportError, read_report
from unstuck.errors import AccessError
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Source, WhyOpen

NAMESPACE = "unstuck-system"
_BEGIN, _END = "unstuck-look-begin", "unstuck-look-end"
# A container that takes this long to start waits for something: an image, a network, a runtime that hangs.
_LONGEST = 25.0
# The Pod's whole life, its end included, should be over after 30 s; the rest of that time is for the end.
_ENDING = 4.0
_FAILED = ("Failed", "Succeeded")


@dataclass(frozen=True, slots=True)
class _ProbePod:
    """The Pod of one look. uid: "" until the server has returned it. images: of its containers at
    creation: they can be changed later.
    """

    path: str
    uid: str = ""
    images: tuple[str, ...] = ()

    def is_seen(self, pod: doc.Doc) -> bool:
        """Tell whether this is the created Pod: a user who may create Pods there may replace it by another
        one of the same name.
        """
        return (
            bool(self.uid)
            and doc.text(pod, "metadata", "uid") == self.uid
            and _list_images(pod) == self.images
        )


class ProbeWay:
    """The one-shot Pod. Safe for several threads; nothing is created before `look`, and that only after
    `plan`.

    image: None: that of the installed agent. namespace: None: `unstuck-system`; if that does not exist, one
    must be named. A Pod with these rights is never put into an arbitrary Namespace: users who may run
    commands in its Pods would gain them too.
    """

    name = "probe"
    any_node = True

    def __init__(self, client: Client, image: str | None = None, namespace: str | None = None) -> None:
        self._client = client
        self._image = image
        self._namespace = namespace
        self._plans: dict[str, Plan] = {}
        self._open: dict[str, _ProbePod] = {}
        self._leaving = False
        self._left: list[LeftoverProbe] = []

    def plan(self, node: str) -> Plan | Unreached:
        """Return the Pod that would be created for this node, or why none should be. Only reads; never
        raises.
        """
        try:
            image = self._image or self._agents_image()
            if not image:
                return _make_unreached(node, "not-asked", "no-image")
            doubt = find_suspicion(self._client, node)
            if doubt is not None:
                return _make_unreached(node, "not-offered", *doubt)
            namespace = self._namespace or self._place()
            if not namespace:
                return _make_unreached(node, "not-asked", "no-namespace", name=NAMESPACE)
            self._plans[node] = Plan(node, namespace, image, guarded=is_guarded(self._client, namespace))
        except AccessError as e:
            return _make_unreached(node, "denied", "refused", str(e))
        return self._plans[node]

    def take_leftovers(self) -> list[LeftoverProbe]:
        """Return the leftover Pods of killed clients found since the last call."""
        told, self._left = self._left, []
        return told

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Return the node's facts about itself and about this Pod, or one `Unreached` with the reason. Never
        raises.

        deadline: seconds, of which the last few are kept for deleting the Pod.
        since: when a deletion was requested, because the logs around it matter too.
        """
        plan = self._plans.get(node)
        if plan is None:
            return [_make_unreached(node, "not-asked", "not-agreed")]
        name = f"{PREFIX}{secrets.token_hex(4)}"
        path = f"/api/v1/namespaces/{escape_segment(plan.namespace)}/pods"
        seconds = min(_LONGEST, max(2.0, deadline - _ENDING))
        reply: Reply | None = None
        try:
            if self._leaving:
                return [_make_unreached(node, "not-asked", "not-agreed")]
            self._open[name] = _ProbePod(f"{path}/{name}")
            try:
                reply = self._client.write(
                    "POST",
                    path,
                    manifest(plan, name, pod, round(seconds), self._apparmor(), since),
                    seconds=seconds,
                )
                if not reply.ok:
                    return [_refusal(node, plan, reply)]
                self._open[name] = made = _ProbePod(
                    f"{path}/{name}", doc.text(reply.doc, "metadata", "uid"), _list_images(reply.doc)
                )
                return self._wait(made, node, pod, seconds)
            finally:
                self._remove(self._client, self._open.pop(name))
                now = doc.time(reply.doc, "metadata", "creationTimestamp") if reply is not None else None
                if now is not None and not self._leaving:
                    self._left += remove_left(self._client, plan.namespace, now)
        except AccessError as e:
            return [_make_unreached(node, "denied", "refused", str(e))]

    def close(self) -> None:
        """Delete the remaining Pods before the program exits. Never raises, takes a few seconds at most."""
        self._leaving = True
        gone = [
            threading.Thread(target=self._remove, args=(Client(self._client.access), made), daemon=True)
            for made in [*self._open.values()]
        ]
        for thread in gone:
            thread.start()
        for thread in gone:
            thread.join(5.0)

    # --- while it exists ----------------------------------------------------------------------------------

    def _wait(self, made: _ProbePod, node: str, pod: Ref | None, seconds: float) -> list[Fact]:
        until, pause, last = time.monotonic() + seconds, 0.1, Reply(made.path, 0)
        while True:
            seen = self._client.get(made.path, retries=0, seconds=max(0.2, until - time.monotonic()))
            if seen.ok and not made.is_seen(seen.doc):
                return [_make_unreached(node, "not-offered", "replaced")]
            last = seen if seen.ok else last
            if seen.ok and doc.text(seen.doc, "status", "phase") in _FAILED:
                return self._read(made, node, pod, seen)
            if seen.status == 404 or (seen.ok and _is_stuck(seen)) or time.monotonic() + pause >= until:
                return [
                    _make_unreached(
                        node, "timeout", "not-started", _describe_place(last), seconds=round(seconds)
                    )
                ]
            time.sleep(pause)
            pause = min(pause * 1.3, 0.5)

    def _read(self, made: _ProbePod, node: str, pod: Ref | None, seen: Reply) -> list[Fact]:
        log = self._client.get(
            f"{made.path}/log", {"container": CONTAINER, "limitBytes": LARGEST + 4096}, retries=1, seconds=5.0
        )
        if not log.ok:
            return [_make_unreached(node, log.why or "unreachable", "silent", log.message or log.detail)]
        # A log is requested by name: it is this Pod's if this Pod existed before and still does, because no
        # uid is ever reused.
        if not made.is_seen(self._client.get(made.path, retries=1, seconds=2.0).doc):
            return [_make_unreached(node, "not-offered", "replaced")]
        _, begin, rest = log.text.partition(f"{_BEGIN}\n")
        answer, end, _ = rest.partition(f"\n{_END}")
        if not begin or not end:
            return [_make_unreached(node, "not-offered", "silent", _describe_end(seen) or log.text[-200:])]
        try:
            return read_report(answer, node, pod)
        except ReportError as e:
            return [_make_unreached(node, "not-offered", "other-node" if e.foreign else "unreadable", str(e))]

    def _remove(self, client: Client, made: _ProbePod) -> None:
        """Delete this Pod, not another of its name, and wait until it is gone; by force if the node does
        not finish.
        """
        how = {
            "propagationPolicy": "Background",
            **({"preconditions": {"uid": made.uid}} if made.uid else {}),
        }
        with suppress(AccessError):
            for grace in (GRACE, GRACE, 0):
                reply = client.write("DELETE", made.path, {"gracePeriodSeconds": grace, **how}, seconds=2.0)
                end = time.monotonic() + 1.5 * (1 + GRACE)
                while reply.status != 404 and time.monotonic() < end:
                    if _is_gone(client.get(made.path, retries=0, seconds=2.0), made):
                        return
                    time.sleep(0.15)
                # A Pod whose creation was under way during the deletion may appear only now.
                if reply.status == 404:
                    time.sleep(0.3)
                    if _is_gone(client.get(made.path, retries=0, seconds=2.0), made):
                        return

    # --- before ---------------------------------------------------------------------------------------------

    def _agents_image(self) -> str:
        found = self._client.get(
            f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/{DAEMON_SET}", retries=0, seconds=3.0
        )
        containers = doc.rows(found.doc, "spec", "template", "spec", "containers") if found.ok else []
        return doc.text(containers[0], "image") if containers else ""

    def _place(self) -> str:
        found = self._client.get(f"/api/v1/namespaces/{NAMESPACE}", retries=0, seconds=3.0)
        gone = found.status == 404 or (found.ok and doc.text(found.doc, "status", "phase") != "Active")
        # If reading Namespaces is not permitted, a missing one shows when the Pod is created.
        return "" if gone else NAMESPACE

    def _apparmor(self) -> bool:
        """Tell whether the server knows `securityContext.appArmorProfile`: 1.30, KEP-24. An older server
        prunes it with a warning.
        """
        return True


def _list_images(pod: doc.Doc) -> tuple[str, ...]:
    return tuple(doc.text(c, "image") for c in doc.rows(pod, "spec", "containers"))


def _is_gone(seen: Reply, made: _ProbePod) -> bool:
    """Tell whether this Pod is gone; another Pod of its name may exist by now."""
    return seen.status == 404 or (
        seen.ok and bool(made.uid) and doc.text(seen.doc, "metadata", "uid") != made.uid
    )


def _is_stuck(seen: Reply) -> bool:
    """Tell whether its container waits with a lasting error."""
    rows = doc.rows(seen.doc, "status", "containerStatuses")
    reasons = [doc.text(r, "state", "waiting", "reason") for r in rows]
    return any(
        r
        in (
            "ErrImagePull",
            "ImagePullBackOff",
            "ErrImageNeverPull",
            "InvalidImageName",
            "CreateContainerError",
        )
        for r in reasons
    )


def _describe_place(seen: Reply) -> str:
    rows = doc.rows(seen.doc, "status", "containerStatuses")
    waiting = next((w for r in rows if (w := doc.section(r, "state", "waiting"))), doc.EMPTY)
    said = (doc.text(seen.doc, "status", "phase"), doc.text(waiting, "reason"), doc.text(waiting, "message"))
    return " ".join(filter(None, said)) or "nobody told where it is"


def _describe_end(seen: Reply) -> str:
    rows = doc.rows(seen.doc, "status", "containerStatuses")
    ended = next((t for r in rows if (t := doc.section(r, "state", "terminated"))), doc.EMPTY)
    code = doc.whole_number(ended, "exitCode")
    said = (
        doc.text(seen.doc, "status", "reason"),
        f"exit code {code}" if code is not None else "",
        doc.text(ended, "reason"),
    )
    return " ".join(filter(None, (*said, doc.text(ended, "message")[:200])))


def _refusal(node: str, plan: Plan, reply: Reply) -> Unreached:
    said = reply.message or reply.detail
    if "violates PodSecurity" in said:
        return _make_unreached(node, "denied", "security", said.partition("violates ")[2], plan.namespace)
    return _make_unreached(node, reply.why or "not-offered", "refused", said)


def _make_unreached(
    node: str, why: WhyOpen, reason: str, detail: str = "", name: str = "", seconds: float = 0.0
) -> Unreached:
    src = Source(f"node:{node}")
    return Unreached(
        about=Ref("Node", None, node),
        src=src,
        way="probe",
        why=why,
        reason=reason,
        detail=detail,
        name=name,
        seconds=float(seconds),
    )
