"""A server of the cluster that answers with an error of its own: the log of a ready Pod behind it says
why.
"""

from __future__ import annotations

from unstuck.causes._neighbour_log import READS as _LOG_READS
from unstuck.causes._neighbour_log import NeighbourWords, read_neighbour
from unstuck.causes.program._service import find_service_meant, list_ready_pods
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Text
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.aspects.services import ServicePods, ServicesAt, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

READS: frozenset[type[Fact]] = _LOG_READS | {Names, Presence, ServicePods, ServicesAt, ServiceSpec}
# RFC 9110, section 15.6: the server failed, and not the request.
_FAILED = regex(
    r"(?i)(?<![\d.:])50[0-4](?![\d.:]\d|\d)|service unavailable|bad gateway|internal server error"
    r"|gateway time-?out"
)
_HOST = regex(
    r"(?i)\bhttps?://(?P<url>[a-z0-9][a-z0-9.-]{0,252})"
    r"|(?<![\w.:@%/-])(?P<host>[a-z][a-z0-9.-]{0,252}):\d{2,5}(?!\w)"
)
_HOSTS = 3
# A partner in a sentence, behind a word that says what it does to the speaker.
_PARTNER = regex(
    r"(?i:\b(?:by|from|for|to|on|with|at|via)) (?:(?:the|server|service|host|peer|upstream) )?[\"'`]?"
    r"(?P<name>[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\w.:/-]\w)"
)


def read_failing_server(pod: Ref, line: str, snap: Facts, verify: Text) -> NeighbourWords:
    """Return what the server that a line names as failing reports in its log; empty for a line of another
    sort, and for a server without a ready Pod, which is followed itself.
    """
    if pod.kind != "Pod" or not _FAILED.search(line):
        return NeighbourWords()
    hosts = unique(m["url"] or m["host"] for m in _HOST.finditer(line))[:_HOSTS]
    meant = [find_service_meant(host, pod, snap) for host in hosts]
    return _read_logs(
        unique(s for m in meant for s in m.hits), [w for m in meant for w in m.wants], snap, verify
    )


def read_awaited_server(pod: Ref, line: str, snap: Facts, verify: Text) -> NeighbourWords:
    """Return what the server that a running program waits for reports in its log: that of an error, else a
    Service of its Namespace that the line names (`blocked by broker`).
    """
    failing = read_failing_server(pod, line, snap, verify)
    named = unique(m["name"] for m in _PARTNER.finditer(line))[:_HOSTS]
    if failing.wants or failing.seen or failing.says.en or pod.kind != "Pod" or not named:
        return failing
    listed = Ref("ServiceList", pod.within)
    lists, want = snap.of(Names, listed), Want(Names, listed)
    if not lists:
        return NeighbourWords(wants=() if snap.answered(want) else (want,))
    there = {n for f in lists for n in f.names}
    return _read_logs(tuple(Ref("Service", pod.within, n) for n in named if n in there), [], snap, verify)


def _read_logs(services: tuple[Ref, ...], wants: list[Want], snap: Facts, verify: Text) -> NeighbourWords:
    for service in services:
        if ready := list_ready_pods(service, snap):
            return read_neighbour(Ref("Pod", service.within, ready[0].name), snap, verify)
        want = Want(ServicePods, service)
        wants += () if snap.answered(want) or snap.of(ServicePods, service) else (want,)
    return NeighbourWords(wants=unique(wants))
