"""Gathers the answer to one probe: the collector's facts and the kubelet's, asked for at the same time.

The kubelet is asked a moment later: as soon as the collector has read the kubelet's serving certificate.
"""

from __future__ import annotations

import json
import threading
import time
from typing import Any

from unstuck.agent import child
from unstuck.agent.collector_client import ask_collector, ask_single, refusal
from unstuck.agent.log import TroubleLog
from unstuck.agent.probes import PendingProbe
from unstuck.agent.truncation import Doc

_MODULE = "unstuck.agent.kubelet"
# A running kubelet answers in milliseconds; after this long its silence is reported.
_KUBELET_PATIENCE = 1.2
# A collector that looks has read the certificate within a tenth of this.
_PIN_PATIENCE = 1.0
# For writing the report within the deadline.
_MARGIN = 0.4
_SECOND_LOOK_SECONDS = 0.7


class Pin:
    """The SHA-256 of the kubelet's serving certificate as the collector last read it; "" until then.

    A fingerprint is kept until another one is read, so that the pin cannot be removed by keeping the
    collector from reading.
    """

    def __init__(self) -> None:
        self.fingerprint = ""
        self._received = threading.Event()
        self._complaint = TroubleLog()

    def expect(self) -> None:
        """Forget the end of an earlier look: the next `wait` waits for this one."""
        self._received.clear()

    def receive(self, fingerprint: str = "") -> None:
        """Take the fingerprint that this look has read, "" for none; either way the wait is over."""
        self.fingerprint = fingerprint or self.fingerprint
        self._received.set()

    def wait(self, seconds: float) -> str:
        """Return the fingerprint, after this many seconds at most. A missing one is logged."""
        self._received.wait(seconds)
        if self.fingerprint:
            self._complaint.clear()
        else:
            self._complaint.tell(
                "the kubelet's serving certificate could not be read: the connection to the kubelet is not "
                "pinned to it"
            )
        return self.fingerprint


def gather_evidence(probe: PendingProbe, node: str, socket: str, pin: Pin) -> list[Doc]:
    """Return facts as JSON documents, within the probe's deadline, including refusals for missing ones. Never
    raises.

    socket: the collector's. pin: kept from one look to the next.
    """
    pod: dict[str, Any] | None = dict(probe.pod) if probe.pod is not None else None
    seconds = max(0.5, probe.seconds - _MARGIN)
    end = time.monotonic() + seconds
    if probe.wants and pod is None:
        return ask_single(socket, node, probe.wants, seconds)
    kubelet_facts: list[Doc] = []
    pin.expect()

    def ask_kubelet() -> None:
        fingerprint = pin.wait(min(_PIN_PATIENCE, seconds / 4))
        kubelet_facts.extend(kubelet_docs(node, pod, max(0.1, end - time.monotonic()), fingerprint))

    asking = threading.Thread(target=ask_kubelet, daemon=True)
    asking.start()
    answer = ask_collector(socket, node, pod, seconds, since=probe.since, serving=pin.receive)
    pin.receive()
    asking.join(max(0.0, end - time.monotonic()))
    docs, kubelets = answer.docs, list(kubelet_facts)
    if pod is not None and not answer.confirms_pod:
        # Only the kubelet knows a Pod that has never had a sandbox.
        if not is_vouched_for(kubelets, pod):
            return docs
        if end - time.monotonic() > _SECOND_LOOK_SECONDS:
            docs = ask_collector(
                socket, node, pod, end - time.monotonic(), vouched=True, since=probe.since
            ).docs
    return [*_leave_out_answered(docs, kubelets), *_leave_out_answered(kubelets, docs)]


def is_vouched_for(docs: list[Doc], pod: Doc) -> bool:
    """Tell whether the kubelet's own list contains a Pod of this namespace, name and uid."""
    about = {"kind": "Pod", "within": pod["namespace"], "name": pod["name"], "uid": pod["uid"]}
    return any(
        d.get("type") == "KubeletPod" and d.get("listed") is True and d.get("about") == about for d in docs
    )


def _leave_out_answered(docs: list[Doc], told: list[Doc]) -> list[Doc]:
    """Leave out refusals that the other source has answered, such as the kubelet's log (a file) or its
    health (its own API).
    """
    types = {d.get("type") for d in told if d.get("type") != "Refused"}
    return [d for d in docs if d.get("type") != "Refused" or d.get("want") not in types]


def kubelet_docs(node: str, pod: Doc | None, seconds: float, fingerprint: str) -> list[Doc]:
    """Return facts from the kubelet's API, asked in a child; a Refused for each missing one. fingerprint: of
    its certificate, "" if unknown.
    """
    patience = min(_KUBELET_PATIENCE, seconds / 3)
    request = json.dumps({"node": node, "pod": pod, "seconds": patience, "fingerprint": fingerprint})
    docs: list[Doc] = []
    why = "the question to the kubelet ended before its answer"
    try:
        for line in child.read_lines(_MODULE, request.encode(), min(seconds, 3 * patience)):
            doc = json.loads(line)
            if doc.get("end"):
                return docs
            docs.append(doc)
    except (OSError, ValueError, AttributeError) as e:
        why = f"the kubelet could not be asked: {str(e) or type(e).__name__}"
    return [*docs, refusal(node, pod, "KubeletEndpoints", "timeout", why)]
